internal import CRealtime

/// The power of the echo that the linear canceller leaves, by bin: the filter's own uncertainty, which predicts it up to a factor, and that
/// factor, learnt by band where nobody talks at the near end. [realtime] except `init` and `deinit`.
struct ResidualEcho: ~Copyable {
  /// By bin.
  let power: UnsafeMutablePointer<Float>

  private let bins: Int
  private let bands: Int
  private let edges: UnsafeMutablePointer<Int>
  private let former, tail: UnsafeMutablePointer<Float>
  private let calibration, error, prediction: UnsafeMutablePointer<Float>
  private let tailMemory, bandMemory, rateUp, rateDown, rateOut, pull: Float

  /// Safety factor of the predicted residual echo: to overestimate it is safer than to underestimate it.
  private let margin: Float = 2
  /// A share of the estimated echo is always left: loudspeakers and rooms are not linear.
  private let least: Float = 0.003
  /// Farther up, a talker would be taken for echo, and then for more of it.
  private let range: (low: Float, high: Float) = (0.1, 8)
  private let guarded: Float = 2

  init(layout: FilterLayout, bands: SuppressorBands, bins: Int) {
    self.bins = bins
    self.bands = bands.count
    edges = .allocate(capacity: bands.edges.count)
    edges.initialize(from: bands.edges, count: bands.edges.count)
    power = .silence(bins)
    former = .silence(bins)
    tail = .silence(bins)
    calibration = .silence(bands.count)
    error = .silence(bands.count)
    prediction = .silence(bands.count)
    for band in 0..<bands.count { calibration[band] = guarded }
    tailMemory = layout.perHop(0.85)
    bandMemory = layout.perHop(0.7)
    let hop = Float(layout.hop) / Float(layout.rate) * 187.5
    rateUp = 0.45 * hop
    rateDown = 0.045 * hop
    rateOut = 0.0015 * hop
    pull = 0.02 * hop
  }

  deinit {
    edges.deallocate()
    for array in [power, former, tail, calibration, error, prediction] { array.deallocate() }
  }

  /// One hop, by bin: |E|², |Y|² of the estimated echo, what the filter expects to be wrong with that, the noise. `presence` is how likely
  /// the near end talks. Guarded, an echo is expected to be loud at once. Above the bins of the bands no echo is estimated: whatever is
  /// heard there while the far end `isWideBand` is taken for echo.
  @_noLocks @_noAllocation
  mutating func update(
    error e2: UnsafePointer<Float>, echo y2: UnsafePointer<Float>, uncertainty: UnsafePointer<Float>, noise: UnsafePointer<Float>,
    presence: Float, isGuarded: Bool, isWideBand: Bool
  ) {
    var sumOfLogs: Float = 0
    for band in 0..<bands {
      var heard: Float = 0, expected: Float = 0, quiet: Float = 0
      for k in edges[band]..<edges[band + 1] {
        tail[k] = max(tail[k] * tailMemory, y2[k])
        power[k] = 0.5 * (uncertainty[k] + former[k]) + least * tail[k] + 1e-12
        former[k] = uncertainty[k]
        heard += e2[k]
        expected += power[k]
        quiet += noise[k]
      }
      error[band] += (1 - bandMemory) * (heard - error[band])
      prediction[band] += (1 - bandMemory) * (expected - prediction[band])
      if isGuarded { calibration[band] = max(calibration[band], guarded) }
      calibrate(band, noise: quiet, presence: presence)
      sumOfLogs += rt_logf(calibration[band])
    }
    let mean = rt_expf(sumOfLogs / Float(bands))
    for band in 0..<bands {
      calibration[band] += pull * (mean - calibration[band])
      let factor = margin * calibration[band]
      for k in edges[band]..<edges[band + 1] { power[k] *= factor }
    }
    for k in edges[bands]..<bins {
      // As loud as lately: its dips are no noise of the room either.
      tail[k] = max(tail[k] * tailMemory, e2[k])
      power[k] = isWideBand ? tail[k] : 1e-12
    }
  }

  /// Down at any time, up only while nobody talks at the near end, and hardly where the error is far beyond what is expected: that is
  /// somebody.
  @_noLocks @_noAllocation
  private mutating func calibrate(_ band: Int, noise: Float, presence: Float) {
    guard calibration[band] * prediction[band] > 2 * noise else { return }
    let ratio = max(error[band] - noise, 0.1 * noise) / (prediction[band] + 1e-12) / calibration[band]
    let logarithm = rt_logf(max(ratio, 1e-3))
    let step =
      ratio < 1 ? rateDown * max(logarithm, -1) : ratio < 6 ? rateUp * (1 - presence) * (1 - presence) * logarithm : rateOut
    calibration[band] = min(max(calibration[band] * rt_expf(step), range.low), range.high)
  }
}
