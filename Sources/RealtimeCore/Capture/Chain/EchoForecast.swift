internal import CRealtime

/// Forecasts how loud a signal is if it holds nothing but the far end's echo, from the far end at the echo's delay, and so tells whether
/// somebody talks besides: what exceeds the forecast is a near end. An echo suppressor's decision (ITU-T G.164), whose threshold is
/// learnt. [realtime]
struct EchoForecast {
  /// A Boolean value indicating whether the newest frame holds an echo above −60 dBFS and the room's noise, as far as can be foretold.
  private(set) var isAudible = false
  /// A Boolean value indicating whether such an echo is all that the newest frame holds.
  private(set) var isExplained = false
  /// A Boolean value indicating whether a near end is heard, or was within the last 0.3 s.
  var hasNearEnd: Bool {
    @_noLocks @_noAllocation get { hold > 0 }
  }

  /// Mean square of the far end at the echo's delay, falling as a room's response.
  private var envelope: Float = 0
  /// The signal over `envelope` while the far end sounds, and behind its sounds.
  private var peak = LevelRatio()
  private var tail = LevelRatio()
  private var floor: NoiseFloor
  private var evidence = 0
  private var hold = 0

  private let decay: Float
  private let holdFrames: Int
  /// 6 dB: an echo varies by so much about what its far end's level foretells. Recorded talkers' exceeds it for 1 % of the time; of one who
  /// talks over it 6 dB louder, 93 % of the power counts as a near end.
  private let margin: Float = 4
  /// 9 dB, as `VoiceDetector`'s.
  private let overNoise: Float = 8
  /// Frames of a near end in a row, more or less.
  private let onset = 2

  /// - Parameter time: of a frame.
  init(_ time: BlockTime) {
    // 60 dB in a second, as of a live room.
    decay = time.factor(0.866)
    holdFrames = time.blocks(0.3)
    floor = NoiseFloor(time)
  }

  /// Updates with mean squares of one frame: the loudest of the far end about the echo's delay, and the signal.
  ///
  /// - Parameter isSure: whether the signal follows the far end so closely that hardly anybody talks over it.
  @_noLocks @_noAllocation
  mutating func update(farEnd: Float, signal: Float, isSure: Bool) {
    envelope = max(farEnd, decay * envelope)
    floor.update(power: signal)
    let isFresh = farEnd == envelope
    // Behind a sound its echo falls faster than `envelope`, the more so the drier the room is.
    let ratio = isFresh || tail.count == 0 ? peak.ratio : 0.5 * (peak.ratio + tail.ratio)
    let expected = envelope * rt_powf(10, 0.1 * ratio)
    let isKnown = peak.count > 0
    let isAlone = isKnown && signal <= margin * expected
    if farEnd > EchoMeter.farEndThreshold {
      // What exceeds the forecast is a near end, or a speaker that was turned up.
      let isDoubtful = hasNearEnd || !isAlone
      let now = 10 * rt_log10f(max(signal, 1e-12) / envelope)
      if isFresh {
        peak.learn(now, isDoubtful: isDoubtful, isSure: isSure)
      } else {
        tail.learn(now, isDoubtful: isDoubtful, isSure: isSure)
      }
    }
    isAudible = isKnown && expected > max(EchoMeter.farEndThreshold, floor.power)
    isExplained = isAudible && isAlone
    let standsOut = !isAlone && signal > overNoise * floor.power
    evidence = standsOut ? min(evidence + 1, 2 * onset) : max(evidence - 1, 0)
    hold = evidence >= onset ? holdFrames : max(hold - 1, 0)
  }

  /// Discards what is known of the echo.
  @_noLocks @_noAllocation
  mutating func forget() {
    (peak, tail) = (LevelRatio(), LevelRatio())
    (envelope, evidence, hold, isAudible, isExplained) = (0, 0, 0, false, false)
  }
}

/// A ratio of two levels in dB: the median over some seconds. [realtime]
private struct LevelRatio {
  private(set) var ratio: Float = 0
  /// Frames that it is learnt from.
  private(set) var count: Float = 0
  /// 2 s.
  private let settled: Float = 100

  @_noLocks @_noAllocation
  mutating func learn(_ now: Float, isDoubtful: Bool, isSure: Bool) {
    if count == 0 { ratio = now }
    let isSettled = count >= settled
    // At first whatever comes: one that is too high falls with the next frames of echo alone, and one too low would keep them out.
    if isDoubtful, !isSure, isSettled { return }
    count += 1
    let step = max(6 / count, isSettled ? (isDoubtful ? 0.01 : 0.1) : 0.5)
    ratio += min(max(now - ratio, -step), step)
  }
}
