internal import CKernels

/// The state that one pass of the suppressor keeps from hop to hop, by bin; `nearend_suppression` documents each array. Delay: none. Cost:
/// none of its own: eight pointers are passed on a hop, and eight floats kept a bin. [realtime] except `init` and `deinit`.
struct SuppressorMemory: ~Copyable {
  private let bins: Int
  let noise, speech, clean, gain, smoothed, least, most, formerLeast: UnsafeMutablePointer<Float>

  /// - Parameter bins: a multiple of 16.
  init(bins: Int) {
    self.bins = bins
    noise = .silence(bins)
    speech = .silence(bins)
    clean = .silence(bins)
    gain = .silence(bins)
    smoothed = .silence(bins)
    least = .silence(bins)
    most = .silence(bins)
    formerLeast = .silence(bins)
    for k in 0..<bins { (noise[k], speech[k], gain[k]) = (1e-9, 0.5, 1) }
  }

  deinit { for array in [noise, speech, clean, gain, smoothed, least, most, formerLeast] { array.deallocate() } }

  /// Forgets the power that each bin has not fallen below lately: a whole window has to pass before it is known again.
  @_noLocks @_noAllocation
  func forgetMinima() { for k in 0..<bins { (least[k], formerLeast[k]) = (0, 0) } }

  /// Makes a pass use this state.
  @_noLocks @_noAllocation
  func use(in kernel: inout nearend_suppression) {
    (kernel.noise, kernel.speech, kernel.clean, kernel.gain) = (noise, speech, clean, gain)
    (kernel.smoothed, kernel.least, kernel.most, kernel.formerLeast) = (smoothed, least, most, formerLeast)
  }
}
