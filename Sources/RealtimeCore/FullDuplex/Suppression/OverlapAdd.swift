/// Synthesizes samples from the suppressor's spectra by weighted overlap-add: the newest two hops of each transform, windowed, overlap with
/// those of the previous one. Delay: one hop. Cost: an inverse transform a hop. [realtime] except `init` and `deinit`.
struct OverlapAdd: ~Copyable {
  private let hop: Int
  private let length: Int
  private let work, overlap: UnsafeMutablePointer<Float>

  /// - Parameter length: samples of a transform.
  init(hop: Int, length: Int) {
    (self.hop, self.length) = (hop, length)
    work = .silence(length)
    overlap = .silence(length)
  }

  deinit {
    work.deallocate()
    overlap.deallocate()
  }

  /// Adds one hop's spectrum, and writes the hop that is complete. The imaginary parts of the first and the last bin are cleared.
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
