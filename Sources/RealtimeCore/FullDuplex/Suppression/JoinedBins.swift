internal import CKernels

/// The bins in which the suppressor decides: up to 8 kHz those of the transform, above four at a time, 94 Hz at 48 kHz, because hearing and
/// speech are coarser there by far (critical bands: Zwicker, JASA 33, 1961). Powers are means, so that a joined bin compares with its
/// neighbours. Delay: none. Cost: an addition a bin of the transform. [realtime] except `init`.
struct JoinedBins {
  /// Bins of the transform that are joined to one.
  static var width: Int {
    @_noLocks @_noAllocation get { Int(NEAREND_JOINED) }
  }
  /// Bins from 0 on that are those of the transform, a multiple of 16.
  let single: Int
  /// All, a multiple of 16; the last ones may be of no bin of the transform. From any in which an echo is estimated on, and from their end,
  /// there are eight, as sums by band need.
  let count: Int
  /// Floats of the parts of a spectrum that all of them cover.
  let covered: Int

  init(layout: FilterLayout) {
    func padded(_ bins: Int) -> Int { (bins + 15) / 16 * 16 }
    let single = padded(min(layout.allBins, Int(8000 / layout.binWidth) + 1))
    func place(of bin: Int) -> Int { Self.place(of: bin, single: single) }
    self.single = single
    count = padded(max(place(of: layout.allBins), place(of: layout.estimatedBins) + 8))
    covered = single + Self.width * (count - single)
  }

  /// The bin that begins at, or after, a bin of the transform.
  func place(of bin: Int) -> Int { Self.place(of: bin, single: single) }

  private static func place(of bin: Int, single: Int) -> Int { bin <= single ? bin : single + (bin - single + width - 1) / width }

  /// Joins the `covered` powers by bin of the transform.
  @_noLocks @_noAllocation
  func join(_ powers: UnsafePointer<Float>, into joined: UnsafeMutablePointer<Float>) {
    nearend_join(powers, joined, Int32(single), Int32(count))
  }

  /// Sums powers over the bins of the transform.
  @_noLocks @_noAllocation
  func sum(_ powers: UnsafePointer<Float>) -> Float {
    var below = SIMD8<Float>.zero, above = SIMD8<Float>.zero
    for k in stride(from: 0, to: single, by: 8) { below += load8(powers + k) }
    for k in stride(from: single, to: count, by: 8) { above += load8(powers + k) }
    return below.sum() + Float(Self.width) * above.sum()
  }

  /// The same of what gains leave of the powers.
  @_noLocks @_noAllocation
  func sum(_ powers: UnsafePointer<Float>, gains: UnsafePointer<Float>) -> Float {
    var below = SIMD8<Float>.zero, above = SIMD8<Float>.zero
    for k in stride(from: 0, to: single, by: 8) { below += load8(gains + k) * load8(gains + k) * load8(powers + k) }
    for k in stride(from: single, to: count, by: 8) { above += load8(gains + k) * load8(gains + k) * load8(powers + k) }
    return below.sum() + Float(Self.width) * above.sum()
  }
}
