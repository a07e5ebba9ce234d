/// Synthesizes samples from the suppressor's spectra by weighted overlap-add: the newest two hops of each transform, windowed, overlap with
/// those of the previous one. Delay: one hop. Cost: an inverse transform a hop. [realtime] except `init` and `deinit`.
struct OverlapAdd: ~Copyable {
  private let hop: Int
  private let length: Int
  /// Where the newest two hops of the window begin.
  private let first: Int
  private let work: Samples
  /// What the previous transform adds to the hop that the next one completes.
  private let tail: Samples

  init(layout: FilterLayout) {
    hop = layout.hop
    length = layout.transform
    first = layout.suppressorWindow - 2 * layout.hop
    work = Samples(length)
    tail = Samples(hop)
  }

  /// Adds one hop's spectrum, and writes the hop that is complete. The imaginary parts of the first and the last bin are cleared.
  @_noLocks @_noAllocation
  func add(
    _ spectrum: SplitSpectrum, transform: borrowing FourierTransform, window: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>
  ) {
    (spectrum.im[0], spectrum.im[length / 2]) = (0, 0)
    transform.inverse(spectrum, into: work.start)
    let second = first + hop
    for i in stride(from: 0, to: hop, by: 8) {
      store8(load8(tail + i) + load8(work + first + i) * load8(window + first + i), to: output + i)
      store8(load8(work + second + i) * load8(window + second + i), to: tail + i)
    }
  }
}
