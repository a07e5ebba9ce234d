internal import CRealtime

/// Measures how loud the far end is while it talks, and gives the gain that makes it as loud as far ends usually are. What a loudspeaker
/// distorts depends on how far it is turned up, not on the far end's own level: a soft far end through a loud loudspeaker is distorted as
/// much as a loud one through a soft one. [realtime]
struct ReferenceLevel {
  /// The gain to `usual`, 1/16…64.
  private(set) var gain: Float = 1

  /// Mean square while the far end talks, over 4 s, or over all that has been heard so far.
  private var level: Float = 0
  private var heardHops = 0
  private let memory: Float
  /// Hops that are heard before the gain is changed, 0.4 s: the first syllable tells little.
  private let leastHops: Int
  /// −26 dBFS: the usual level of far-end speech.
  private let usual: Float = 0.05
  /// 8 dB: a gain that is off by less stays, because a change costs the filter some of what it has learnt of the distortion.
  private let tolerance: Float = 2.5

  init(layout: FilterLayout) {
    memory = 1 - rt_expf(-Float(layout.hop) / Float(layout.rate) / 4)
    leastHops = layout.hops(0.4)
  }

  /// Takes a hop's mean square. Returns the factor by which the gain has changed, or nil if it has not.
  @_noLocks @_noAllocation
  mutating func update(_ power: Float) -> Float? {
    // Pauses do not count: 15 dB below speech.
    guard power > max(0.03 * level, 1e-8) else { return nil }
    heardHops = min(heardHops + 1, 1 << 20)
    level += max(memory, 1 / Float(heardHops)) * (power - level)
    let wanted = min(max(usual / rt_sqrtf(level), 1 / 16), 64), factor = wanted / gain
    guard heardHops >= leastHops, factor > tolerance || factor < 1 / tolerance else { return nil }
    gain = wanted
    return factor
  }
}
