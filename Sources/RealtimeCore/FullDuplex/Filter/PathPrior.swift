internal import CRealtime

/// Estimates which partitions the echo comes from before the filters know: the prior variance of each row of weights, from all its bins
/// together (empirical Bayes; MacKay, Neural Computation 4, 1992).
///
/// At first an echo may come from anywhere, so that each partition is as uncertain as the next, and whatever cannot be told from the near
/// end counts as echo. But a room has one onset and a decay. As soon as one partition stands out, those that hold nothing, before the onset
/// and in the tail, get a lower prior: the filters learn the others faster, and expect less echo to remain. Where both ends talk from the
/// first moment on, the near end is understood because of it. An echo that is louder than expected gets a higher prior: without it, more
/// would remain than the filters expect. [realtime] except `init` and `deinit`.
struct PathPrior: ~Copyable {
  private let layout: FilterLayout
  /// By row of both channels of the far end.
  private let variances: UnsafeMutablePointer<Float>
  private let powers, deviations, sorted: UnsafeMutablePointer<Float>
  /// Updates that are left. Later the filters' variances are no longer what is left of the prior, but tell how the path changes.
  private var updates: Int
  /// 2 s of far-end speech.
  private let mostUpdates: Int

  /// A partition stands out: so many times the median.
  private let contrast: Float = 8
  /// Safety factors of the estimate, and of its deviation, where the prior is lowered.
  private let margin: Float = 6
  private let deviationMargin: Float = 5
  /// Limits of the prior, as shares of the first one, and changes that are worthwhile, as shares of the former one.
  private let limits: (low: Float, high: Float) = (0.03, 30)
  private let worthwhile: (low: Float, high: Float) = (0.7, 2)

  init(layout: FilterLayout) {
    self.layout = layout
    mostUpdates = layout.hops(2) / layout.partitionHops
    updates = mostUpdates
    variances = .silence(2 * layout.partitions)
    powers = .silence(2 * layout.partitions)
    deviations = .silence(2 * layout.partitions)
    sorted = .silence(2 * layout.partitions)
    for row in 0..<2 * layout.partitions { variances[row] = KalmanFilter.priorVariance(row, layout) }
  }

  deinit {
    for array in [variances, powers, deviations, sorted] { array.deallocate() }
  }

  /// Changes the priors of both filters by what the careful one has learnt, while the far end talks, every `partitionHops` hops.
  @_noLocks @_noAllocation
  mutating func update(_ fast: inout KalmanFilter, _ careful: inout KalmanFilter, isStereo: Bool) {
    if updates == 0 { return }
    updates -= 1
    let rows = isStereo ? 2 * layout.partitions : layout.partitions
    var strongest: Float = 0
    for row in 0..<rows {
      let estimate = careful.power(of: row, prior: variances[row])
      (powers[row], deviations[row]) = (max(estimate.power, 0), estimate.deviation)
      strongest = max(strongest, estimate.power - 2 * estimate.deviation)
    }
    guard strongest > contrast * median(rows) else { return }
    for row in 0..<rows {
      let first = KalmanFilter.priorVariance(row, layout), former = variances[row]
      let lower = max(margin * powers[row] + deviationMargin * deviations[row], limits.low * first)
      if lower < worthwhile.low * former {
        variances[row] = lower
      } else if powers[row] - 2 * deviations[row] > worthwhile.high * former {
        variances[row] = max(min(powers[row], limits.high * first), former)
      }
      if variances[row] == former { continue }
      careful.changePrior(of: row, from: former, to: variances[row])
      fast.changePrior(of: row, from: former, to: variances[row])
    }
  }

  /// Starts over, because the filters were reset.
  @_noLocks @_noAllocation
  mutating func forget() {
    updates = mostUpdates
    for row in 0..<2 * layout.partitions { variances[row] = KalmanFilter.priorVariance(row, layout) }
  }

  /// Leaves the filters alone until they are reset, because their variances were raised.
  @_noLocks @_noAllocation
  mutating func doubt() { updates = 0 }

  /// Follows `KalmanFilter.split`.
  @_noLocks @_noAllocation
  mutating func split() {
    for row in 0..<layout.partitions {
      variances[row] *= 0.5
      variances[layout.partitions + row] = variances[row]
    }
  }

  /// Follows `KalmanFilter.join`.
  @_noLocks @_noAllocation
  mutating func join() {
    for row in 0..<layout.partitions { variances[row] += variances[layout.partitions + row] }
  }

  /// Follows `KalmanFilter.move`.
  @_noLocks @_noAllocation
  mutating func move(by partitions: Int) {
    let count = layout.partitions
    for channel in 0..<2 {
      for i in 0..<count {
        let partition = partitions > 0 ? i : count - 1 - i, source = partition + partitions, row = channel * count + partition
        variances[row] =
          source >= 0 && source < count ? variances[channel * count + source] : KalmanFilter.priorVariance(row, layout)
      }
    }
  }

  /// Returns the median over rows of the power, each with its deviation.
  @_noLocks @_noAllocation
  private mutating func median(_ rows: Int) -> Float {
    for row in 0..<rows {
      let level = powers[row] + deviations[row]
      var i = row
      while i > 0, sorted[i - 1] > level {
        sorted[i] = sorted[i - 1]
        i -= 1
      }
      sorted[i] = level
    }
    return sorted[rows / 2]
  }
}
