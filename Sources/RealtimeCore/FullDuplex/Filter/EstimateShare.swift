/// Limits how much of the estimated echo is subtracted: the residual is never louder than the microphone.
///
///     share = clamp((m + y − e) / y, 0, 1),   of the energies m, y and e of the microphone, the estimate and the residual
///
/// The echo is part of the microphone, so an estimate that makes it louder is wrong: of a filter that has learnt a near end, or of a path
/// that has changed. The largest share that leaves no more than there was is 1 as long as the estimate does no harm, whatever the near end
/// says, and falls gradually otherwise, also before the filters are found to be wrong. Energies are smoothed. Own method. Cost:
/// three mean squares a hop, and a crossfade while less than the estimate is subtracted. [realtime] except `init` and `deinit`.
struct EstimateShare: ~Copyable {
  /// Echo and residual of the newest hop; valid if `limit` returned true.
  var echo: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { UnsafePointer(subtracted.start) }
  }
  var residual: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { UnsafePointer(left.start) }
  }

  private let hop: Int
  private let memory, negligible: Float
  private let subtracted, left: Samples
  private var microphonePower: Float = 0
  private var echoPower: Float = 0
  private var residualPower: Float = 0
  /// The share at the end of the newest hop.
  private var share: Float = 1

  init(layout: FilterLayout, tuning: Tuning.EstimateShare = .standard) {
    hop = layout.hop
    memory = layout.perHop(tuning.memory)
    negligible = tuning.negligible
    subtracted = Samples(layout.hop)
    left = Samples(layout.hop)
  }

  /// Forgets former hops: nothing is played, or the microphone is closed.
  @_noLocks @_noAllocation
  mutating func pass() { (microphonePower, echoPower, residualPower, share) = (0, 0, 0, 1) }

  /// Processes a hop of the three. Returns whether less than the estimate is to be subtracted.
  @_noLocks @_noAllocation
  mutating func limit(microphone: UnsafePointer<Float>, echo: UnsafePointer<Float>, residual: UnsafePointer<Float>) -> Bool {
    microphonePower += (1 - memory) * (meanSquare(microphone, frames: hop) - microphonePower)
    echoPower += (1 - memory) * (meanSquare(echo, frames: hop) - echoPower)
    residualPower += (1 - memory) * (meanSquare(residual, frames: hop) - residualPower)
    let before = share
    share = min(max((microphonePower + echoPower - residualPower) / (echoPower + 1e-12), 0), 1)
    // Of a negligible estimate, rounding would decide.
    if echoPower < negligible { share = 1 }
    if before == 1, share == 1 { return false }
    let step = (share - before) / Float(hop)
    for i in 0..<hop {
      let subtracts = before + step * (Float(i) + 0.5)
      subtracted[i] = subtracts * echo[i]
      left[i] = residual[i] + (1 - subtracts) * echo[i]
    }
    return true
  }
}
