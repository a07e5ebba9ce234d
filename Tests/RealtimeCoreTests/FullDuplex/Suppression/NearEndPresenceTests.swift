import Testing

@testable import RealtimeCore

@Suite("Full duplex: near-end presence")
struct NearEndPresenceTests {
  private let layout = FilterLayout(rate: 48_000)

  /// The presence after 0.5 s with these powers of every bin.
  private func presence(error: Float, echo: Float, noise: Float, isGuarded: Bool = false) -> Float {
    run(error: { _ in error }, echo: echo, noise: noise, isGuarded: isGuarded).overall
  }

  /// The overall presence, and that of the bin at 2 kHz, after 0.5 s; then after a further hop with other powers of every bin, if there
  /// are any.
  private func run(
    error: (Int) -> Float, echo: Float, noise: Float, isGuarded: Bool = false, isFarEndSilent: Bool = false,
    next: (error: Float, echo: Float)? = nil
  ) -> (overall: Float, bin: Float, next: Float) {
    let bins = JoinedBins(layout: layout)
    let edges = SuppressorBandEdges(layout: layout, estimated: layout.allBins, bins: bins)
    let bands = edges.bands
    // The bands are the edges' memory.
    defer { withExtendedLifetime(edges) {} }
    var presence = NearEndPresence(layout: layout, bands: bands, bins: bins.count)
    func powers(_ power: (Int) -> Float) -> [Float] {
      (0..<bands.padded).map { $0 < bands.count ? (bands.edges[$0]..<bands.edges[$0 + 1]).map(power).reduce(0, +) : 0 }
    }
    for _ in 0..<layout.hops(0.5) {
      presence.update(
        error: powers(error), echo: powers { _ in echo }, noise: powers { _ in noise }, isGuarded: isGuarded,
        isFarEndSilent: isFarEndSilent)
    }
    let overall = presence.overall, bin = presence.byBin[2_000 * layout.transform / layout.rate]
    if let next {
      presence.update(
        error: powers { _ in next.error }, echo: powers { _ in next.echo }, noise: powers { _ in noise }, isGuarded: false,
        isFarEndSilent: false)
    }
    return (overall, bin, presence.overall)
  }

  @Test("V10: the near end is absent at the expected level of echo and noise, present 15 dB above it")
  func levels() {
    #expect(presence(error: 1e-6, echo: 0, noise: 1e-6) < 0.3)
    #expect(presence(error: 1e-4, echo: 1e-4, noise: 1e-7) < 0.3)
    #expect(presence(error: 3e-5, echo: 0, noise: 1e-6) > 0.9)
    #expect(presence(error: 3e-3, echo: 1e-4, noise: 1e-7) > 0.9)
  }

  @Test("V10: sound in a few bands may be a consonant where no echo can be, and is an echo's rest where one can")
  func fewBands() {
    let consonant = 1_900 * layout.transform / layout.rate...2_100 * layout.transform / layout.rate
    func bin(isFarEndSilent: Bool) -> Float {
      run(error: { consonant.contains($0) ? 1e-3 : 1e-6 }, echo: 0, noise: 1e-6, isFarEndSilent: isFarEndSilent).bin
    }
    let (alone, both) = (bin(isFarEndSilent: true), bin(isFarEndSilent: false))
    #expect(alone > 1.3 * both, "\(alone), \(both) while the far end talks")
  }

  @Test("V10: what noise is taken for while the far end is silent does not let its first syllable through; a near end that talks stays")
  func firstSyllable() {
    // Noise of 2 dB over its mean, before an echo of 30 dB over it.
    let noise = run(error: { _ in 1.6e-6 }, echo: 0, noise: 1e-6, isFarEndSilent: true, next: (error: 1e-4, echo: 1e-3))
    #expect(noise.overall > 0.5 && noise.next < 0.2, "\(noise)")
    let near = run(error: { _ in 1e-4 }, echo: 0, noise: 1e-6, isFarEndSilent: true, next: (error: 1e-4, echo: 1e-3))
    #expect(near.next > 0.9, "\(near)")
  }

  @Test("V10: while guarded, the near-end probability is 0")
  func guarded() { #expect(presence(error: 1, echo: 1e-9, noise: 1e-9, isGuarded: true) == 0) }
}
