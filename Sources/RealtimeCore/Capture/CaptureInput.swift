/// What goes into a capture path's chain: the microphone joined where it comes and goes, and muted where it is muted before processing; both sides of the
/// reference. What is not finite or beyond ±8 is silence. [realtime] but for `init` and `deinit`.
struct CaptureInput: ~Copyable {
  /// The microphone's own sound, muted or not.
  let own: UnsafeMutablePointer<Float>
  /// The same as the chain hears it.
  let microphone: UnsafeMutablePointer<Float>
  let left: UnsafeMutablePointer<Float>
  let right: UnsafeMutablePointer<Float>

  private var gate: MuteGate
  /// Frames for which the gate has been shut, at most 2²⁰.
  private(set) var silence = 0
  /// Where the microphone comes and goes: its link is removed and made anew.
  private var seam: Seam
  private var hasMicrophone: Bool?

  init(maximumQuantum: Int, rate: Int) {
    (own, microphone) = (.silence(maximumQuantum), .silence(maximumQuantum))
    (left, right) = (.silence(maximumQuantum), .silence(maximumQuantum))
    gate = MuteGate(length: rate / 200, isOpen: true)
    seam = Seam(length: rate / 200)
  }

  deinit { for buffer in [own, microphone, left, right] { buffer.deallocate() } }

  /// Whether nothing of the microphone passes.
  var isShut: Bool { @_noLocks @_noAllocation get { gate.isShut } }

  /// Before the first cycle.
  @_noLocks @_noAllocation
  mutating func begin(isOpen: Bool) { gate.begin(isOpen: isOpen) }

  /// Takes a cycle in. One side of the reference alone is both; where both are nil it is silence, and so is a microphone that is not there.
  @_noLocks @_noAllocation
  mutating func take(
    microphone source: UnsafePointer<Float>?, left sourceLeft: UnsafePointer<Float>?, right sourceRight: UnsafePointer<Float>?, frames: Int,
    isMuted: Bool
  ) {
    Kernel.copy(source, offset: 0, to: own, frames: frames)
    let isThere = source != nil
    if let hasMicrophone, hasMicrophone != isThere { seam.begin(silence: 0) }
    hasMicrophone = isThere
    if seam.isJoining || isThere { seam.process(own, frames: frames) }
    sanitize(own, frames: frames)
    copy(own, to: microphone, frames: frames)
    gate.apply(to: microphone, frames: frames, quantum: frames, isOpen: !isMuted)
    silence = gate.isShut ? min(silence + frames, 1 << 20) : 0

    Kernel.copy(sourceLeft ?? sourceRight, offset: 0, to: left, frames: frames)
    sanitize(left, frames: frames)
    if let sourceLeft, let sourceRight, sourceLeft != sourceRight {
      copy(sourceRight, to: right, frames: frames)
      sanitize(right, frames: frames)
    } else {
      copy(left, to: right, frames: frames)
    }
  }

  /// False for NaN too.
  @_noLocks @_noAllocation
  private func sanitize(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    for i in 0..<frames { samples[i] = abs(samples[i]) <= 8 ? samples[i] : 0 }
  }
}
