import Testing

@testable import RealtimeCore

@Suite("Full duplex: verification after a pause")
struct PathVerificationTests {
  private let layout = FilterLayout(rate: 48_000)
  private let bands = 20

  /// Runs the verification after a pause of the far end. Returns the seconds it takes, nil if it does not begin.
  private func seconds(pause: Double = 3, hasConverged: Bool = true, microphone: Float, echo: Float, residual: Float) -> Double? {
    var verification = PathVerification(layout: layout, bands: bands)
    for _ in 0..<layout.hops(pause) { verification.pause() }
    let silentHops = verification.resume(hasConverged: hasConverged)
    guard verification.isPending else {
      #expect(silentHops == 0)
      return nil
    }
    #expect(silentHops == layout.hops(pause))
    func energies(_ power: Float) -> [Float] { [Float](repeating: power, count: bands) }
    var hops = 0
    while verification.isPending {
      verification.update(microphone: energies(microphone), echo: energies(echo), residual: energies(residual), isFarEnd: true)
      hops += 1
    }
    return Double(hops * layout.hop) / Double(layout.rate)
  }

  @Test("V10: after a pause the filter is trusted within 50 ms if the microphone contains its echo, also while the near end talks")
  func contained() throws {
    let alone = try #require(seconds(microphone: 1, echo: 1, residual: 0.01))
    #expect(alone < 0.05, "\(alone) s")
    let both = try #require(seconds(microphone: 2, echo: 1, residual: 1))
    #expect(both < 0.05, "\(both) s")
  }

  @Test("V10: if the microphone does not contain the filter's echo, the filter is trusted after 0.4 s of far end, and not before")
  func missing() throws {
    let missing = try #require(seconds(microphone: 1, echo: 1, residual: 2))
    #expect(abs(missing - 0.4) < 0.01, "\(missing) s")
  }

  @Test("V10: nothing is verified after a short pause, or before the filter has converged")
  func unneeded() {
    #expect(seconds(pause: 1, microphone: 1, echo: 1, residual: 2) == nil)
    #expect(seconds(hasConverged: false, microphone: 1, echo: 1, residual: 2) == nil)
  }
}
