import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: residual echo")
struct ResidualEchoTests {
  private let layout = FilterLayout(rate: 48_000)

  /// The power expected in a bin of 1 kHz after a second, in dB over the filter's uncertainty.
  private func expected(
    error: Float, presence: Float, isGuarded: Bool = false, echo estimate: Float = 1e-9, hasConverged: Bool = true,
    pauses: Bool = false
  ) -> Double {
    let bins = JoinedBins(layout: layout), padded = bins.count
    let edges = SuppressorBandEdges(layout: layout, estimated: layout.bins, bins: bins)
    let bands = edges.bands
    // The bands are the edges' memory.
    defer { withExtendedLifetime(edges) {} }
    var residual = ResidualEcho(layout: layout, bands: bands, bins: padded)
    let errors = [Float](repeating: error, count: padded), echo = [Float](repeating: estimate, count: padded)
    let uncertainty = [Float](repeating: 1e-4, count: padded)
    let widths = (0..<bands.count).map { Float(bands.edges[$0 + 1] - bands.edges[$0]) }
    for hop in 0..<layout.hops(1) {
      if pauses, hop == layout.hops(0.9) {
        residual.rest()
        #expect(residual.isAtRest && residual.power[layout.transform / 48] < 1e-10, "no echo is expected in a pause of the far end")
      }
      let errorBands = widths.map { error * $0 }, noiseBands = widths.map { 1e-9 * $0 }
      withPointers([errors, echo, uncertainty, errorBands, noiseBands]) {
        residual.update(
          SuppressorHop(
            bins: SuppressorHop.Bins(error: $0[0], echo: $0[1], uncertainty: $0[2]),
            bands: SuppressorHop.Bands(error: $0[3], noise: $0[4]), repaired: 0, presence: presence, isGuarded: isGuarded,
            canceller: CancellerState(hasConverged: hasConverged)))
      }
    }
    return 10 * log10(Double(residual.power[layout.transform / 48] / 1e-4))
  }

  @Test("V10: while the far end is alone, what is left of its echo tells how far the filter's expectation is off")
  func calibration() {
    // A safety factor of 3 dB is always on top.
    let exact = expected(error: 1e-4, presence: 0), more = expected(error: 4e-4, presence: 0), less = expected(error: 0.25e-4, presence: 0)
    #expect(abs(exact - 3) < 1 && abs(more - 9) < 1.5 && abs(less + 3) < 1.5, "\(less), \(exact), \(more) dB")
  }

  @Test("V10: what was learnt holds after a pause of the far end")
  func pause() {
    let paused = expected(error: 4e-4, presence: 0, pauses: true), without = expected(error: 4e-4, presence: 0)
    #expect(abs(paused - without) < 0.5, "\(paused), \(without) dB")
  }

  @Test("V10: a near end that talks does not count as echo, neither by its presence nor by its level")
  func talker() {
    let silent = expected(error: 1e-4, presence: 0), present = expected(error: 4e-4, presence: 1)
    let loud = expected(error: 1e-1, presence: 0.5)
    // The first factor is 3 dB higher, and one far beyond it rises by 1.2 dB a second at most.
    #expect(present < silent + 3.5 && loud < silent + 4.5, "\(silent), \(present), \(loud) dB")
  }

  @Test("V10: a near end that talks before the filter has converged is not taken for an echo that the filter underestimates")
  func talkerFromTheStart() {
    let converged = expected(error: 5e-4, presence: 0, echo: 3e-4)
    let first = expected(error: 5e-4, presence: 0, echo: 3e-4, hasConverged: false)
    // At most the expectation itself counts, with the safety factor.
    #expect(converged > 9 && first < 3.5, "\(converged), \(first) dB")
  }

  @Test("V10: while guarded, at least twice the expectation counts as echo, with the safety factor")
  func guarded() {
    #expect(expected(error: 0.1e-4, presence: 0, isGuarded: true) > 5.5)
  }
}
