/// The input of a capture path's chain: the microphone, faded where it appears and disappears, and muted if it is muted before processing;
/// both sides of the reference. Further microphones of an array are muted alike, and silent where they are missing. Samples that are NaN,
/// infinite or beyond ±8 become silence. [realtime] except `init` and `deinit`.
struct CaptureInput: ~Copyable {
  /// The microphone's own signal, muted or not.
  private(set) var own: Samples
  /// The microphone as the chain hears it: `own` unless `isMuted`.
  var microphone: UnsafeMutablePointer<Float> {
    @_noLocks @_noAllocation get { isMuted ? muted.start : own.start }
  }
  /// A Boolean value indicating whether a mute changes what the chain hears, if only by a fade.
  private(set) var isMuted = false
  private var muted: Samples
  /// Further microphones, and room for a cycle of each, one after another.
  let further: Int
  private let others: Samples
  private let maximumQuantum: Int
  private(set) var left: Samples
  private(set) var right: Samples

  private var gate: MuteGate
  /// Frames since the gate was shut, at most 2²⁰.
  private(set) var silence = 0
  /// Fades at the points where the microphone's link is removed or made again.
  private var seam: Seam
  private var wasLinked: Bool?
  /// Whether a microphone was linked in the last cycle.
  var hasMicrophone: Bool {
    @_noLocks @_noAllocation get { wasLinked == true }
  }

  /// - Parameter further: microphones besides the main one, 0…7.
  init(maximumQuantum: Int, rate: Int, further: Int = 0) {
    (self.further, self.maximumQuantum) = (further, maximumQuantum)
    others = Samples(max(1, further * maximumQuantum))
    own = Samples(maximumQuantum)
    muted = Samples(maximumQuantum)
    left = Samples(maximumQuantum)
    right = Samples(maximumQuantum)
    gate = MuteGate(length: rate / 200, isOpen: true)
    seam = Seam(length: rate / 200)
  }

  /// A further microphone as the chain hears it; nil if there is none.
  @_noLocks @_noAllocation
  func other(_ index: Int) -> UnsafePointer<Float>? { index < further ? UnsafePointer(others + index * maximumQuantum) : nil }

  /// Exchanges two inputs, but for the further microphones, of which nothing is kept; see `Samples.exchange(with:)`.
  @_noLocks @_noAllocation
  mutating func exchange(with other: inout CaptureInput) {
    own.exchange(with: &other.own)
    muted.exchange(with: &other.muted)
    (isMuted, other.isMuted) = (other.isMuted, isMuted)
    left.exchange(with: &other.left)
    right.exchange(with: &other.right)
    (gate, other.gate) = (other.gate, gate)
    (silence, other.silence) = (other.silence, silence)
    seam.exchange(with: &other.seam)
    (wasLinked, other.wasLinked) = (other.wasLinked, wasLinked)
  }

  /// A Boolean value indicating whether the gate is fully shut.
  var isShut: Bool { @_noLocks @_noAllocation get { gate.isShut } }

  /// Sets the gate before the first cycle.
  @_noLocks @_noAllocation
  mutating func begin(isOpen: Bool) { gate.begin(isOpen: isOpen) }

  /// Reads one cycle of input. `others`: `otherCount` further microphones, each nil if missing. A single reference channel counts as both;
  /// missing inputs are silence.
  @_noLocks @_noAllocation
  mutating func read(
    microphone source: UnsafePointer<Float>?, left sourceLeft: UnsafePointer<Float>?, right sourceRight: UnsafePointer<Float>?, frames: Int,
    isMuted wanted: Bool, others sources: UnsafePointer<UnsafePointer<Float>?>? = nil, otherCount: Int = 0
  ) {
    copy(source, offset: 0, to: own.start, frames: frames)
    let isThere = source != nil
    if let wasLinked, wasLinked != isThere { seam.begin(silence: 0) }
    wasLinked = isThere
    if seam.isJoining || isThere { seam.process(own.start, frames: frames) }
    sanitize(own.start, into: own.start, frames: frames)
    isMuted = wanted || !gate.isOpen
    for i in 0..<further { readOther(i, i < otherCount ? sources?[i] : nil, frames: frames, isOpen: !wanted) }
    if isMuted {
      copy(own.start, to: muted.start, frames: frames)
      gate.apply(to: muted.start, frames: frames, quantum: frames, isOpen: !wanted)
    }
    silence = gate.isShut ? min(silence + frames, 1 << 20) : 0

    if let source = sourceLeft ?? sourceRight {
      sanitize(source, into: left.start, frames: frames)
    } else {
      clear(left.start, frames: frames)
    }
    if let sourceLeft, let sourceRight, sourceLeft != sourceRight {
      sanitize(sourceRight, into: right.start, frames: frames)
    } else {
      copy(left.start, to: right.start, frames: frames)
    }
  }

  @_noLocks @_noAllocation
  private func readOther(_ index: Int, _ source: UnsafePointer<Float>?, frames: Int, isOpen: Bool) {
    let target = others + index * maximumQuantum
    guard let source else { return clear(target, frames: frames) }
    sanitize(source, into: target, frames: frames)
    if !isMuted { return }
    var gate = gate
    gate.apply(to: target, frames: frames, quantum: frames, isOpen: isOpen)
  }

  /// Copies samples, which may be the target, and silences those beyond ±8; the comparison is false for NaN, too.
  @_noLocks @_noAllocation
  private func sanitize(_ samples: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, frames: Int) {
    for i in 0..<frames { target[i] = abs(samples[i]) <= 8 ? samples[i] : 0 }
  }
}
