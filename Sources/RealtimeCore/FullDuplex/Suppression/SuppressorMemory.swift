internal import CKernels

/// The state that one pass of the suppressor keeps from hop to hop, by bin; `nearend_suppression` documents each array. Delay: none. Cost:
/// none of its own: eight pointers are passed on a hop, and eight floats kept a bin. [realtime] except `init` and `deinit`.
struct SuppressorMemory: ~Copyable {
  private let bins: Int
  let noise, speech, clean, gain, smoothed, least, most, formerLeast: Samples

  /// - Parameter bins: a multiple of 16.
  init(bins: Int) {
    self.bins = bins
    noise = Samples(repeating: 1e-9, count: bins)
    speech = Samples(repeating: 0.5, count: bins)
    clean = Samples(bins)
    // Rises at once where something stands out, but would fall slowly.
    gain = Samples(bins)
    smoothed = Samples(bins)
    least = Samples(bins)
    most = Samples(bins)
    formerLeast = Samples(bins)
  }

  /// Forgets the power that each bin has not fallen below lately: a whole window has to pass before it is known again.
  @_noLocks @_noAllocation
  func forgetMinima() { for k in 0..<bins { (least[k], formerLeast[k]) = (0, 0) } }

  /// Makes a pass use this state.
  @_noLocks @_noAllocation
  func use(in kernel: inout nearend_suppression) {
    (kernel.noise, kernel.speech, kernel.clean, kernel.gain) = (noise.start, speech.start, clean.start, gain.start)
    (kernel.smoothed, kernel.least, kernel.most, kernel.formerLeast) = (smoothed.start, least.start, most.start, formerLeast.start)
  }
}
