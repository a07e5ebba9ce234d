internal import CRealtime

/// What is measured of one channel of the microphone, in windows of 10 ms. [realtime] except `init`.
///
/// Powers are mean squares above 100 Hz, without rumble. The correlation compares with the best channel below 1 kHz, where microphones of
/// one device, a few centimetres apart, hear the same.
struct InputWatch: BitwiseCopyable {
  /// Power in the last window, and over about 0.1 s.
  private(set) var power: Float = 0
  private(set) var level: Float = 0
  /// The power of a voice over the noise, while somebody talks: over about 0.1 s; its peak, which falls by 1 dB in 3 s; and one that falls
  /// by 4 dB in a second.
  private(set) var voice: Float = 0
  private(set) var loudestVoice: Float = 0
  private(set) var latestVoice: Float = 0
  /// Correlation coefficient with the best channel, −1…1, over about 0.1 s.
  private(set) var correlation: Float = 0
  /// Share of the samples of about the last second that are clipped.
  private(set) var clippedShare: Float = 0
  /// Largest magnitude, which falls by 20 dB/s.
  private(set) var peak: Float = 0
  private var hasLevel = false
  /// Consecutive windows in which it held nothing, while another channel did.
  private var emptyWindows = 0

  private var floor: NoiseFloor
  private var energy: Float = 0
  private var lowEnergy: Float = 0
  private var cross: Float = 0
  /// Over about 0.1 s.
  private var lowPower: Float = 0
  private var crossPower: Float = 0
  private var clipped = 0
  private var held: Float = 0
  private var run = 0
  private var rumble: Float = 0
  private var deepRumble: Float = 0
  private var low: Float = 0

  /// Samples in a row that are equal where the input is clipped; the crest of a loud tone of 50 Hz stays so for 4 at 48 kHz.
  private static var longRun: Int {
    @_noLocks @_noAllocation get { 6 }
  }

  private static var share: Float {
    @_noLocks @_noAllocation get { 0.12 }
  }

  /// [control]
  init() { floor = NoiseFloor(BlockTime(frames: 480, rate: 48_000)) }

  /// Coefficients of the filters for a rate.
  struct Filters {
    let rumble, low: Float

    @_noLocks @_noAllocation
    init(rate: Int) { (rumble, low) = (Self.pole(100, rate), Self.pole(1_000, rate)) }

    @_noLocks @_noAllocation
    private static func pole(_ frequency: Float, _ rate: Int) -> Float {
      let angle = 2 * Float.pi * frequency / Float(rate)
      return angle / (1 + angle)
    }
  }

  /// The power of the noise; infinite before the first window.
  var noise: Float {
    @_noLocks @_noAllocation get { floor.power }
  }

  /// Whether the last window is 9 dB above the noise, and above −90 dBFS.
  var isActive: Bool {
    @_noLocks @_noAllocation get { power > max(8 * floor.power, 1e-9) }
  }

  /// Whether it holds nothing, while another channel does.
  var isEmpty: Bool {
    @_noLocks @_noAllocation get { emptyWindows >= 5 }
  }

  /// Measures some frames of a window. `best` has those of the best channel below 1 kHz; of that channel itself they are written there.
  @_noLocks @_noAllocation
  mutating func measure(
    _ samples: UnsafePointer<Float>, frames: Int, _ filters: Filters, isBest: Bool, best: UnsafeMutablePointer<Float>
  ) {
    for i in 0..<frames {
      let x = samples[i]
      rumble += filters.rumble * (x - rumble)
      let y = x - rumble
      deepRumble += filters.rumble * (y - deepRumble)
      let z = y - deepRumble
      energy += z * z
      low += filters.low * (z - low)
      lowEnergy += low * low
      if isBest { best[i] = low }
      cross += low * best[i]
      let magnitude = abs(x)
      peak = max(peak, magnitude)
      if magnitude > 0.25, abs(x - held) <= 6e-5 * magnitude {
        run += 1
        if run >= Self.longRun { clipped += 1 }
      } else {
        (held, run) = (x, 0)
      }
    }
  }

  /// Ends a window of `frames`.
  @_noLocks @_noAllocation
  mutating func endWindow(frames: Int) {
    let scale = 1 / Float(frames)
    power = energy * scale
    lowPower += Self.share * (lowEnergy * scale - lowPower)
    crossPower += Self.share * (cross * scale - crossPower)
    level = hasLevel ? level + 0.1 * (power - level) : power
    hasLevel = true
    clippedShare += 0.01 * (Float(clipped) * scale - clippedShare)
    peak *= 0.977
    (energy, lowEnergy, cross, clipped) = (0, 0, 0, 0)
    floor.update(power: power)
  }

  /// Takes the last window for one with a voice.
  @_noLocks @_noAllocation
  mutating func noteVoice() {
    voice += Self.share * (max(0, power - noise) - voice)
    loudestVoice = max(0.999_23 * loudestVoice, voice)
    latestVoice = max(0.990_8 * latestVoice, voice)
  }

  /// Whether it has heard the talker about as well as another one.
  @_noLocks @_noAllocation
  func hasVoice(like other: InputWatch) -> Bool { loudestVoice > max(0.06 * other.loudestVoice, 1e-9) }

  /// Whether there is a voice in the last window, within 10 dB of the loudest.
  var isTalking: Bool {
    @_noLocks @_noAllocation get { isActive && power > 0.1 * loudestVoice && clippedShare < 1e-3 }
  }

  /// Compares with the best channel, and with all, after a window.
  ///
  /// - Parameters:
  ///   - loudest: the greatest power of all.
  ///   - isActive: whether something is heard, and not only noise.
  ///   - isVoiced: whether one that hears the talker `isTalking`.
  @_noLocks @_noAllocation
  mutating func compare(with best: InputWatch, loudest: Float, isActive: Bool, isVoiced: Bool) {
    // −100 dBFS beside −80, but for a gate that lets nothing but voices pass; or 40 dB below its own voice while another channel has it.
    let isMute = power < 1e-10 && loudest > 1e-8 && (isActive || loudestVoice == 0)
    let isDead = isVoiced && hasVoice(like: best) && power < 1e-4 * loudestVoice
    if isMute || isDead {
      emptyWindows = min(emptyWindows + 1, 1_000)
    } else if power >= 1e-10, isVoiced || emptyWindows < 5 || power > 1e-2 * loudestVoice {
      emptyWindows = 0
    }
    let both = rt_sqrtf(lowPower * best.lowPower)
    correlation = both > 1e-12 ? crossPower / both : 0
  }
}
