internal import CRealtime

/// Keeps the mix within full scale without wrapping, clipping or delay (K4, K10).
///
/// Below −1 dBFS every bit is unchanged. Above, each sample has a ceiling on a soft knee that reaches full scale only at infinity, and one
/// gain for both channels stays under all ceilings: it looks ahead inside the block and descends linearly to the lowest ceiling ahead;
/// where the peak is too near (a block's first samples) it follows the knee itself. It holds through the valleys of a wave, so that steady
/// sound is attenuated, not distorted, and then recovers exponentially.
struct BusLimiter: ~Copyable {
  /// −1 dBFS.
  static let threshold: Float = 0.891_250_9
  /// Time constant of the recovery in seconds.
  static let releaseTime = 0.08
  /// Seconds after the last peak before the gain recovers: half a period of 33 Hz.
  static let holdTime = 0.015
  /// Frames that the descent looks ahead, within the block.
  static let lookahead = 64

  private let ceilings: Samples
  // Double precision, because a float's recovery stalls short of 1.
  private var gain = 1.0
  private var hold = 0
  /// 1 − the lowest gain, following `MeterBallistics`.
  private let reductionCell: DoubleCell
  private var reduction: Float = 0

  /// Creates a limiter for blocks of up to `frames` frames. [control]
  init(frames: Int, reduction: DoubleCell) {
    ceilings = Samples(repeating: 1, count: frames)
    reductionCell = reduction
  }

  /// Whether a block below the threshold passes unchanged.
  var isAtRest: Bool {
    @_noLocks @_noAllocation get { gain == 1 }
  }

  /// Limits one block in place. NaN and infinite samples become silence. [realtime]
  @_noLocks @_noAllocation
  mutating func process(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, frames: Int, rate: Double) {
    var peak = max(checkedPeak(left, frames: frames), checkedPeak(right, frames: frames))
    if peak == .infinity {
      _ = silenceNonNumbers(left, frames: frames)
      _ = silenceNonNumbers(right, frames: frames)
      peak = max(checkedPeak(left, frames: frames), checkedPeak(right, frames: frames))
    }
    if gain == 1 && peak <= Self.threshold { return publish(reduction: 0, frames: frames, rate: rate) }
    for i in 0..<frames { ceilings[i] = Self.ceiling(max(abs(left[i]), abs(right[i]))) }
    follow(left, right, frames: frames, rate: rate)
  }

  /// The largest gain that keeps a sample of magnitude `x` on the knee.
  @_noLocks @_noAllocation
  private static func ceiling(_ x: Float) -> Float {
    if x <= threshold { return 1 }
    let room = 1 - threshold
    return (threshold + room * rt_tanhf((x - threshold) / room)) / x
  }

  @_noLocks @_noAllocation
  private mutating func follow(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, frames: Int, rate: Double) {
    let release = 1 / (Self.releaseTime * rate)
    let holdFrames = Int(Self.holdTime * rate)
    var lowest = gain
    var i = 0
    while i < frames {
      let foot = steepest(from: i, to: min(frames, i + Self.lookahead))
      if foot >= i {
        let slope = (Double(ceilings[foot]) - gain) / Double(foot - i + 1)
        for k in i...foot { apply(min(Float(gain + slope * Double(k - i + 1)), ceilings[k]), left + k, right + k) }
        gain = Double(ceilings[foot])
        lowest = min(lowest, gain)
        hold = holdFrames
        i = foot + 1
        continue
      }
      // A peak that needs almost this gain is the next one of the same wave.
      if ceilings[i] < 1 && Double(ceilings[i]) < 1.02 * gain { hold = holdFrames }
      if hold > 0 {
        hold -= 1
      } else {
        gain += (1 - gain) * release
        if gain > 0.999_99 { gain = 1 }
        gain = min(gain, Double(ceilings[i]))
      }
      apply(Float(gain), left + i, right + i)
      i += 1
    }
    publish(reduction: Float(1 - lowest), frames: frames, rate: rate)
  }

  @_noLocks @_noAllocation
  private mutating func publish(reduction now: Float, frames: Int, rate: Double) {
    if now == 0 && reduction == 0 { return }
    reduction = max(now, reduction * MeterBallistics.fall(frames: frames, rate: rate))
    if reduction < 1e-3 { reduction = now }
    reductionCell.store(Double(reduction))
  }

  /// The frame that the gain must descend to most steeply; less than `start` if it need not descend.
  @_noLocks @_noAllocation
  private func steepest(from start: Int, to end: Int) -> Int {
    let level = Float(gain)
    var slope: Float = 0
    var foot = start - 1
    for k in start..<end where ceilings[k] < level {
      let descent = (ceilings[k] - level) / Float(k - start + 1)
      if descent < slope {
        slope = descent
        foot = k
      }
    }
    return foot
  }

  // The clamp only removes rounding errors.
  @_noLocks @_noAllocation
  private func apply(_ gain: Float, _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>) {
    left.pointee = max(-1, min(1, left.pointee * gain))
    right.pointee = max(-1, min(1, right.pointee * gain))
  }
}
