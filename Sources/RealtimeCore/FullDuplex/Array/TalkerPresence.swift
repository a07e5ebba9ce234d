internal import CRealtime

/// Tells by level alone when the talker of an array talks, whoever else does: the loudest voice of the last seconds is the talker, what is
/// far below it is noise, and of what is between nothing is learnt. A talker aside is farther away, and softer.
///
/// Levels are in dB, of the reference microphone between 200 Hz and 5 kHz. The noise's is a minimum that rises (Martin, EUSIPCO 1994), the
/// talker's a maximum that falls. Own method. Cost: one logarithm and some exponentials a hop. [realtime] except `init`.
struct TalkerPresence {
  /// How surely the talker talks, and how far what is heard is learnt as noise, 0…1.
  private(set) var talker: Float = 0
  private(set) var noise: Float = 0
  /// The noise's level.
  private(set) var floor: Float = 0

  private let tuning: Tuning.TalkerPresence
  private let levelMemory, noiseRise, attack, release, holdMemory: Float
  private let settling: Int
  private var hops = 0
  private var level: Float = 0
  /// The noise's level when it last fell much, or the highest since.
  private var former: Float = 0
  private var voice: Float = 0
  private var held: Float = 0

  init(layout: FilterLayout, tuning: Tuning.TalkerPresence = .standard) {
    self.tuning = tuning
    levelMemory = layout.perHop(tuning.level)
    noiseRise = tuning.noiseRise * Float(layout.hop) / Float(layout.rate)
    attack = 1 - layout.perHop(tuning.attack)
    release = 1 - layout.perHop(tuning.release)
    holdMemory = layout.perHop(tuning.hold)
    settling = layout.hops(0.3)
  }

  /// Begins anew with another reference microphone.
  @_noLocks @_noAllocation
  mutating func restart() { hops = 0 }

  /// Returns a mean |X|² as a level.
  @_noLocks @_noAllocation
  static func level(_ power: Float) -> Float { 4.342945 * rt_logf(power + 1e-12) }

  /// Processes one hop. Returns whether the noise's level has fallen much: what was learnt as noise may have been a voice.
  ///
  /// - Parameters:
  ///   - power: mean |X|² of the reference microphone.
  ///   - trust: how surely it is no echo, 0…1.
  @_noLocks @_noAllocation
  mutating func update(power: Float, trust: Float) -> Bool {
    let newest = Self.level(power)
    if hops == 0 { (level, floor, former, voice) = (newest, newest, newest, newest + tuning.overNoise) }
    hops = min(hops + 1, settling + 1)
    level += (1 - levelMemory) * (newest - level)
    if hops <= settling { floor += 0.05 * (level - floor) }
    floor = min(level, floor + noiseRise)
    former = max(former, floor)
    let hasFallen = former - floor > tuning.fall
    if hasFallen { former = floor }
    if level > voice {
      voice += attack * trust * (level - voice)
    } else {
      voice += release * (max(floor + tuning.overNoise, level) - voice)
    }
    let isHeard = logistic(level - floor - tuning.least)
    talker = trust * isHeard * logistic((level - voice + tuning.below) / tuning.width)
    held = max(isHeard * logistic((level - voice + tuning.mostBelow) / tuning.wideWidth), held * holdMemory)
    noise = max(0, 1 - tuning.caution * held)
    return hasFallen
  }

  @_noLocks @_noAllocation
  private func logistic(_ x: Float) -> Float { 1 / (1 + rt_expf(min(max(-x, -30), 30))) }
}
