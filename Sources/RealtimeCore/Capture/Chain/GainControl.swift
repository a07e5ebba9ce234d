internal import CRealtime

/// Digital automatic gain control without delay: brings a talker's active speech level into a window, and leaves talkers within it alone.
/// [realtime]
///
/// It learns only while the near end talks, raises slowly, lowers fast, and withdraws a boost while nobody talks, so that neither noise nor
/// residual echo is raised. WebRTC's own is not used: it does not report its gain, and in the canceller's instance it upsets the delay
/// estimate.
struct GainControl {
  /// The gain applied now, in dB.
  private(set) var gain: Float = 0
  /// Mean square of active near-end speech before gain control; 0 before half a second of it.
  @_noLocks @_noAllocation func speechPower() -> Float { isSettled ? level : 0 }

  private var level: Float = 0
  /// Seconds of speech averaged into `level`, at most `memory`.
  private var heard: Float = 0
  /// The gain that the talker needs, in dB.
  private var wanted: Float = 0
  /// The share of a boost that is applied: 1 while the near end talks.
  private var presence: Float = 0
  private var linear: Float = 1
  private var limit: Float = 1

  /// Seconds per block.
  private let seconds: Float
  /// Window of the active speech level in dBFS. 6 dB is less than a talker varies.
  private let window: (low: Float, high: Float) = (-24, -18)
  /// In dB. Down for a talker close to the microphone, up for one across the room; more would raise noise and reverberation.
  private let range: (low: Float, high: Float) = (-6, 18)
  /// dB/s.
  private let slew: (up: Float, down: Float) = (3, 12)
  /// In seconds of speech.
  private let settling: Float = 0.495
  private let memory: Float = 1.5
  /// In dB/s: 3 dB ramp over 10 ms instead of a step.
  private let steepest: Float = 300
  /// Speed per second at which `presence` follows a near end that starts, that stops, and that stops while the far end plays.
  private let rise: Float = 25, fall: Float = 1, fallInEcho: Float = 10
  /// The limiter's release per second.
  private let release: Float = 10
  /// −1 dBFS.
  private let ceiling: Float = 0.891
  private let attackFrames = 64

  /// [control]
  init(_ time: BlockTime) { seconds = Float(time.seconds) }

  private var isSettled: Bool { @_noLocks @_noAllocation get { heard >= settling } }

  /// Adopts what another instance has learnt about the talker, and its current gain.
  @_noLocks @_noAllocation
  mutating func adopt(_ other: borrowing GainControl) {
    (level, heard, wanted, presence) = (other.level, other.heard, other.wanted, other.presence)
    (gain, linear, limit) = (other.gain, other.linear, other.limit)
  }

  /// Discards what is known of the talker, because it was learnt from an echo.
  @_noLocks @_noAllocation
  mutating func forget() { (level, heard, wanted) = (0, 0, 0) }

  /// Processes one block in place.
  ///
  /// - Parameters:
  ///   - isNearEnd: whether the near end talks, by a detector with a hangover.
  ///   - isActive: whether this block itself is near-end speech.
  ///   - isFarEnd: whether the far end plays.
  ///   - open: receives the same gain.
  @_noLocks @_noAllocation
  mutating func process(
    _ samples: UnsafeMutablePointer<Float>, frames: Int, isNearEnd: Bool, isActive: Bool, isFarEnd: Bool, isOn: Bool,
    open: UnsafeMutablePointer<Float>? = nil
  ) {
    if isNearEnd && isActive { learn(power: meanSquare(samples, frames: frames)) }
    adjust(isNearEnd: isNearEnd, isFarEnd: isFarEnd, isOn: isOn)
    apply(to: samples, frames: frames, isOn: isOn, open: open)
  }

  @_noLocks @_noAllocation
  private mutating func learn(power: Float) {
    // Blocks more than 15 dB below the level are gaps between syllables (ITU-T P.56).
    if power < 0.03 * level { return }
    heard = min(heard + seconds, memory)
    level += (power - level) * (seconds / heard)
    if !isSettled { return }
    let decibels = 10 * rt_log10f(max(level, 1e-12))
    let missing = max(window.low - decibels, 0) + min(window.high - decibels, 0)
    let target = min(max(missing, range.low), range.high)
    wanted = min(max(target, wanted - slew.down * seconds), wanted + slew.up * seconds)
  }

  @_noLocks @_noAllocation
  private mutating func adjust(isNearEnd: Bool, isFarEnd: Bool, isOn: Bool) {
    if isNearEnd {
      presence = min(presence + rise * seconds, 1)
    } else {
      presence = max(presence - (isFarEnd ? fallInEcho : fall) * seconds, 0)
    }
    let target = !isOn ? 0 : wanted > 0 ? wanted * presence : wanted
    gain = min(max(target, gain - steepest * seconds), gain + steepest * seconds)
  }

  @_noLocks @_noAllocation
  private mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, isOn: Bool, open: UnsafeMutablePointer<Float>?) {
    let start = linear
    linear = gain == 0 ? 1 : rt_powf(10, gain / 20)
    let highest = peak(samples, frames: frames) * max(start, linear)
    let needed = isOn && highest > ceiling ? ceiling / highest : 1
    if start == 1 && linear == 1 && limit == 1 && needed == 1 { return }
    let step = (linear - start) / Float(frames)
    let limitStart = limit
    // Down within the attack, for which the whole block serves as look-ahead in most cases; up over some 0.1 s.
    limit = needed < limit ? needed : min(needed, limit + release * seconds)
    let limitStep = (limit - limitStart) / Float(needed < limitStart ? min(attackFrames, frames) : frames)
    for i in 0..<frames {
      let n = Float(i + 1)
      let limited = limitStep < 0 ? max(limitStart + limitStep * n, limit) : min(limitStart + limitStep * n, limit)
      if let open { open[i] *= (start + step * n) * limited }
      let y = samples[i] * (start + step * n) * limited
      samples[i] = isOn ? min(max(y, -ceiling), ceiling) : y
    }
  }
}
