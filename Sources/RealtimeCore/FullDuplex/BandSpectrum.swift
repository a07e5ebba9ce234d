internal import CRealtime

/// Measures the energy of a signal's newest hop in bands that widen with frequency, by a Hann window and a transform of twice its length.
/// Own bands. Cost: one transform of two hops a call. [realtime] except `init` and `deinit`.
struct BandSpectrum: ~Copyable {
  /// First bin of each band in this transform, and the end of the last band.
  private let edges: UnsafeMutablePointer<Int>
  let count: Int
  private let hop: Int
  private let transform: FourierTransform
  private let window: UnsafeMutablePointer<Float>
  private let windowed: UnsafeMutablePointer<Float>
  private let spectrum: SplitSpectrum

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
    self.edges = .allocate(capacity: edges.count)
    self.edges.initialize(from: edges, count: edges.count)
    window = .silence(layout.hop)
    for i in 0..<layout.hop { window[i] = 0.5 - 0.5 * rt_cosf(2 * .pi * Float(i + 1) / Float(layout.hop + 1)) }
    windowed = .silence(2 * layout.hop)
    spectrum = .silence(layout.hop + 1)
  }

  deinit {
    edges.deallocate()
    window.deallocate()
    windowed.deallocate()
    spectrum.deallocate()
  }

  /// Measures one hop of samples. `energies` has `count` entries.
  @_noLocks @_noAllocation
  mutating func measure(_ samples: UnsafePointer<Float>, into energies: UnsafeMutablePointer<Float>) {
    for i in stride(from: 0, to: hop, by: 8) { store8(load8(samples + i) * load8(window + i), to: windowed + i) }
    transform.forward(windowed, into: spectrum)
    for band in 0..<count {
      var sum: Float = 0
      for k in edges[band]..<edges[band + 1] { sum += spectrum.power(k) }
      energies[band] = sum
    }
  }

  /// Returns the bins of the adaptive filter's transform, four times as long, that belong to a band; at most `bins`.
  @_noLocks @_noAllocation
  func filterBins(of band: Int, bins: Int) -> (first: Int, end: Int) {
    (min(4 * edges[band], bins), band + 1 == count ? bins : min(4 * edges[band + 1], bins))
  }
}
