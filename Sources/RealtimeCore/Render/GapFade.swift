internal import CRealtime

/// The last few milliseconds that a sink played, in case it ends abruptly.
struct SinkHistory: ~Copyable {
  private static let mask = GapFade.longest - 1
  private let left: Samples
  private let right: Samples
  private var position = 0
  private(set) var count = 0

  init() {
    left = Samples(GapFade.longest)
    right = Samples(GapFade.longest)
  }

  @_noLocks @_noAllocation
  mutating func clear() { count = 0 }

  /// Stores the end of a block, as much as a fade at this rate needs. [realtime]
  @_noLocks @_noAllocation
  mutating func append(_ newLeft: UnsafePointer<Float>, _ newRight: UnsafePointer<Float>, frames: Int, rate: Double) {
    let needed = GapFade.frames(rate: rate)
    var first = max(0, frames - needed)
    while first < frames {
      let part = min(frames - first, GapFade.longest - position)
      copy(newLeft + first, to: left + position, frames: part)
      copy(newRight + first, to: right + position, frames: part)
      position = (position + part) & Self.mask
      first += part
    }
    count = min(needed, count + frames)
  }

  /// The frame `age` frames before the next one; 0 is the last.
  @_noLocks @_noAllocation
  func frame(_ age: Int) -> (left: Float, right: Float) {
    let index = (position - 1 - age) & Self.mask
    return (left[index], right[index])
  }
}

/// Prevents clicks at gaps (K5): where a sink's sound ends abruptly, plays its last 5 ms backwards while fading them out, so that the
/// waveform continues from its last value. What follows a gap fades in over the same time. All fades of all sinks go into one buffer on the
/// bus, so that a removed sink needs no memory for its fade.
struct GapFade: ~Copyable {
  /// Seconds.
  static let duration = 0.005
  /// Frames; a power of two, at least `duration` at 192 kHz.
  static let longest = 1_024

  private static let size = 16_384
  private let left: Samples
  private let right: Samples
  /// From 1 to 0, half a cosine.
  private let shape: Samples
  private var head = 0
  private var pending = 0

  init() {
    left = Samples(Self.size)
    right = Samples(Self.size)
    shape = Samples(Self.longest)
    for i in 0..<Self.longest { shape[i] = 0.5 + 0.5 * rt_cosf(Float.pi * (Float(i) + 0.5) / Float(Self.longest)) }
  }

  /// The length of a fade in frames.
  @_noLocks @_noAllocation
  static func frames(rate: Double) -> Int { max(1, min(longest, Int(duration * rate))) }

  /// Fades `history` out from frame `offset` of this cycle on, and clears it. [realtime]
  @_noLocks @_noAllocation
  mutating func fadeOut(_ history: inout SinkHistory, at offset: Int, rate: Double) {
    let length = min(Self.frames(rate: rate), history.count)
    for i in 0..<length {
      let index = (head + offset + i) & (Self.size - 1)
      let gain = shape[i * Self.longest / length]
      let (l, r) = history.frame(i)
      left[index] += l * gain
      right[index] += r * gain
    }
    pending = max(pending, offset + length)
    history.clear()
  }

  /// Whether nothing fades out.
  var isAtRest: Bool {
    @_noLocks @_noAllocation get { pending == 0 }
  }

  /// The gain of frame `index` of a fade-in of `length` frames.
  @_noLocks @_noAllocation
  func fadeIn(_ index: Int, of length: Int) -> Float { 1 - shape[min(Self.longest - 1, index * Self.longest / length)] }

  /// Adds this cycle's part of all fades to the bus. [realtime]
  @_noLocks @_noAllocation
  mutating func render(_ busLeft: UnsafeMutablePointer<Float>, _ busRight: UnsafeMutablePointer<Float>, frames: Int) {
    for i in 0..<min(frames, pending) {
      let index = (head + i) & (Self.size - 1)
      busLeft[i] += left[index]
      busRight[i] += right[index]
      left[index] = 0
      right[index] = 0
    }
    head = (head + frames) & (Self.size - 1)
    pending = max(0, pending - frames)
  }
}
