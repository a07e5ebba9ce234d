internal import CRealtime

/// Measures how loud the far end is while it talks, and the gain that brings it to the usual level. What a loudspeaker distorts depends on
/// how far it is turned up, not on the far end's own level: a soft far end through a loud loudspeaker is distorted as much as a loud one
/// through a soft one. Own method. Cost: a root a hop. [realtime]
struct ReferenceLevel {
  /// The gain to usual speech.
  private(set) var gain: Float = 1

  /// Mean square while the far end talks: recent, or over all hops so far.
  private var level: Float = 0
  private var heardHops = 0
  /// The share of a hop in `level`.
  private let share: Float
  /// Hops before the first gain change.
  private let leastHops: Int
  private let tuning: Tuning.ReferenceLevel

  init(layout: FilterLayout, tuning: Tuning.ReferenceLevel = .standard) {
    self.tuning = tuning
    share = 1 - rt_expf(-Float(layout.hop) / Float(layout.rate) / tuning.memory)
    leastHops = layout.hops(tuning.settling)
  }

  /// Processes one hop's mean square. Returns the factor by which the gain has changed, or nil.
  @_noLocks @_noAllocation
  mutating func update(_ power: Float) -> Float? {
    // Pauses do not count.
    guard power > max(tuning.pause * level, tuning.silence) else { return nil }
    heardHops = min(heardHops + 1, 1 << 20)
    level += max(share, 1 / Float(heardHops)) * (power - level)
    let wanted = min(max(tuning.usual / rt_sqrtf(level), tuning.leastGain), tuning.mostGain), factor = wanted / gain
    guard heardHops >= leastHops, factor > tuning.tolerance || factor < 1 / tuning.tolerance else { return nil }
    gain = wanted
    return factor
  }
}
