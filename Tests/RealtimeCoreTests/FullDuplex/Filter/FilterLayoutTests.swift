import Testing

@testable import RealtimeCore

@Suite("Full duplex: sizes")
struct FilterLayoutTests {
  @Test(
    "V9, V10: at every rate a hop takes 4 to 6 ms, the filter reaches a quarter of a second and looks for echoes up to half a second later",
    arguments: [16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000])
  func sizes(rate: Int) {
    let layout = FilterLayout(rate: rate)
    let hopSeconds = Double(layout.hop) / Double(rate)
    #expect(hopSeconds >= 0.0029 && hopSeconds <= 0.006)
    #expect(layout.hop & (layout.hop - 1) == 0)
    #expect(Double(layout.partitions * layout.partitionHops) * hopSeconds > 0.25)
    #expect(Double(layout.reach * layout.partitionHops) * hopSeconds > 0.6)
    #expect(layout.speechBins <= layout.bins && layout.bins < layout.allBins)
    #expect(layout.bins % 8 == 0 && layout.speechBins % 8 == 0)
  }
}
