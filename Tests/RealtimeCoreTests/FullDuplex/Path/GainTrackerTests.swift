import Testing

@testable import RealtimeCore

@Suite("Full duplex: volume")
struct GainTrackerTests {
  private let layout = FilterLayout(rate: 48_000)
  private let echo = Noise.white(frames: 200 * 256, seed: 3)
  private let near = Noise.white(frames: 200 * 256, seed: 5)

  @Test("V10: a volume change of up to 30 dB up and 20 dB down is detected within 20 ms", arguments: [Float(2.8), 10, 31, 0.36, 0.1])
  func turned(factor: Float) throws {
    var tracker = GainTracker(layout: layout, bands: bands)
    let unchanged = run(&tracker, hops: 0..<20, heard: echo)
    #expect(unchanged == nil)
    let gain = run(&tracker, hops: 20..<24, heard: echo.map { $0 * factor }), found = try #require(gain)
    #expect(abs(found / factor - 1) < 0.1)
  }

  @Test("V10: a volume turned up by 9 dB while both talk is detected within 0.1 s")
  func turnedUpInDoubleTalk() throws {
    var tracker = GainTracker(layout: layout, bands: bands)
    let unchanged = run(&tracker, hops: 0..<20, heard: sum(echo, near))
    #expect(unchanged == nil)
    let gain = run(&tracker, hops: 20..<39, heard: sum(echo.map { 2.8 * $0 }, near)), found = try #require(gain)
    #expect(found > 2 && found < 3.2)
  }

  @Test("V10: no gain change is detected for a correct estimate, in double talk, or for another path")
  func untouched() {
    for heard in [echo.map { $0 * 1.05 }, sum(echo, near), sum(echo, near.map { 10 * $0 }), near, near.map { 10 * $0 }] {
      var tracker = GainTracker(layout: layout, bands: bands)
      let unchanged = run(&tracker, hops: 0..<200, heard: heard)
      #expect(unchanged == nil)
    }
  }

  @Test(
    "V10: an estimate that has become too large tells of the volume even while both talk, and of another path",
    arguments: [0.2, 0.25] as [Float])
  func fall(factor: Float) throws {
    var tracker = GainTracker(layout: layout, bands: bands)
    _ = run(&tracker, hops: 0..<8, heard: sum(echo.map { factor * $0 }, near.map { 0.15 * $0 }))
    let fall = tracker.fall(), found = try #require(fall)
    #expect(abs(found.gain / factor - 1) < 0.4, "\(found)")
    #expect(found.variance > 0 && found.variance < 0.2)
    tracker.lose(.path)
    let again = tracker.fall()
    #expect(again == nil, "the same hops tell nothing of the scaled estimate")
    _ = run(&tracker, hops: 0..<8, heard: near)
    let ofOther = tracker.fall()
    #expect(ofOther == nil)
  }

  // MARK: -

  private var bands: Int { BandSpectrum(layout: layout).count }

  private func sum(_ a: [Float], _ b: [Float]) -> [Float] { zip(a, b).map { $0 + $1 } }

  /// Returns the first gain that is found in those hops, beside noise 80 dB below.
  private func run(_ tracker: inout GainTracker, hops: Range<Int>, heard: [Float]) -> Float? {
    var spectrum = BandSpectrum(layout: layout)
    let empty = [Float](repeating: 0, count: bands), noise = [Float](repeating: 1e-8 * Float(layout.hop), count: bands)
    for hop in hops {
      let now = hop * layout.hop..<(hop + 1) * layout.hop
      let residual = now.map { heard[$0] - echo[$0] }
      var (ofEcho, ofResidual, ofHeard) = (empty, empty, empty)
      spectrum.measure(residual, into: &ofResidual, plus: Array(echo[now]), into: &ofEcho, sum: &ofHeard)
      let news = withHop(microphone: ofHeard, echo: ofEcho, residual: ofResidual, noise: noise) {
        tracker.observe($0, hasConverged: true)
      }
      guard case .gainChanged(let gain) = news else { continue }
      tracker.lose(.path)
      return gain
    }
    return nil
  }
}
