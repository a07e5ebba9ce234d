/// Detects whether somebody talks: speech-band energy over the noise floor for long enough, with a hangover. Runs after noise suppression,
/// independent of engine and block length: it judges windows of 10 ms. [realtime] except `init`.
struct VoiceDetector {
  /// A Boolean value indicating whether somebody talks, or did within the last 0.25 s.
  private(set) var hasVoice = false
  /// A Boolean value indicating whether the last window itself is above the threshold.
  private(set) var isActive = false

  /// Frames in 10 ms.
  private let window: Int
  private var gathered = 0
  private var energy: Float = 0
  private var highPass: Biquad
  private var lowPass: Biquad
  private var floor: NoiseFloor
  private var evidence = 0
  private var hangover = 0

  /// 9 dB above the noise floor.
  private let ratio: Float = 8
  /// −56 dBFS: quieter signals are not meant to be heard.
  private let quietest: Float = 2.5e-6
  /// In windows: a click is shorter than a syllable.
  private let onset = 4
  private let hangoverWindows = 25

  init(rate: Int) {
    window = rate / 100
    floor = NoiseFloor(BlockTime(frames: window, rate: 100 * window))
    highPass = .highPass(200, rate: rate)
    lowPass = .lowPass(3400, rate: rate)
  }

  @_noLocks @_noAllocation
  mutating func update(_ samples: UnsafePointer<Float>, frames: Int) {
    var done = 0
    while done < frames {
      let count = min(frames - done, window - gathered)
      energy += Biquad.energy(samples + done, frames: count, through: &highPass, &lowPass)
      gathered += count
      done += count
      if gathered == window {
        detect(power: energy / Float(window))
        (gathered, energy) = (0, 0)
      }
    }
  }

  @_noLocks @_noAllocation
  private mutating func detect(power: Float) {
    isActive = power > max(ratio * floor.power, quietest)
    floor.update(power: power)
    evidence = isActive ? min(evidence + 1, 2 * onset) : max(evidence - 1, 0)
    if evidence >= onset {
      hangover = hangoverWindows
    } else if hangover > 0 {
      hangover -= 1
    }
    hasVoice = hangover > 0
  }
}
