/// Estimates which partitions the echo comes from before the filters know: the prior variance of each row of weights, from all its bins
/// together (empirical Bayes; MacKay, Neural Computation 4, 1992).
///
/// Initially the variances of the partitions hardly differ, and everything that may be echo counts as echo. But a room has one onset and a
/// decay. As soon as one partition stands out, those without echo, before the onset and in the tail, get a lower prior: the filters learn
/// the others faster, and expect less residual echo, so that the near end is understood where both ends talk from the start. An echo that
/// is louder than expected gets a higher prior: otherwise more would remain than the filters expect. Cost: during 2 s of far end, some 10
/// operations a weight every `partitionHops` hops; then none. [realtime] except `init` and `deinit`.
struct PathPrior: ~Copyable {
  private let layout: FilterLayout
  private let tuning: Tuning.PathPrior
  /// Prior variance of each row, of both channels of the far end.
  private let variances: Samples
  private let powers, deviations, sorted: Samples
  /// Remaining updates. Afterwards the variances no longer derive from the prior, but track the path.
  private var updates: Int
  /// Updates from the path's loss on.
  private let mostUpdates: Int

  init(layout: FilterLayout, tuning: Tuning.PathPrior = .standard) {
    self.layout = layout
    self.tuning = tuning
    mostUpdates = layout.hops(tuning.duration) / layout.partitionHops
    updates = mostUpdates
    variances = Samples(2 * layout.partitions)
    powers = Samples(2 * layout.partitions)
    deviations = Samples(2 * layout.partitions)
    sorted = Samples(2 * layout.partitions)
    for row in 0..<2 * layout.partitions { variances[row] = KalmanFilter.priorVariance(row, layout, tuning) }
  }

  /// Adapts the priors of all filters to what the careful one has learnt. Call every `partitionHops` hops while the far end talks.
  @_noLocks @_noAllocation
  mutating func update(
    _ fast: inout KalmanFilter, _ careful: inout KalmanFilter, followers: Followers.View = .none, isStereo: Bool
  ) {
    if updates == 0 { return }
    updates -= 1
    let rows = isStereo ? 2 * layout.partitions : layout.partitions
    var strongest: Float = 0
    for row in 0..<rows {
      let estimate = careful.power(of: row, prior: variances[row])
      powers[row] = max(estimate.power, 0)
      deviations[row] = estimate.deviation
      sorted[row] = powers[row] + deviations[row]
      strongest = max(strongest, estimate.power - tuning.certain * estimate.deviation)
    }
    guard strongest > tuning.contrast * median(sorted.start, count: rows) else { return }
    for row in 0..<rows {
      let first = careful.priorScale * KalmanFilter.priorVariance(row, layout, tuning), former = variances[row]
      let lower = max(tuning.margin * powers[row] + tuning.deviationMargin * deviations[row], tuning.least * first)
      if lower < tuning.lower * former {
        variances[row] = lower
      } else if powers[row] - tuning.certain * deviations[row] > tuning.higher * former {
        variances[row] = max(min(powers[row], tuning.most * first), former)
      }
      if variances[row] == former { continue }
      careful.changePrior(of: row, from: former, to: variances[row])
      fast.changePrior(of: row, from: former, to: variances[row])
      followers.changePrior(of: row, from: former, to: variances[row])
    }
  }

  /// Starts over with the path. Without trust, it stops until then, because the filters' variances no longer derive from it.
  @_noLocks @_noAllocation
  mutating func lose(_ loss: Loss) {
    switch loss {
    case .history: break
    case .trust: updates = 0
    case .path:
      updates = mostUpdates
      for row in 0..<2 * layout.partitions { variances[row] = KalmanFilter.priorVariance(row, layout, tuning) }
    }
  }

  /// Follows `KalmanFilter.scalePrior`, right after the path was lost.
  @_noLocks @_noAllocation
  mutating func scale(by factor: Float) {
    let values = variances.start
    for row in 0..<2 * layout.partitions { values[row] *= factor }
  }

  /// Follows `KalmanFilter.split`.
  @_noLocks @_noAllocation
  mutating func split() {
    let count = layout.partitions
    // A local copy: Swift 6.3 crashes on `variances[row] *= …` under ThreadSanitizer.
    let values = variances.start
    for row in 0..<count {
      values[row] *= 0.5
      values[count + row] = values[row]
    }
  }

  /// Follows `KalmanFilter.join`.
  @_noLocks @_noAllocation
  mutating func join() {
    let count = layout.partitions, values = variances.start
    for row in 0..<count { values[row] += values[count + row] }
  }

  /// Follows `KalmanFilter.move`, after it; `scale` is its `priorScale`.
  @_noLocks @_noAllocation
  mutating func move(by partitions: Int, scale: Float) {
    let count = layout.partitions
    for channel in 0..<2 {
      for i in 0..<count {
        let partition = partitions > 0 ? i : count - 1 - i, source = partition + partitions, row = channel * count + partition
        variances[row] =
          source >= 0 && source < count ? variances[channel * count + source] : scale * KalmanFilter.priorVariance(row, layout, tuning)
      }
    }
  }
}
