/// Joins two streams that do not continue each other without a click: the last milliseconds that were heard are played backwards while they fade
/// out, which continues the signal with no jump, and the new stream fades in. No frame of look-ahead is needed, so nothing is delayed. [realtime]
struct Seam: ~Copyable {
  private let length: Int
  /// The last `length` frames heard, oldest first.
  private let heard: UnsafeMutablePointer<Float>
  /// `heard` as it was when the seam began.
  private let tail: UnsafeMutablePointer<Float>
  /// Frames since the seam began.
  private var position: Int
  /// Frames of the new stream that are not heard before it fades in.
  private var silence = 0

  /// - Parameter length: frames of each fade.
  init(length: Int) {
    self.length = length
    heard = .silence(length)
    tail = .silence(length)
    position = Int.max
  }

  deinit {
    heard.deallocate()
    tail.deallocate()
  }

  /// Whether the two streams are not joined yet.
  var isJoining: Bool { @_noLocks @_noAllocation get { position < silence + length } }

  /// The next frame begins a new stream, whose first `silence` frames are not to be heard.
  @_noLocks @_noAllocation
  mutating func begin(silence: Int) {
    for i in 0..<length { tail[i] = heard[length - 1 - i] }
    self.silence = silence
    position = 0
  }

  /// In place, on everything that leaves the path.
  @_noLocks @_noAllocation
  mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    if isJoining { join(samples, frames: frames) }
    remember(samples, frames: frames)
  }

  /// From 0 to 1 without a corner.
  @_noLocks @_noAllocation
  private static func curve(_ x: Float) -> Float { x * x * (3 - 2 * x) }

  @_noLocks @_noAllocation
  private mutating func join(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    let step = 1 / Float(length)
    for i in 0..<frames {
      let n = position + i
      let rise = Self.curve(min(max(Float(n - silence) * step, 0), 1))
      let old = n < length ? tail[n] * (1 - Self.curve(Float(n) * step)) : 0
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
