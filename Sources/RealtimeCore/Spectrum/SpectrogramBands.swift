import Foundation

/// Divides a signal's spectrum into bands of equal width on the mel scale, as a spectrogram shows it. [one thread]
///
/// O'Shaughnessy, Speech Communication (1987): mel(f) = 2595 log₁₀(1 + f / 700 Hz).
package final class SpectrogramBands {
  /// The upper end of the last band in Hz. Bands above half of a signal's rate are silent.
  package static let highest = 20_000.0

  private let count: Int
  private let transform: FourierTransform
  private let shape: [Float]
  private let spectrum: Spectrum
  /// |X|² by bin.
  private let binPowers: Samples
  /// The largest of `binPowers` in each band so far.
  private let powers: Samples
  /// The first bin of each band, and the end of the last.
  private let edges: [Int]

  /// - Parameters:
  ///   - rate: of the signal in Hz.
  ///   - count: the number of bands, 1 or more.
  package init(rate: Int, count: Int) {
    self.count = count
    let length = SpectrumWindow.length(rate: rate)
    transform = FourierTransform(length: length)
    shape = (0..<length).map { Float(0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(length))) }
    let bins = length / 2 + 1
    spectrum = Spectrum(bins)
    binPowers = Samples(bins)
    powers = Samples(count)
    edges = (0...count).map { min(bins, Int((Self.frequency(ofEdge: $0, of: count) * Double(length) / Double(rate)).rounded())) }
  }

  /// The lower edge of band `edge`, in Hz; of `count`, the upper edge of the last one.
  static func frequency(ofEdge edge: Int, of count: Int) -> Double {
    let mel = 2_595 * log10(1 + highest / 700) * Double(edge) / Double(count)
    return 700 * (pow(10, mel / 2_595) - 1)
  }

  /// Returns the level of the strongest bin of each band in dBFS, where a full-scale sine has 0; −120 for silence. Takes the larger of two
  /// windows, one at the end of `signal` and one in its middle; −120 for a signal shorter than a window.
  package func levels(of signal: [Float]) -> [Double] {
    let last = signal.count - transform.length
    return levels(of: signal, windows: last < 0 ? [] : [last, last / 2])
  }

  /// Returns the same of the largest of some windows of `SpectrumWindow.length` samples, one after the other; −120 without one.
  package func levels(ofWindows windows: [Float]) -> [Double] {
    levels(of: windows, windows: stride(from: 0, through: windows.count - transform.length, by: transform.length))
  }

  private func levels(of signal: [Float], windows: some Sequence<Int>) -> [Double] {
    powers.start.update(repeating: 0, count: count)
    for start in windows { measure(signal, from: start) }
    let length = Float(transform.length)
    // A sine of amplitude 1 has length / 4 in its bin, with this window.
    let full = length * length / 16
    return (0..<count).map { max(-120, 10 * log10(Double(powers[$0] / full) + 1e-13)) }
  }

  /// Raises `powers` to those of the window at `start`.
  private func measure(_ signal: [Float], from start: Int) {
    signal.withUnsafeBufferPointer { signal in
      guard let first = signal.baseAddress else { return }
      transform.analyze(first + start, window: shape, count: transform.length, into: spectrum.parts, power: binPowers.start)
    }
    for band in 0..<count where edges[band] < transform.bins {
      var most = powers[band]
      // A band narrower than a bin shows the bin that contains it.
      for bin in edges[band]..<max(edges[band] + 1, edges[band + 1]) { most = max(most, binPowers[bin]) }
      powers[band] = most
    }
  }
}
