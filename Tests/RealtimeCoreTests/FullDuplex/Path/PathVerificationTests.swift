import Testing

@testable import RealtimeCore

@Suite("Full duplex: verification after a pause")
struct PathVerificationTests {
  private let layout = FilterLayout(rate: 48_000)
  private let bands = 20

  /// Runs the verification after a pause of the far end. Returns the seconds it takes, and the errors that the filter has to expect; nil if
  /// it does not begin.
  private func verify(
    pause: Double = 3, hasConverged: Bool = true, microphone: Float, echo: Float, residual: Float
  ) -> (seconds: Double, errors: [Float])? {
    var verification = PathVerification(layout: layout, bands: bands)
    for _ in 0..<layout.hops(pause) { verification.pause() }
    let news = verification.resume(hasConverged: hasConverged)
    guard verification.isPending else {
      #expect(news == nil)
      return nil
    }
    #expect(news == .pauseEnded(hops: layout.hops(pause)))
    func energies(_ power: Float) -> [Float] { [Float](repeating: power, count: bands) }
    var hops = 0, errors: [Float] = []
    while verification.isPending {
      let news = withHop(microphone: energies(microphone), echo: energies(echo), residual: energies(residual)) {
        verification.observe($0)
      }
      if case .pathRefuted(let error) = news { errors.append(error) }
      hops += 1
    }
    return (Double(hops * layout.hop) / Double(layout.rate), errors)
  }

  @Test("V10: after a pause the filter is trusted within 50 ms if the microphone contains its echo, also while the near end talks")
  func contained() throws {
    let alone = try #require(verify(microphone: 1, echo: 1, residual: 0.01))
    #expect(alone.seconds < 0.05 && alone.errors.isEmpty, "\(alone)")
    let both = try #require(verify(microphone: 2, echo: 1, residual: 1))
    #expect(both.seconds < 0.05 && both.errors.isEmpty, "\(both)")
  }

  @Test("V10: if the microphone contains most of the filter's echo, the filter is trusted after 0.4 s of far end, and not before")
  func moved() throws {
    let moved = try #require(verify(microphone: 1, echo: 1, residual: 0.6))
    #expect(abs(moved.seconds - 0.4) < 0.01 && moved.errors.isEmpty, "\(moved)")
  }

  @Test("V10: if the microphone contains less than half of the filter's echo, the filter is told at once what error to expect")
  func missing() throws {
    let missing = try #require(verify(microphone: 1, echo: 1, residual: 2))
    #expect(abs(missing.seconds - 0.43) < 0.02 && missing.errors == [2], "\(missing)")
    let changed = try #require(verify(microphone: 1, echo: 1, residual: 1.5))
    #expect(changed.errors.count == 1 && abs(changed.errors[0] - 1.5) < 0.01, "\(changed)")
  }

  @Test("V10: nothing is verified after a short pause, or before the filter has converged")
  func unneeded() {
    #expect(verify(pause: 1, microphone: 1, echo: 1, residual: 2) == nil)
    #expect(verify(hasConverged: false, microphone: 1, echo: 1, residual: 2) == nil)
  }
}
