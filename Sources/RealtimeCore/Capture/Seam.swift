/// Joins two unrelated streams without a click: plays the last milliseconds backwards while fading them out, which continues the signal
/// without a jump, and fades the new stream in. Needs no look-ahead, so it adds no delay. [realtime]
struct Seam: ~Copyable {
  private var length: Int
  /// The last `length` frames heard, oldest first.
  private var heard: Samples
  /// A copy of `heard` from when the seam began.
  private var tail: Samples
  /// Frames since the seam began.
  private var position: Int
  /// Frames of the new stream that stay silent before it fades in.
  private var silence = 0

  /// - Parameter length: frames of each fade.
  init(length: Int) {
    self.length = length
    heard = Samples(length)
    tail = Samples(length)
    position = Int.max
  }

  /// Exchanges two seams field by field; see `Samples.exchange(with:)`.
  @_noLocks @_noAllocation
  mutating func exchange(with other: inout Seam) {
    (length, other.length) = (other.length, length)
    heard.exchange(with: &other.heard)
    tail.exchange(with: &other.tail)
    (position, other.position) = (other.position, position)
    (silence, other.silence) = (other.silence, silence)
  }

  /// A Boolean value indicating whether the two streams are still being joined.
  var isJoining: Bool { @_noLocks @_noAllocation get { position < silence + length } }

  /// Starts a new stream with the next frame; its first `silence` frames stay silent.
  @_noLocks @_noAllocation
  mutating func begin(silence: Int) {
    for i in 0..<length { tail[i] = heard[length - 1 - i] }
    self.silence = silence
    position = 0
  }

  /// Ends the stream, because the voice has no consumer: the next one begins from silence.
  @_noLocks @_noAllocation
  func markIdle() { clear(heard.start, frames: length) }

  /// Processes the path's output in place.
  @_noLocks @_noAllocation
  mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    if isJoining { join(samples, frames: frames) }
    remember(samples, frames: frames)
  }

  @_noLocks @_noAllocation
  private mutating func join(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    let step = 1 / Float(length)
    for i in 0..<frames {
      let n = position + i
      let rise = smoothStep(min(max(Float(n - silence) * step, 0), 1))
      let old = n < length ? tail[n] * (1 - smoothStep(Float(n) * step)) : 0
      samples[i] = samples[i] * rise + old
    }
    position += frames
  }

  @_noLocks @_noAllocation
  private mutating func remember(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    let fresh = min(frames, length)
    for i in 0..<(length - fresh) { heard[i] = heard[i + fresh] }
    copy(samples + (frames - fresh), to: heard + (length - fresh), frames: fresh)
  }
}
