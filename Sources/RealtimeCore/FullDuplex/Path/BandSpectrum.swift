internal import CKernels
internal import CRealtime

/// Measures the energy of a signal's newest hop in bands that widen with frequency, by a Hann window and a transform of twice its length.
/// Own bands. Cost: one transform of two hops a signal. [realtime] except `init` and `deinit`.
struct BandSpectrum: ~Copyable {
  /// First bin of each band in this transform, and the end of the last band.
  private let edges: Buffer<Int>
  let count: Int
  private let hop: Int
  private let transform: FourierTransform
  private let window: Samples
  private let spectrum, otherSpectrum: Spectrum
  private let power: Samples

  init(layout: FilterLayout) {
    hop = layout.hop
    transform = FourierTransform(length: 2 * layout.hop)
    // Some 22 bands, evenly spaced on a logarithmic scale from bin 2 to 11 kHz; the first extends down to 0, the last up to half the rate.
    var edges: [Int] = []
    let last = Float(layout.speechBins / 4)
    for i in 0..<24 {
      let edge = Int((2 * rt_powf(last / 2, Float(i) / 23)).rounded())
      if edges.last != edge { edges.append(edge) }
    }
    edges[0] = 0
    edges[edges.count - 1] = layout.hop + 1
    count = edges.count - 1
    self.edges = Buffer(edges)
    window = Samples(layout.hop)
    for i in 0..<layout.hop { window[i] = 0.5 - 0.5 * rt_cosf(2 * .pi * Float(i + 1) / Float(layout.hop + 1)) }
    spectrum = Spectrum(layout.hop + 1)
    otherSpectrum = Spectrum(layout.hop + 1)
    // Sums read up to eight values beyond a band.
    power = Samples(layout.hop + 9)
  }

  /// Measures one hop of samples. `energies` has `count` entries.
  @_noLocks @_noAllocation
  mutating func measure(_ samples: UnsafePointer<Float>, into energies: UnsafeMutablePointer<Float>) {
    measure(samples, spectrum.parts, into: energies)
  }

  /// Measures one hop of two signals and of their sum, whose spectrum is the sum of theirs.
  @_noLocks @_noAllocation
  mutating func measure(
    _ samples: UnsafePointer<Float>, into energies: UnsafeMutablePointer<Float>, plus others: UnsafePointer<Float>,
    into otherEnergies: UnsafeMutablePointer<Float>, sum sumEnergies: UnsafeMutablePointer<Float>
  ) {
    measure(samples, spectrum.parts, into: energies)
    measure(others, otherSpectrum.parts, into: otherEnergies)
    for k in stride(from: 0, to: hop + 1, by: 8) {
      let re = load8(spectrum.re + k) + load8(otherSpectrum.re + k), im = load8(spectrum.im + k) + load8(otherSpectrum.im + k)
      store8(re * re + im * im, to: power + k)
    }
    nearend_band_sums(power.start, edges.start, count, sumEnergies)
  }

  // Never inlined, so that profiles tell this stage apart.
  @inline(never) @_noLocks @_noAllocation
  private func measure(_ samples: UnsafePointer<Float>, _ spectrum: SplitSpectrum, into energies: UnsafeMutablePointer<Float>) {
    transform.analyze(samples, window: window.start, count: hop, into: spectrum, power: power.start)
    nearend_band_sums(power.start, edges.start, count, energies)
  }

  /// Returns the bins of the adaptive filter's transform, four times as long, that belong to a band; at most `bins`.
  @_noLocks @_noAllocation
  func filterBins(of band: Int, bins: Int) -> (first: Int, end: Int) {
    (min(4 * edges.start[band], bins), band + 1 == count ? bins : min(4 * edges.start[band + 1], bins))
  }
}
