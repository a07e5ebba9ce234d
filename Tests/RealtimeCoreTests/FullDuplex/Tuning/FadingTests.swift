import Testing

@testable import RealtimeCore

@Suite("Fading")
struct FadingTests {
  private static let standard = Tuning.standard

  /// What was left after so many hops of 256 frames at 48 kHz, when the canceller was tuned.
  private static let left: [(fading: Fading, hops: Int, factor: Float)] = [
    (standard.pathSelector.memory, 1, 0.95), (standard.filterMix.memory, 1, 0.98), (standard.estimateShare.memory, 1, 0.9),
    (standard.kalmanFilter.power, 1, 0.8), (standard.fastFilter.noise, 1, 0.7), (standard.carefulFilter.noise, 2, 0.3),
    (standard.fastFilter.peak, 1, 0.9999), (standard.carefulFilter.peak, 2, 0.9998), (standard.fastFilter.path, 1, 1 - 2e-3),
    (standard.carefulFilter.path, 2, 1 - 8e-5), (standard.carefulFilter.reference, 2, 0.995), (standard.carefulFilter.misfit, 2, 0.5),
    (standard.delayScout.memory, 2, 0.95), (standard.delayScout.evidence, 2, 0.97), (standard.pathChangeDetector.longMemory, 1, 0.96),
    (standard.pathChangeDetector.noiseRise, 1, 1 / 1.002), (standard.nearEndPresence.attackEcho, 1, 0.4),
    (standard.nearEndPresence.attackNoise, 1, 0.1), (standard.residualEcho.tail, 1, 0.85), (standard.suppressor.clean, 1, 0.88),
    (standard.nearEndEvidence.level, 1, 0.97), (standard.loudspeakerTerms.memory, 1, 0.995),
  ]

  @Test("V10: seconds give the factors that everything was tuned with", arguments: left.indices)
  func factors(index: Int) {
    let (fading, hops, factor) = Self.left[index]
    #expect(fading.left(afterHops: hops) == factor)
    #expect(FilterLayout(rate: 48_000).perHop(fading, every: hops) == factor)
  }

  @Test("V10: steps are those that everything was tuned with")
  func steps() {
    let layout = FilterLayout(rate: 48_000), tuning = Tuning.standard.residualEcho
    #expect([tuning.rise, tuning.fall, tuning.creep, tuning.pull].map(layout.step) == [0.45, 0.045, 0.0015, 0.02])
    #expect(layout.step(0.000_2) == 1, "what is changed for a trial does not go beyond what it approaches")
  }

  @Test("V10: after as many seconds as much is left at every rate", arguments: [16_000, 44_100, 48_000, 96_000, 192_000])
  func rates(rate: Int) {
    let layout = FilterLayout(rate: rate), fading: Fading = 0.2
    var left: Float = 1
    for _ in 0..<layout.hops(0.2) { left *= layout.perHop(fading) }
    #expect(abs(left - 0.3679) < 0.01)
  }
}
