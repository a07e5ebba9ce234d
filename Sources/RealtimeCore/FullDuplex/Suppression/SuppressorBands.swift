internal import CKernels
internal import CRealtime

/// The bands in which the suppressor decides: some 20 up to half the rate, of equal width on a logarithmic scale, without those that begin
/// where no echo is estimated. Shared by the suppressor's stages, as views of one `SuppressorBandEdges`. Own bands. Delay: none. Cost: an
/// addition a bin and sum. [realtime]
struct SuppressorBands {
  let count: Int
  /// `count`, rounded up to whole vectors of the kernels: the length of arrays by band.
  var padded: Int {
    @_noLocks @_noAllocation get { (count + 15) / 16 * 16 }
  }
  /// First bin of each band, and the end of the last band.
  let edges: UnsafePointer<Int>
  /// Bands of some 375 Hz to 6 kHz, used to distinguish speech from residual echo.
  let speech: Range<Int>

  /// Sums powers by bin into powers by band, in which joined bins count as one. Eight values from any bin of the bands on must be readable.
  @_noLocks @_noAllocation
  func sum(_ powers: UnsafePointer<Float>, into sums: UnsafeMutablePointer<Float>) {
    nearend_band_sums(powers, edges, count, sums)
  }
}

/// The edges of the suppressor's bands, which they own. [control]
struct SuppressorBandEdges: ~Copyable {
  private let edges: Buffer<Int>
  private let count: Int
  private let speech: Range<Int>

  /// Valid as long as the edges. Not stored: Swift 6.0 crashes where an initializer reads a buffer of its own.
  var bands: SuppressorBands { SuppressorBands(count: count, edges: UnsafePointer(edges.start), speech: speech) }

  /// - Parameters:
  ///   - estimated: number of the transform's bins, from 0 on, in which the filter estimates an echo.
  ///   - bins: those in which the suppressor decides.
  init(layout: FilterLayout, estimated: Int, bins: JoinedBins) {
    let binWidth = layout.binWidth, last = bins.place(of: estimated)
    var edges = [0]
    for i in 0..<19 {
      let edge = bins.place(of: Int((12 * rt_powf(Float(layout.allBins - 1) / 12, Float(i) / 19)).rounded()))
      if edges.last != edge, edge < last { edges.append(edge) }
    }
    edges.append(last)
    // Speech is where bins are not joined.
    let first = edges.firstIndex { Float($0) * binWidth >= 350 } ?? 0
    let end = edges.firstIndex { Float($0) * binWidth >= 5990 } ?? edges.count - 1
    (count, speech) = (edges.count - 1, first..<max(end, first + 5))
    self.edges = Buffer(edges)
  }
}
