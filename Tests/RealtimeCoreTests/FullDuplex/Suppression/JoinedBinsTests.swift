import Testing

@testable import RealtimeCore

@Suite("Full duplex: joined bins")
struct JoinedBinsTests {
  @Test(
    "V10: up to 8 kHz each bin is one, above four are, at every rate",
    arguments: [16_000, 20_000, 24_000, 32_000, 38_000, 44_100, 48_000, 96_000, 192_000])
  func places(rate: Int) {
    let layout = FilterLayout(rate: rate), bins = JoinedBins(layout: layout)
    let first = Int((8_000 / layout.binWidth).rounded(.up)), last = layout.allBins - 1
    #expect(bins.place(of: min(first, last)) == min(first, last))
    #expect(bins.count <= layout.allBins + 31 && bins.covered >= layout.allBins)
    #expect(bins.place(of: last) < bins.count)
    // Sums by band read eight values from their end on.
    #expect(bins.place(of: min(layout.bins + 1, layout.allBins)) + 8 <= bins.count)
    if rate >= 48_000 { #expect(bins.count < layout.allBins * 11 / 20) }
  }

  @Test("V10: a joined bin has the mean power of its four, and sums count all")
  func powers() {
    let layout = FilterLayout(rate: 48_000), bins = JoinedBins(layout: layout)
    let powers = (0..<bins.covered).map { $0 < layout.allBins ? Float($0 % 7) : 0 }
    var joined = [Float](repeating: -1, count: bins.count)
    bins.join(powers, into: &joined)
    #expect(joined[..<bins.single] == powers[..<bins.single])
    for k in bins.single..<bins.count {
      let first = bins.single + JoinedBins.width * (k - bins.single)
      #expect(joined[k] == powers[first..<first + 4].reduce(0, +) / 4)
    }
    #expect(abs(bins.sum(joined) - powers.reduce(0, +)) < 0.01)
    let halves = [Float](repeating: 0.5, count: bins.count)
    #expect(abs(bins.sum(joined, gains: halves) - powers.reduce(0, +) / 4) < 0.01)
  }
}
