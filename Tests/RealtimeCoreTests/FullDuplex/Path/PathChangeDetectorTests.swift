import Testing

@testable import RealtimeCore

@Suite("Full duplex: path changes")
struct PathChangeDetectorTests {
  private let layout = FilterLayout(rate: 48_000)
  private let bands = 20

  /// Alternates 0.2 s of far-end speech with these powers and 0.2 s of pause; returns whether a change was detected.
  private func run(
    _ detector: inout PathChangeDetector, seconds: Double, microphone: Float, echo: Float, residual: Float, isFastBetter: Bool = false
  ) -> Bool {
    for hop in 0..<layout.hops(seconds) {
      let talks = hop / layout.hops(0.2) % 2 == 0
      func energies(_ power: Float) -> [Float] { [Float](repeating: talks ? power : 1e-6, count: bands) }
      let hasChanged = withHop(microphone: energies(microphone), echo: energies(echo), residual: energies(residual)) {
        detector.observe($0, isFastBetter: isFastBetter, isConfident: true)
      }
      if hasChanged { return true }
    }
    return false
  }

  private func expect(_ wanted: Bool, _ hasChanged: Bool, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation) {
    #expect(hasChanged == wanted, comment, sourceLocation: location)
  }

  @Test("V10: an estimate that makes the echo louder tells of another path, within 0.1 s, once the filter had cancelled")
  func change() {
    var detector = PathChangeDetector(layout: layout, bands: bands)
    expect(false, run(&detector, seconds: 2, microphone: 1, echo: 1, residual: 2), "it has never been better")
    expect(false, run(&detector, seconds: 4, microphone: 1, echo: 1, residual: 0.01))
    let hasConverged = detector.hasConverged
    #expect(hasConverged)
    expect(true, run(&detector, seconds: 0.1, microphone: 1, echo: 1, residual: 2))
    detector.lose(.path)
    let isForgotten = !detector.hasConverged
    #expect(isForgotten)
  }

  @Test("V10: a steady far end that is heard from its first hop on counts as cancelled once little of it is left")
  func steady() {
    var detector = PathChangeDetector(layout: layout, bands: bands)
    func update(residual: Float) {
      func energies(_ power: Float) -> [Float] { [Float](repeating: power, count: bands) }
      _ = withHop(microphone: energies(1), echo: energies(1), residual: energies(residual)) {
        detector.observe($0, isFastBetter: false, isConfident: true)
      }
    }
    for hop in 0..<layout.hops(4) { update(residual: max(0.01, 1 - 0.01 * Float(hop))) }
    let hasConverged = detector.hasConverged
    #expect(hasConverged)
  }

  @Test("V10: near-end speech at any level is not taken for a path change")
  func doubleTalk() {
    for near: Float in [0.1, 1, 10] {
      var detector = PathChangeDetector(layout: layout, bands: bands)
      expect(false, run(&detector, seconds: 4, microphone: 1, echo: 1, residual: 0.01))
      expect(false, run(&detector, seconds: 20, microphone: 1 + near, echo: 1, residual: 0.02 + near), "\(near)")
    }
  }

  @Test("V10: a slow path change is detected if most of the echo remains and the faster filter leaves clearly less")
  func moves() {
    for (isFastBetter, residual, hasChanged): (Bool, Float, Bool) in [(true, 0.8, true), (false, 0.8, false), (true, 0.4, false)] {
      var detector = PathChangeDetector(layout: layout, bands: bands)
      expect(false, run(&detector, seconds: 4, microphone: 1, echo: 1, residual: 0.01))
      let found = run(&detector, seconds: 0.1, microphone: 1, echo: 0.7, residual: residual, isFastBetter: isFastBetter)
      expect(hasChanged, found, "\(isFastBetter), \(residual)")
    }
  }
}
