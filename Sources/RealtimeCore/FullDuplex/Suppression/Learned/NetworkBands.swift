internal import CKernels
internal import CRealtime

/// The bands in which the network hears and decides: 40 overlapping triangles, 77 Hz apart up to 924 Hz and a twelfth of their frequency
/// above, up to 8 kHz. Their centres are the same at every rate. Own bands. Cost: 3 operations a bin and sum. [realtime] except `init` and
/// `deinit`.
struct NetworkBands: ~Copyable {
  static var count: Int {
    @_noLocks @_noAllocation get { 40 }
  }
  /// Bins from 0 on that belong to bands.
  let bins: Int

  /// Bins from one centre to the next: first bin above each centre, and the end.
  private let edges: Buffer<Int>
  /// By bin, its place between the centre below, 0, and the one above, 1.
  private let places: Samples
  private let products, sums, upper: Samples

  /// A band's centre in Hz.
  static func centre(_ band: Int) -> Float {
    band <= 12 ? 77 * Float(band) : 924 * rt_powf(13 / 12, Float(band - 12))
  }

  /// - Parameters:
  ///   - bins: bins of the transform.
  ///   - binWidth: distance of two bins in Hz.
  init(bins: Int, binWidth: Float) {
    let count = Self.count, bins = min(bins, Int(8000 / binWidth) + 1)
    // In arrays first: Swift 6.0 crashes where an initializer reads a buffer of its own.
    let edges = (0..<count).map { min(Int((Self.centre($0) / binWidth).rounded(.up)), bins) } + [bins]
    // Sums read up to eight values beyond a band.
    var places = [Float](repeating: 0, count: bins + 16)
    for band in 0..<count - 1 {
      let below = Self.centre(band), above = Self.centre(band + 1)
      for k in edges[band]..<edges[band + 1] { places[k] = (Float(k) * binWidth - below) / (above - below) }
    }
    self.bins = bins
    self.edges = Buffer(edges)
    self.places = Buffer(places)
    products = Samples(bins + 16)
    sums = Samples(count + 8)
    upper = Samples(count + 8)
  }

  /// Sums powers by bin into powers by band. Eight values from any bin of the bands on must be readable.
  @_noLocks @_noAllocation
  func sum(_ powers: UnsafePointer<Float>, into bands: UnsafeMutablePointer<Float>) {
    for k in stride(from: 0, to: bins, by: 8) { store8(load8(powers + k) * load8(places + k), to: products + k) }
    nearend_band_sums(powers, edges.start, Self.count, sums.start)
    nearend_band_sums(products.start, edges.start, Self.count, upper.start)
    bands[0] = max(sums[0] - upper[0], 0)
    for band in 1..<Self.count { bands[band] = max(sums[band] - upper[band] + upper[band - 1], 0) }
  }

  /// Interpolates values by band to `bins` values by bin.
  @_noLocks @_noAllocation
  func interpolate(_ bands: UnsafePointer<Float>, into values: UnsafeMutablePointer<Float>) {
    for band in 0..<Self.count {
      let below = bands[band], step = band + 1 < Self.count ? bands[band + 1] - below : 0
      for k in edges.start[band]..<edges.start[band + 1] { values[k] = below + step * places[k] }
    }
  }
}
