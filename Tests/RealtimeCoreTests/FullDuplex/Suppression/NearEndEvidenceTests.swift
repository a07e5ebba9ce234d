import Testing

@testable import RealtimeCore

@Suite("Full duplex: evidence of a near end before the filter has converged")
struct NearEndEvidenceTests {
  private let layout = FilterLayout(rate: 48_000)

  /// Whether half a second of these powers in each bin proves a near end.
  private func isProven(error: Float, echo: Float, expected: Float, noise: Float = 1e-9) -> Bool {
    let bins = JoinedBins(layout: layout)
    let edges = SuppressorBandEdges(layout: layout, estimated: layout.bins, bins: bins)
    let bands = edges.bands
    // The bands are the edges' memory.
    defer { withExtendedLifetime(edges) {} }
    var evidence = NearEndEvidence(layout: layout, bands: bands)
    let estimate = [Float](repeating: echo, count: bins.count)
    let widths = (0..<bands.count).map { Float(bands.edges[$0 + 1] - bands.edges[$0]) }
    for _ in 0..<layout.hops(0.5) {
      evidence.update(
        echo: estimate, error: widths.map { error * $0 }, expected: widths.map { expected * $0 }, noise: widths.map { noise * $0 })
    }
    return evidence.isProven
  }

  @Test("V10: a near end is proven where more is left than the filter estimates, and than twice what it expects to be left")
  func talker() {
    #expect(isProven(error: 4e-4, echo: 2e-4, expected: 1e-4))
  }

  @Test("V10: an echo that is underestimated, expected, yet to be learnt, or beside noise proves no near end")
  func echoAlone() {
    #expect(!isProven(error: 4e-4, echo: 8e-4, expected: 1e-4), "underestimated")
    #expect(!isProven(error: 4e-4, echo: 2e-4, expected: 3e-4), "expected")
    #expect(!isProven(error: 4e-4, echo: 0.5e-4, expected: 1e-4), "yet to be learnt")
    #expect(!isProven(error: 4e-4, echo: 2e-4, expected: 1e-4, noise: 3e-4), "beside noise")
  }
}
