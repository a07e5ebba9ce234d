internal import CKernels

/// The state of a pass of the suppressor by bin, from hop to hop; `nearend_suppression` says what each is. [realtime] except `init` and
/// `deinit`.
struct SuppressorMemory: ~Copyable {
  let noise, speech, clean, gain, smoothed, least, most, formerLeast: UnsafeMutablePointer<Float>

  /// - Parameter bins: a multiple of 8.
  init(bins: Int) {
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

  /// Points a pass to this state.
  @_noLocks @_noAllocation
  func use(in kernel: inout nearend_suppression) {
    (kernel.noise, kernel.speech, kernel.clean, kernel.gain) = (noise, speech, clean, gain)
    (kernel.smoothed, kernel.least, kernel.most, kernel.formerLeast) = (smoothed, least, most, formerLeast)
  }
}
