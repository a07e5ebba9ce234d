/// Counts a microphone's pauses at digital silence: a gate makes them, an open microphone never does. [realtime]
struct PauseWatch: BitwiseCopyable {
  /// Pauses of 0.1 s and more, from sound to sound while the microphone was linked.
  private(set) var count: UInt32 = 0
  private var hasSounded = false
  /// Frames of silence since it last sounded, at most 2²⁰.
  private var silence = 0

  @_noLocks @_noAllocation
  init() {}

  /// Notes a cycle.
  ///
  /// - Parameters:
  ///   - peak: what came from the microphone, linear.
  ///   - isLinked: whether it could.
  @_noLocks @_noAllocation
  mutating func note(peak: Float, isLinked: Bool, frames: Int, rate: Int) {
    if !isLinked {
      (hasSounded, silence) = (false, 0)
    } else if peak > CaptureMeters.digitalSilence {
      if hasSounded, 10 * silence >= rate { count &+= 1 }
      (hasSounded, silence) = (true, 0)
    } else {
      silence = min(silence + frames, 1 << 20)
    }
  }
}
