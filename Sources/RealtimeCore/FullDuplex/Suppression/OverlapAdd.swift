/// Synthesizes samples from the suppressor's spectra: the newest two hops of each transform, windowed and overlapped with those of the one
/// before. [realtime] except `init` and `deinit`.
struct OverlapAdd: ~Copyable {
  private let hop: Int
  private let length: Int
  private let work, overlap: UnsafeMutablePointer<Float>

  /// - Parameter length: of a transform.
  init(hop: Int, length: Int) {
    (self.hop, self.length) = (hop, length)
    work = .silence(length)
    overlap = .silence(length)
  }

  deinit {
    work.deallocate()
    overlap.deallocate()
  }

  /// Adds one hop's spectrum, whose first and last bin are taken as real, and writes the hop that is complete.
  @_noLocks @_noAllocation
  func add(
    _ spectrum: SplitSpectrum, transform: borrowing FourierTransform, window: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>
  ) {
    (spectrum.im[0], spectrum.im[length / 2]) = (0, 0)
    transform.inverse(spectrum, into: work)
    copy(overlap + hop, to: overlap, frames: length - hop)
    clear(overlap + (length - hop), frames: hop)
    for i in stride(from: length - 2 * hop, to: length, by: 8) {
      store8(load8(overlap + i) + load8(work + i) * load8(window + i), to: overlap + i)
    }
    copy(overlap + (length - 2 * hop), to: output, frames: hop)
  }
}
