import Testing

@testable import RealtimeCore

@Suite("Full duplex: bands of the network")
struct NetworkBandsTests {
  private static let rates = [16_000, 20_000, 21_600, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000]

  private func bins(_ rate: Int) -> (bins: Int, width: Float) {
    let layout = FilterLayout(rate: rate)
    return (layout.allBins, layout.binWidth)
  }

  @Test("V14: powers by band add up to the power below 8 kHz, at every rate", arguments: rates)
  func sum(rate: Int) {
    let (bins, width) = bins(rate), bands = NetworkBands(bins: bins, binWidth: width)
    let powers = (0..<bins + 16).map { $0 < bins ? 1 + Float($0 % 7) : 1e9 }
    var sums = [Float](repeating: 0, count: NetworkBands.count)
    bands.sum(powers, into: &sums)
    let expected = powers[0..<bands.bins].reduce(0, +)
    #expect(abs(sums.reduce(0, +) - expected) < 1e-4 * expected)
    #expect(sums.allSatisfy { $0 >= 0 })
  }

  @Test("V14: a tone lies in the bands around it, the same at every rate", arguments: rates)
  func tone(rate: Int) {
    let (bins, width) = bins(rate), bands = NetworkBands(bins: bins, binWidth: width)
    for frequency: Float in [300, 1_000, 3_100, 7_000] {
      var powers = [Float](repeating: 0, count: bins + 16), sums = [Float](repeating: 0, count: NetworkBands.count)
      powers[Int((frequency / width).rounded())] = 1
      bands.sum(powers, into: &sums)
      let loudest = sums.indices.max { sums[$0] < sums[$1] }!
      #expect(abs(NetworkBands.centre(loudest) - frequency) < 80 + 0.05 * frequency, "\(frequency) Hz: band \(loudest)")
    }
  }

  @Test("V14: values by band are interpolated between the bands' centres", arguments: rates)
  func interpolate(rate: Int) {
    let (bins, width) = bins(rate), bands = NetworkBands(bins: bins, binWidth: width)
    var values = [Float](repeating: -1, count: bins)
    bands.interpolate((0..<NetworkBands.count).map(NetworkBands.centre), into: &values)
    for k in 0..<bands.bins { #expect(abs(values[k] - min(Float(k) * width, NetworkBands.centre(39))) < 0.5, "bin \(k)") }
  }
}
