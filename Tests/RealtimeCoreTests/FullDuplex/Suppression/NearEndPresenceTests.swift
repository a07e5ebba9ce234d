import Testing

@testable import RealtimeCore

@Suite("Full duplex: near-end presence")
struct NearEndPresenceTests {
  private let layout = FilterLayout(rate: 48_000)

  /// The presence after 0.5 s with these powers in every bin.
  private func presence(error: Float, echo: Float, noise: Float, isGuarded: Bool = false) -> Float {
    let bins = layout.window / 2 + 1
    var presence = NearEndPresence(
      layout: layout, bands: SuppressorBands(bins: bins, estimated: bins, binWidth: Float(layout.rate) / Float(layout.window)), bins: bins)
    func powers(_ power: Float) -> [Float] { [Float](repeating: power, count: bins) }
    for _ in 0..<layout.hops(0.5) {
      presence.update(error: powers(error), echo: powers(echo), noise: powers(noise), isGuarded: isGuarded)
    }
    return presence.overall
  }

  @Test("V10: the near end is absent at the expected level of echo and noise, present 15 dB above it")
  func levels() {
    #expect(presence(error: 1e-6, echo: 0, noise: 1e-6) < 0.3)
    #expect(presence(error: 1e-4, echo: 1e-4, noise: 1e-7) < 0.3)
    #expect(presence(error: 3e-5, echo: 0, noise: 1e-6) > 0.9)
    #expect(presence(error: 3e-3, echo: 1e-4, noise: 1e-7) > 0.9)
  }

  @Test("V10: while guarded, the near-end probability is 0")
  func guarded() { #expect(presence(error: 1, echo: 1e-9, noise: 1e-9, isGuarded: true) == 0) }
}
