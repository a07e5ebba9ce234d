internal import CRealtime

/// Estimates the delay of the echo relative to the reference by matching onsets: a running cross-correlation of level rises, in steps of 1
/// ms, up to 0.5 s. [realtime] except `init` and `deinit`.
struct EchoDelayEstimator: ~Copyable {
  /// In seconds; NaN until known.
  private(set) var delay = Float.nan

  private let block: Int
  /// Level rises of the reference, newest first: the last `lags` steps plus one block's.
  private let history: Samples
  private let correlation: Samples
  private var reference = OnsetDetector()
  private var microphone = OnsetDetector()
  private var blocks = 0
  private var candidate = -10

  private let lags = 512
  private let steps = 10
  private let evaluationBlocks = 50
  /// A shorter interval while the delay is unknown.
  private let firstEvaluationBlocks = 25
  /// Per block: evidence decays with a time constant of 3.3 s.
  private let memory: Float = 0.997

  init(block: Int) {
    self.block = block
    let capacity = lags + steps
    history = Samples(capacity)
    correlation = Samples(lags)
  }

  /// Discards the estimate because the echo path changed; keeps the reference's history.
  @_noLocks @_noAllocation
  mutating func forget() {
    delay = .nan
    candidate = -10
    blocks = 0
    for lag in 0..<lags { correlation[lag] = 0 }
  }

  /// Updates with one block of 10 ms of each.
  @_noLocks @_noAllocation
  mutating func update(reference far: UnsafePointer<Float>, microphone near: UnsafePointer<Float>, isFarEndActive: Bool) {
    let steps = steps, lags = lags, correlation = correlation.start
    for i in stride(from: lags - 1, through: 0, by: -1) { history[i + steps] = history[i] }
    for step in 0..<steps {
      let start = step * block / steps, end = (step + 1) * block / steps
      history[steps - 1 - step] = reference.rise(meanSquare(far + start, frames: end - start))
    }
    for step in 0..<steps {
      let start = step * block / steps, end = (step + 1) * block / steps
      let rise = microphone.rise(meanSquare(near + start, frames: end - start))
      if rise == 0 || !isFarEndActive { continue }
      let past = history + (steps - 1 - step)
      for lag in 0..<lags { correlation[lag] += rise * past[lag] }
    }
    if isFarEndActive { evaluate() }
  }

  @_noLocks @_noAllocation
  private mutating func evaluate() {
    let correlation = correlation.start
    for lag in 0..<lags { correlation[lag] *= memory }
    blocks += 1
    if blocks < (delay.isNaN ? firstEvaluationBlocks : evaluationBlocks) { return }
    blocks = 0
    var sum: Float = 0, squares: Float = 0, best = 0
    for lag in 0..<lags {
      let value = correlation[lag]
      sum += value
      squares += value * value
      if value > correlation[best] { best = lag }
    }
    let mean = sum / Float(lags)
    let deviation = rt_sqrtf(max(squares / Float(lags) - mean * mean, 0))
    let isClear = correlation[best] - mean > 5 * deviation && deviation > 0
    // Two consecutive equal results are accepted.
    if isClear && abs(best - candidate) <= 2 { delay = Float(best) / 1000 }
    candidate = isClear ? best : -10
  }
}

/// Measures how much louder a step of 1 ms is than the signal before it, in log units; 0 if it is not.
private struct OnsetDetector {
  private var average: Float = -23

  @_noLocks @_noAllocation
  mutating func rise(_ power: Float) -> Float {
    // ln 1e-10: −100 dBFS and below count as the same silence.
    let level = rt_logf(max(power, 1e-10))
    let rise = level - average
    // Fast attack, so that an onset is one step and not the 20 ms after it.
    average += (rise > 0 ? 0.4 : 0.05) * rise
    return rise > 0.7 ? min(rise, 5) : 0
  }
}
