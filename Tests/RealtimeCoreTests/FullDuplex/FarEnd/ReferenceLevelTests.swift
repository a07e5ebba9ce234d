import Testing

@testable import RealtimeCore

@Suite("Full duplex: level of the reference")
struct ReferenceLevelTests {
  /// The gain after 3 s of words of 0.3 s and pauses as long, at that level, and how often it has changed.
  private func gain(level: Float) -> (gain: Float, changes: Int) {
    let layout = FilterLayout(rate: 48_000)
    var measured = ReferenceLevel(layout: layout), changes = 0
    for hop in 0..<layout.hops(3) {
      let talks = hop / layout.hops(0.3) % 2 == 0
      if measured.update(talks ? level * level : 1e-9) != nil { changes += 1 }
    }
    return (measured.gain, changes)
  }

  @Test("V10: a far end within 8 dB of the usual level is not scaled", arguments: [0.025, 0.05, 0.1] as [Float])
  func usual(level: Float) {
    let found = gain(level: level)
    #expect(found.gain == 1)
    #expect(found.changes == 0)
  }

  @Test(
    "V10: a far end of unusual level is scaled to the usual one at once, by 1/16 to 64",
    arguments: [(0.005, 10), (0.3, 1.0 / 6), (5e-4, 64)] as [(Float, Float)])
  func other(level: Float, wanted: Float) {
    let found = gain(level: level)
    #expect(abs(found.gain / wanted - 1) < 0.01)
    #expect(found.changes == 1)
  }
}
