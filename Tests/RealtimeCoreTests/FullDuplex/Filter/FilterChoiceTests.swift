import Testing

@testable import RealtimeCore

@Suite("Full duplex: which filter is heard")
struct FilterChoiceTests {
  private let layout = FilterLayout(rate: 48_000)

  /// Runs the choice for hops with these residual powers; the residuals are 1 (careful) and 0 (fast). Returns the residual heard in each
  /// hop, nil for the careful filter's.
  private func heard(_ powers: [(careful: Float, fast: Float, hops: Int)]) -> [[Float]?] {
    var choice = FilterChoice(layout: layout, bands: 3)
    let ones = [Float](repeating: 1, count: layout.hop), zeros = [Float](repeating: 0, count: layout.hop)
    var hops: [[Float]?] = []
    for power in powers {
      for _ in 0..<power.hops {
        ones.withUnsafeBufferPointer { ones in
          zeros.withUnsafeBufferPointer { zeros in
            choice.choose(
              fast: (ones.baseAddress!, zeros.baseAddress!), careful: (zeros.baseAddress!, ones.baseAddress!),
              fastBands: [Float](repeating: power.fast, count: 3), carefulBands: [Float](repeating: power.careful, count: 3))
          }
        }
        guard choice.isFast else {
          hops.append(nil)
          continue
        }
        let residual = UnsafeBufferPointer(start: choice.residual, count: layout.hop)
        for i in 0..<layout.hop { #expect(abs(choice.echo[i] + residual[i] - 1) < 1e-6) }
        hops.append(Array(residual))
      }
    }
    return hops
  }

  @Test("V10: the careful filter is heard where both leave the same, and where the fast one leaves little less")
  func alike() { #expect(heard([(1, 1, 50), (1, 0.6, 50)]).allSatisfy { $0 == nil }) }

  @Test("V10: where the fast filter leaves a fifth, it is heard within 50 ms, and without a click")
  func better() throws {
    let hops = heard([(1, 1, 50), (1, 0.2, 50)])[50...]
    let first = try #require(hops.firstIndex { $0 != nil })
    #expect(first - 50 < layout.hops(0.05))
    let samples = hops[first...].flatMap { $0 ?? [.nan] }
    for (one, next) in zip([1] + samples, samples) { #expect(abs(next - one) < 0.01) }
    #expect(samples.last == 0)
  }

  @Test("V10: the fast filter is no longer heard once both residuals are equal")
  func again() throws {
    let hops = heard([(1, 0.2, 50), (1, 1, 50)])
    #expect(hops[49]?.last == 0)
    let first = try #require(hops[50...].firstIndex { $0 == nil })
    #expect(first - 50 < layout.hops(0.05))
    #expect(try #require(hops[first - 1]?.last) > 0.99)
  }
}
