internal import CRealtime

/// Measures how loud the far end is while it talks, and the gain that brings it to the usual level. What a loudspeaker distorts depends on
/// how far it is turned up, not on the far end's own level: a soft far end through a loud loudspeaker is distorted as much as a loud one
/// through a soft one. Own method. Cost: a root a hop. [realtime]
struct ReferenceLevel {
  /// The gain to `usual`, 1/16…64.
  private(set) var gain: Float = 1

  /// Mean square while the far end talks, with a time constant of 4 s, or over all hops so far.
  private var level: Float = 0
  private var heardHops = 0
  /// The share of a hop in `level`.
  private let share: Float
  /// Hops before the first gain change, 0.4 s: the first syllable is not representative.
  private let leastHops: Int
  /// −26 dBFS: the usual level of far-end speech.
  private let usual: Float = 0.05
  /// Smallest change of the gain, 8 dB: each change costs the filter some of what it has learnt of the distortion.
  private let tolerance: Float = 2.5

  init(layout: FilterLayout) {
    share = 1 - rt_expf(-Float(layout.hop) / Float(layout.rate) / 4)
    leastHops = layout.hops(0.4)
  }

  /// Processes one hop's mean square. Returns the factor by which the gain has changed, or nil.
  @_noLocks @_noAllocation
  mutating func update(_ power: Float) -> Float? {
    // Pauses, 15 dB below speech, do not count.
    guard power > max(0.03 * level, 1e-8) else { return nil }
    heardHops = min(heardHops + 1, 1 << 20)
    level += max(share, 1 / Float(heardHops)) * (power - level)
    let wanted = min(max(usual / rt_sqrtf(level), 1 / 16), 64), factor = wanted / gain
    guard heardHops >= leastHops, factor > tolerance || factor < 1 / tolerance else { return nil }
    gain = wanted
    return factor
  }
}
