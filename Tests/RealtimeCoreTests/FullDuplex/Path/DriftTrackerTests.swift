import Testing

@testable import RealtimeCore

@Suite("Full duplex: drift tracker")
struct DriftTrackerTests {
  @Test(
    "V10, V11: a quarter of the clocks' drift is told at first, by its sign, at any rate; without a drift, none",
    arguments: [(16_000, 1e-4), (16_000, -2e-4), (16_000, 0), (96_000, 2e-4), (96_000, -2e-4)])
  func rate(rate: Int, drift: Double) {
    let layout = FilterLayout(rate: rate), transform = FourierTransform(length: layout.transform)
    var reference = ReferenceSpectra(layout: layout, transform: transform)
    var careful = KalmanFilter(layout: layout, role: .careful, transform: transform)
    var fast = KalmanFilter(layout: layout, role: .fast, transform: transform)
    var tracker = DriftTracker(layout: layout)
    let frames = 4 * layout.rate, played = DriftingSignal.smooth(Noise.white(frames: frames, seed: 3))
    let late = DriftingSignal.resampled(played, by: -drift)
    let heard = late.indices.map { $0 < 80 ? 0 : 0.5 * late[$0 - 80] }
    var told: [Double] = []
    for start in stride(from: layout.window, to: frames - layout.hop, by: layout.hop) {
      reference.feed(played, from: start, hop: layout.hop)
      careful.step(reference, heard: heard, from: start)
      fast.step(reference, heard: heard, from: start, beyond: careful)
      if case .drift(let rate) = tracker.observe(fast, rate: 0, at: start / layout.hop), start > 2 * layout.rate { told.append(rate) }
    }
    let mean = told.reduce(0, +) / Double(max(told.count, 1))
    if drift == 0 {
      #expect(abs(mean) < 3e-6, "\(told)")
    } else {
      #expect(!told.isEmpty && (0.1...0.4).contains(mean / drift), "\(told)")
    }
  }
}
