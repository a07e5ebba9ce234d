import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: bands")
struct BandSpectrumTests {
  private let layout = FilterLayout(rate: 48_000)

  @Test("V10: a tone's energy is in the band of its bin of the filter, and the bands cover all bins", arguments: [1_500, 3_000, 9_000])
  func tone(hertz: Int) {
    var spectrum = BandSpectrum(layout: layout)
    let tone = (0..<layout.hop).map { sin(2 * .pi * Float(hertz) * Float($0) / Float(layout.rate)) }
    var energies = [Float](repeating: 0, count: spectrum.count)
    spectrum.measure(tone, into: &energies)
    let bins = (0..<spectrum.count).map { spectrum.filterBins(of: $0, bins: layout.bins) }
    #expect(bins.first?.first == 0 && bins.last?.end == layout.bins && zip(bins, bins.dropFirst()).allSatisfy { $0.end == $1.first })
    let own = bins.indices.filter { (bins[$0].first..<bins[$0].end).contains(hertz * layout.transform / layout.rate) }
    #expect(own.count == 1)
    // A neighbour may share a tone at its edge.
    let near = energies[max(own[0] - 1, 0)...min(own[0] + 1, energies.count - 1)].reduce(0, +)
    #expect(near > 0.99 * energies.reduce(0, +), "\(energies)")
    #expect(energies[own[0]] == energies.max())
  }

  @Test("V10: the energies of a sum are those of the summed samples")
  func sum() {
    var spectrum = BandSpectrum(layout: layout)
    let one = Array(Noise.white(frames: layout.hop, seed: 3)), other = Array(Noise.white(frames: layout.hop, seed: 5))
    let nothing = [Float](repeating: 0, count: spectrum.count)
    var first = nothing, second = nothing, both = nothing, direct = nothing
    spectrum.measure(one, into: &first, plus: other, into: &second, sum: &both)
    spectrum.measure(zip(one, other).map { $0 + $1 }, into: &direct)
    for (sum, wanted) in zip(both, direct) { #expect(abs(sum - wanted) < 1e-3 * wanted) }
    spectrum.measure(other, into: &direct)
    #expect(second == direct)
  }
}
