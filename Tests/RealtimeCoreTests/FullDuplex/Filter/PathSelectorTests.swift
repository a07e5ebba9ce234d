import Testing

@testable import RealtimeCore

@Suite("Full duplex: path selector")
struct PathSelectorTests {
  private static let layout = FilterLayout(rate: 48_000)

  @Test("V10: a band's weights go from the filter that leaves clearly less echo to the other one, in that band alone")
  func exchange() {
    let layout = Self.layout, transform = FourierTransform(length: layout.transform)
    var fast = KalmanFilter(layout: layout, role: .fast, transform: transform)
    var careful = KalmanFilter(layout: layout, role: .careful, transform: transform)
    learn(&fast, &careful, transform)
    let spectrum = BandSpectrum(layout: layout), bands = spectrum.count
    var selector = PathSelector(layout: layout, spectrum: spectrum)
    // Distinguishable weights.
    fast.scale(by: 3)
    let better = 5, worse = 8
    var fastErrors = [Float](repeating: 1, count: bands), carefulErrors = fastErrors
    fastErrors[better] = 0.1
    carefulErrors[worse] = 0.5
    let before = (fast: real(fast), careful: real(careful))
    for _ in 0..<100 { select(&selector, &fast, &careful, fastErrors: fastErrors, carefulErrors: carefulErrors) }
    let adopted = spectrum.filterBins(of: better, bins: layout.bins), replaced = spectrum.filterBins(of: worse, bins: layout.bins)
    let after = (fast: real(fast), careful: real(careful))
    for k in 0..<layout.speechBins {
      let isAdopted = (adopted.first..<adopted.end).contains(k), isReplaced = (replaced.first..<replaced.end).contains(k)
      let (wantedCareful, wantedFast) = (isAdopted ? before.fast[k] : before.careful[k], isReplaced ? before.careful[k] : before.fast[k])
      let tolerance = isAdopted ? 0.02 * abs(before.fast[k] - before.careful[k]) : 0
      #expect(abs(after.careful[k] - wantedCareful) <= tolerance, "careful, bin \(k)")
      #expect(after.fast[k] == wantedFast, "fast, bin \(k)")
    }
  }

  @Test("V10: errors that hardly differ make filters that hardly differ", arguments: [Float(0.2), 0.3, 0.38, 0.4, 0.42, 0.5, 0.6])
  func gradual(ratio: Float) {
    let (less, more) = (adopted(ratio: 0.98 * ratio), adopted(ratio: 1.02 * ratio))
    #expect(abs(less - more) < 0.2, "adopted: \(less) where the fast filter leaves \(0.98 * ratio), \(more) where \(1.02 * ratio)")
  }

  /// Returns how far the careful filter comes towards the fast one in the band in which that leaves this share, in half a second, 0…1.
  private func adopted(ratio: Float) -> Float {
    let layout = Self.layout, transform = FourierTransform(length: layout.transform)
    var fast = KalmanFilter(layout: layout, role: .fast, transform: transform)
    var careful = KalmanFilter(layout: layout, role: .careful, transform: transform)
    learn(&fast, &careful, transform)
    let spectrum = BandSpectrum(layout: layout), bands = spectrum.count, band = 5
    var selector = PathSelector(layout: layout, spectrum: spectrum)
    fast.scale(by: 3)
    let (wanted, before) = (real(fast), real(careful))
    let k = spectrum.filterBins(of: band, bins: layout.bins).first
    for _ in 0..<layout.hops(0.5) {
      // Its own error falls as it comes nearer.
      let left = (real(careful)[k] - wanted[k]) / (before[k] - wanted[k])
      var fastErrors = [Float](repeating: 1, count: bands), carefulErrors = fastErrors
      fastErrors[band] = ratio
      carefulErrors[band] = ratio + (1 - ratio) * left * left
      select(&selector, &fast, &careful, fastErrors: fastErrors, carefulErrors: carefulErrors)
    }
    return (real(careful)[k] - before[k]) / (wanted[k] - before[k])
  }

  private func select(
    _ selector: inout PathSelector, _ fast: inout KalmanFilter, _ careful: inout KalmanFilter, fastErrors: [Float], carefulErrors: [Float]
  ) {
    withHop(microphone: fastErrors, residual: carefulErrors, fastResidual: fastErrors) { selector.select(&fast, &careful, $0) }
  }

  private func real(_ filter: borrowing KalmanFilter) -> [Float] {
    let row = filter.row(0)
    return (0..<Self.layout.speechBins).map { row[$0] }
  }

  /// Lets both filters learn a path for half a second.
  private func learn(_ fast: inout KalmanFilter, _ careful: inout KalmanFilter, _ transform: borrowing FourierTransform) {
    let layout = Self.layout, far = Noise.white(frames: layout.rate / 2, seed: 3)
    var reference = ReferenceSpectra(layout: layout, transform: transform)
    let echo = far.indices.map { $0 < 50 ? 0 : 0.5 * far[$0 - 50] }
    for start in stride(from: layout.window, to: far.count - layout.hop, by: layout.hop) {
      reference.feed(far, from: start, hop: layout.hop)
      careful.step(reference, heard: echo, from: start)
      fast.step(reference, heard: echo, from: start, beyond: careful)
    }
  }
}
