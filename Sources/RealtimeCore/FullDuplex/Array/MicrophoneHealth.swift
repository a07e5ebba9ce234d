internal import CRealtime

/// Finds microphones of an array that die: whose level falls far below what it usually is, measured by the others, or whose hop ends in
/// zeros. Chooses the reference: the main microphone, or the first that lives. Own method. Cost: a mean square and a logarithm a microphone
/// and hop. [realtime] except `init` and `deinit`.
struct MicrophoneHealth: ~Copyable {
  /// The microphone as which the voice is heard, and the factor that makes it as loud as the main one.
  private(set) var reference = 0
  private(set) var referenceGain: Float = 1

  private let count, hop: Int
  private let tuning: Tuning.MicrophoneHealth
  private let levelMemory, usualStep: Float
  private let recovery: Int
  /// Level in dB, and how far it usually is above the mean of all.
  private let levels, usual: Samples
  private let dead: Buffer<Bool>
  /// Hops since a dead one is heard again.
  private let heard: Buffer<Int>

  init(count: Int, layout: FilterLayout, tuning: Tuning.MicrophoneHealth = .standard) {
    (self.count, self.tuning) = (count, tuning)
    hop = layout.hop
    levelMemory = layout.perHop(tuning.level)
    usualStep = 1 - layout.perHop(tuning.usual)
    recovery = layout.hops(tuning.recovery)
    levels = Samples(repeating: -100, count: count)
    usual = Samples(count)
    dead = Buffer(repeating: false, count: count)
    heard = Buffer(repeating: 0, count: count)
  }

  /// Follows the first microphone and another one, which have changed places.
  @_noLocks @_noAllocation
  mutating func exchange(_ place: Int) {
    (levels[0], levels[place]) = (levels[place], levels[0])
    (usual[0], usual[place]) = (usual[place], usual[0])
    (dead.start[0], dead.start[place]) = (dead.start[place], dead.start[0])
    (heard.start[0], heard.start[place]) = (heard.start[place], heard.start[0])
    reference = -1
    choose()
  }

  @_noLocks @_noAllocation
  func isDead(_ microphone: Int) -> Bool { dead.start[microphone] }

  /// Measures a hop of a microphone, before `update`.
  @_noLocks @_noAllocation
  func measure(_ samples: UnsafePointer<Float>, of microphone: Int) {
    let level = max(4.342945 * rt_logf(meanSquare(samples, frames: hop) + 1e-12), -100)
    // A hop that ends in zeros is one that something has cut off.
    let isCut = peak(samples + (hop - 8), frames: 8) == 0
    levels[microphone] = isCut ? -100 : levels[microphone] + (1 - levelMemory) * (level - levels[microphone])
  }

  /// Judges all microphones. Returns whether one has died.
  @_noLocks @_noAllocation
  mutating func update() -> Bool {
    let usual = usual.start
    var highest = -Float.infinity, mean: Float = 0, alive = 0
    for i in 0..<count {
      highest = max(highest, levels[i] - usual[i])
      if !dead.start[i] { (mean, alive) = (mean + levels[i], alive + 1) }
    }
    mean /= Float(max(alive, 1))
    var hasDied = false
    for i in 0..<count {
      let below = highest - (levels[i] - usual[i])
      if !dead.start[i] {
        dead.start[i] = below > tuning.dead
        hasDied = hasDied || dead.start[i]
        if alive == count, below < tuning.alive { usual[i] += usualStep * (levels[i] - mean - usual[i]) }
      } else {
        heard.start[i] = below < tuning.alive ? heard.start[i] + 1 : 0
        if heard.start[i] >= recovery { (dead.start[i], heard.start[i]) = (false, 0) }
      }
    }
    choose()
    return hasDied
  }

  @_noLocks @_noAllocation
  private mutating func choose() {
    var best = 0
    while best < count, dead.start[best] { best += 1 }
    if best == count { best = 0 }
    if best == reference { return }
    reference = best
    referenceGain = best == 0 ? 1 : rt_expf(0.1151293 * (usual[0] - usual[best]))
  }
}
