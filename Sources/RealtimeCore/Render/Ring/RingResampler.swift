internal import CKernels

/// Resamples a participant to the graph's rate, at a ratio that changes slightly from cycle to cycle. [realtime] except `init` and
/// `deinit`.
///
/// The first output sample is the first input sample, so there is no delay. Each output sample needs the next `ResamplingBank.reach` input
/// samples, more if the graph's rate is much lower.
struct RingResampler: ~Copyable {
  /// The most frames per `push`.
  static var chunk: Int {
    @_noLocks @_noAllocation get { 256 }
  }
  /// Limit of the filter's stretch: from 192 to 16 kHz.
  private static var mostStretch: Double {
    @_noLocks @_noAllocation get { 12 }
  }
  /// Up to this ratio the filter is not stretched: only what is above 21.8 kHz aliases, to above 20 kHz (48 to 44.1 kHz).
  private static var unstretched: Double {
    @_noLocks @_noAllocation get { 1.1 }
  }

  private let near: UnsafePointer<nearend_bank>
  private let any: UnsafePointer<nearend_bank>
  private let longestReach: Int
  private let channelCount: Int
  /// The channels' lines, one after the other.
  private let lines: Samples
  private let length: Int
  /// Samples in each line, and the position of the next output sample.
  private var filled: Int
  private var position: Double
  /// Sink frames per graph frame.
  private var step = 1.0
  /// Frames of silence that flush the last input.
  private(set) var reach: Int

  init(channelCount: Int) {
    let (near, any) = (ResamplingBank.near, ResamplingBank.any)
    self.near = near.kernel
    self.any = any.kernel
    longestReach = any.reach
    self.channelCount = channelCount
    let most = Int(Self.mostStretch * Double(any.reach)) + 2
    // The filter's reach to both sides, a chunk, and what the kernels read without using it.
    length = 2 * most + Self.chunk + 24
    lines = Samples(channelCount * length)
    // As `reset(step: 1)`: Swift 6.0 lets no initializer of a noncopyable structure call a mutating method.
    (reach, filled, position) = (any.reach, any.reach, Double(any.reach))
  }

  /// Discards all state, and starts at `step` sink frames per graph frame.
  @_noLocks @_noAllocation
  mutating func reset(step: Double) {
    steer(step: step)
    for channel in 0..<channelCount { clear(lines + channel * length, frames: reach) }
    (filled, position) = (reach, Double(reach))
  }

  /// Sets the sink frames per graph frame, from the next frame on.
  @_noLocks @_noAllocation
  mutating func steer(step: Double) {
    self.step = step
    reach = step > Self.unstretched ? Int(min(step, Self.mostStretch) * Double(longestReach)) + 2 : longestReach
  }

  /// Returns how many frames must be pushed, 0 or more, before `frames` can be made.
  @_noLocks @_noAllocation
  func missing(for frames: Int) -> Int { max(0, Int(position + Double(frames - 1) * step) + reach + 1 - filled) }

  /// How many frames can be pushed now; at least 1 once `make` has made all that it can.
  var room: Int {
    @_noLocks @_noAllocation get { min(Self.chunk, length - 24 - filled) }
  }

  /// Returns where to write a channel's next samples, `room` of them at most.
  @_noLocks @_noAllocation
  func end(_ channel: Int) -> UnsafeMutablePointer<Float> { lines + channel * length + filled }

  /// Accepts `frames` frames, written at every channel's `end`.
  @_noLocks @_noAllocation
  mutating func push(_ frames: Int) { filled += frames }

  /// Makes up to `frames` frames from the input; returns how many.
  @_noLocks @_noAllocation
  mutating func make(_ frames: Int, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>) -> Int {
    let ahead = Double(filled - reach) - position
    let count = ahead <= 0 ? 0 : min(frames, Int(ahead / step) + 1)
    // Rounding may yield one too many.
    let made = count > 0 && missing(for: count) > 0 ? count - 1 : count
    if made > 0 {
      for channel in 0..<channelCount {
        let (line, out) = (UnsafePointer(lines + channel * length), channel == 0 ? left : right)
        if step > 0.9975, step < 1.0025 {
          nearend_resample_near(near, line, position, step, out, Int32(made))
        } else if step <= Self.unstretched {
          nearend_resample(any, line, position, step, out, Int32(made))
        } else {
          nearend_resample_stretched(any, line, position, min(step, Self.mostStretch), out, Int32(made))
        }
      }
      position += Double(made) * step
    }
    forget()
    return made
  }

  /// Moves the samples that are still needed to the beginning of the lines.
  @_noLocks @_noAllocation
  private mutating func forget() {
    let old = min(Int(position) - reach, filled)
    guard old > 0 else { return }
    for channel in 0..<channelCount {
      let line = lines + channel * length
      copy(line + old, to: line, frames: filled - old)
    }
    filled -= old
    position -= Double(old)
  }
}
