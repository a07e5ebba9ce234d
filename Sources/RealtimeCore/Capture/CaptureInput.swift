/// The input of a capture path's chain: the microphone, faded where it appears and disappears, and muted if it is muted before processing;
/// both sides of the reference. Samples that are NaN, infinite or beyond ±8 become silence. [realtime] except `init` and `deinit`.
struct CaptureInput: ~Copyable {
  /// The microphone's own signal, muted or not.
  private(set) var own: UnsafeMutablePointer<Float>
  /// The microphone as the chain hears it.
  private(set) var microphone: UnsafeMutablePointer<Float>
  private(set) var left: UnsafeMutablePointer<Float>
  private(set) var right: UnsafeMutablePointer<Float>

  private var gate: MuteGate
  /// Frames since the gate was shut, at most 2²⁰.
  private(set) var silence = 0
  /// Fades at the points where the microphone's link is removed or made again.
  private var seam: Seam
  private var hasMicrophone: Bool?

  init(maximumQuantum: Int, rate: Int) {
    (own, microphone) = (.silence(maximumQuantum), .silence(maximumQuantum))
    (left, right) = (.silence(maximumQuantum), .silence(maximumQuantum))
    gate = MuteGate(length: rate / 200, isOpen: true)
    seam = Seam(length: rate / 200)
  }

  deinit { for buffer in [own, microphone, left, right] { buffer.deallocate() } }

  /// Exchanges two inputs; see `Seam.exchange(with:)`.
  @_noLocks @_noAllocation
  mutating func exchange(with other: inout CaptureInput) {
    (own, other.own) = (other.own, own)
    (microphone, other.microphone) = (other.microphone, microphone)
    (left, other.left) = (other.left, left)
    (right, other.right) = (other.right, right)
    (gate, other.gate) = (other.gate, gate)
    (silence, other.silence) = (other.silence, silence)
    seam.exchange(with: &other.seam)
    (hasMicrophone, other.hasMicrophone) = (other.hasMicrophone, hasMicrophone)
  }

  /// A Boolean value indicating whether the gate is fully shut.
  var isShut: Bool { @_noLocks @_noAllocation get { gate.isShut } }

  /// Sets the gate before the first cycle.
  @_noLocks @_noAllocation
  mutating func begin(isOpen: Bool) { gate.begin(isOpen: isOpen) }

  /// Reads one cycle of input. A single reference channel counts as both; missing inputs are silence.
  @_noLocks @_noAllocation
  mutating func read(
    microphone source: UnsafePointer<Float>?, left sourceLeft: UnsafePointer<Float>?, right sourceRight: UnsafePointer<Float>?, frames: Int,
    isMuted: Bool
  ) {
    copy(source, offset: 0, to: own, frames: frames)
    let isThere = source != nil
    if let hasMicrophone, hasMicrophone != isThere { seam.begin(silence: 0) }
    hasMicrophone = isThere
    if seam.isJoining || isThere { seam.process(own, frames: frames) }
    sanitize(own, frames: frames)
    copy(own, to: microphone, frames: frames)
    gate.apply(to: microphone, frames: frames, quantum: frames, isOpen: !isMuted)
    silence = gate.isShut ? min(silence + frames, 1 << 20) : 0

    copy(sourceLeft ?? sourceRight, offset: 0, to: left, frames: frames)
    sanitize(left, frames: frames)
    if let sourceLeft, let sourceRight, sourceLeft != sourceRight {
      copy(sourceRight, to: right, frames: frames)
      sanitize(right, frames: frames)
    } else {
      copy(left, to: right, frames: frames)
    }
  }

  /// Silences samples beyond ±8; the comparison is false for NaN, too.
  @_noLocks @_noAllocation
  private func sanitize(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    for i in 0..<frames { samples[i] = abs(samples[i]) <= 8 ? samples[i] : 0 }
  }
}
