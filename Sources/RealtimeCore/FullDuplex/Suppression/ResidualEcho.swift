internal import CRealtime

/// Predicts the power of the residual echo by bin: the filter's uncertainty times a factor by band, learnt while nobody talks at the near
/// end. Until the filter has converged, `NearEndEvidence` keeps talkers from being learnt. Own method. Cost: some 10 operations a bin, and
/// two transcendental ones a band, a hop; none at rest. [realtime] except `init` and `deinit`.
struct ResidualEcho: ~Copyable {
  /// The predicted power by bin.
  let power: Samples
  /// A Boolean value indicating whether no echo is expected, since `rest()`.
  private(set) var isAtRest = false

  private let tuning: Tuning.ResidualEcho
  private let bins: Int
  private let bands: SuppressorBands
  private let former, tail: Samples
  private let calibration, error, prediction, expected: Samples
  private var evidence: NearEndEvidence
  private let tailMemory, bandMemory, rateUp, rateDown, rateOut, pull: Float

  /// The power expected where there is no echo, which keeps ratios finite.
  private let nothing: Float = 1e-12

  init(layout: FilterLayout, tuning: Tuning = .standard, bands: SuppressorBands, bins: Int) {
    let own = tuning.residualEcho
    self.tuning = own
    self.bins = bins
    self.bands = bands
    power = Samples(bins)
    former = Samples(bins)
    tail = Samples(bins)
    calibration = Samples(repeating: own.guarded, count: bands.count)
    error = Samples(bands.count)
    prediction = Samples(bands.count)
    expected = Samples(bands.count)
    evidence = NearEndEvidence(layout: layout, tuning: tuning.nearEndEvidence, bands: bands)
    tailMemory = layout.perHop(own.tail)
    bandMemory = layout.perHop(own.bands)
    rateUp = layout.step(own.rise)
    rateDown = layout.step(own.fall)
    rateOut = layout.step(own.creep)
    pull = layout.step(own.pull)
  }

  /// Processes one hop. While guarded, echo is expected to be loud at once. Above the bands no echo is estimated: everything heard there
  /// while the far end `isWideBand` counts as echo. The factors are adapted where the filter's uncertainty is typical; unless the filter
  /// `hasConverged`, they do not rise while the near end is proven to talk. While the filter `mayBeTooSure` of itself, they are at least
  /// those of a new one.
  @_noLocks @_noAllocation
  mutating func update(_ hop: SuppressorHop) {
    let e2 = hop.bins.error, y2 = hop.bins.echo, errorBands = hop.bands.error, noiseBands = hop.bands.noise
    let isGuarded = hop.isGuarded, learns = hop.canceller.isUncertaintyTypical
    predict(echo: y2, uncertainty: hop.bins.uncertainty)
    bands.sum(power.start, into: expected.start)
    isAtRest = false
    evidence.update(echo: y2, error: errorBands, expected: expected.start, noise: noiseBands)
    // While guarded, everything counts as echo.
    let isNearEnd = evidence.isProven && !hop.canceller.hasConverged && learns && !isGuarded, presence = isNearEnd ? 1 : hop.presence
    // The product of some 20 factors within their limits is a normal number.
    var product: Float = 1
    for band in 0..<bands.count {
      error[band] += (1 - bandMemory) * (errorBands[band] - error[band])
      prediction[band] += (1 - bandMemory) * (expected[band] - prediction[band])
      if isGuarded || hop.canceller.mayBeTooSure { calibration[band] = max(calibration[band], tuning.guarded) }
      if isNearEnd { calibration[band] = min(calibration[band], tuning.proven) }
      if learns { calibrate(band, noise: noiseBands[band], presence: presence) }
      product *= calibration[band]
    }
    let mean = rt_expf(rt_logf(product) / Float(bands.count))
    for band in 0..<bands.count {
      calibration[band] += pull * (mean - calibration[band])
      let factor = tuning.margin * calibration[band]
      for k in bands.edges[band]..<bands.edges[band + 1] { power[k] = factor * power[k] + hop.repaired }
    }
    for k in bands.edges[bands.count]..<bins {
      // Holds the recent maximum, so that dips of the echo are not taken for room noise.
      tail[k] = max(tail[k] * tailMemory, e2[k])
      power[k] = hop.canceller.isWideBand ? tail[k] : nothing
    }
  }

  /// Expects no echo until the next `update`: the far end and the estimated echo are silent.
  @_noLocks @_noAllocation
  mutating func rest() {
    isAtRest = true
    for k in 0..<bins { (power[k], former[k], tail[k]) = (nothing, 0, 0) }
    evidence.forget()
  }

  /// Computes the power by bin, before any factor.
  @_noLocks @_noAllocation
  private func predict(echo: UnsafePointer<Float>, uncertainty: UnsafePointer<Float>) {
    let memory = tailMemory, least = tuning.least, nothing = nothing, end = bands.edges[bands.count]
    for k in stride(from: 0, to: end / 8 * 8, by: 8) {
      let held: SIMD8<Float> = load8(tail + k) * memory, y2 = load8(echo + k), u = load8(uncertainty + k)
      let highest = held.replacing(with: y2, where: y2 .> held)
      let mean: SIMD8<Float> = 0.5 * (u + load8(former + k))
      store8(highest, to: tail + k)
      store8(mean + least * highest + nothing, to: power + k)
      store8(u, to: former + k)
    }
    for k in end / 8 * 8..<end {
      tail[k] = max(tail[k] * memory, echo[k])
      power[k] = 0.5 * (uncertainty[k] + former[k]) + least * tail[k] + nothing
      former[k] = uncertainty[k]
    }
  }

  /// Adapts a band's factor: down at any time, up only while nobody talks at the near end, and hardly at all if the error is far above the
  /// prediction, because then somebody does.
  @_noLocks @_noAllocation
  private mutating func calibrate(_ band: Int, noise: Float, presence: Float) {
    guard calibration[band] * prediction[band] > tuning.audible * noise else { return }
    let ratio = max(error[band] - noise, tuning.leastError * noise) / (prediction[band] + 1e-12) / calibration[band]
    let logarithm = rt_logf(max(ratio, 1e-3))
    let step =
      ratio < 1 ? rateDown * max(logarithm, -1) : ratio < tuning.foreign ? rateUp * (1 - presence) * (1 - presence) * logarithm : rateOut
    calibration[band] = min(max(calibration[band] * rt_expf(step), tuning.low), tuning.high)
  }
}
