/// Steers a ring's fill to its target by small changes of speed, so that a writer's clock may drift from the graph's indefinitely (K3).
///
/// A proportional-integral loop on the low-passed fill. With ω = 0.04 rad/s and critical damping, a step of 500 ppm moves the fill by no
/// more than 500 ppm / (e·ω) ≈ 4.6 ms, and a writer's jitter of 60 ms causes less than 500 ppm of wander. Speed stays within ±2000 ppm (3.5
/// cents) and changes by at most 250 ppm per second (0.4 cents/s), far below what is audible.
struct DriftSteering {
  /// Largest deviation of speed, as a ratio.
  static let limit = 2_000e-6
  /// Largest change of that deviation per second.
  static let slew = 250e-6
  /// Largest drift that is learnt, as a ratio.
  static let driftLimit = 1_000e-6
  /// Seconds of fill needed against jitter and bursts of 60 ms each.
  static let safeFill = 0.1

  /// Seconds of error above which nothing is learnt: drift alone stays below, and a start off the target must not count as drift.
  private static let drivenError = 0.006
  private static let naturalFrequency = 0.04
  private static let smoothingTime = 2.0

  /// Low-passed distance from the target, seconds of audio.
  private var error = 0.0
  /// The learnt drift as a ratio; positive if the writer is fast.
  private(set) var drift = 0.0
  /// The ratio by which the sink plays faster than its nominal rate.
  private(set) var correction = 0.0

  /// The average fill in frames to aim at, for a ring of `capacity` frames from which each cycle takes `need`: half the ring, which leaves
  /// equal room for bursts and gaps; less in a big ring, because fill is latency. [realtime]
  @_noLocks @_noAllocation
  static func target(capacity: Int, sampleRate: Double, need: Double) -> Double {
    min(Double(capacity) / 2, safeFill * sampleRate + need / 2)
  }

  /// Starts to play, keeping the learnt drift. [realtime]
  @_noLocks @_noAllocation
  mutating func start() {
    error = 0
    correction = drift
  }

  /// Updates with one cycle of `duration` seconds, whose fill is `error` seconds above its target. [realtime]
  @_noLocks @_noAllocation
  mutating func update(error now: Double, duration: Double) {
    error += (now - error) * duration / (duration + Self.smoothingTime)
    let frequency = Self.naturalFrequency
    drift = Self.clamp(drift + frequency * frequency * Self.clamp(error, to: Self.drivenError) * duration, to: Self.driftLimit)
    let wanted = Self.clamp(drift + 2 * frequency * error, to: Self.limit)
    correction += Self.clamp(wanted - correction, to: Self.slew * duration)
  }

  @_noLocks @_noAllocation
  private static func clamp(_ value: Double, to limit: Double) -> Double { max(-limit, min(limit, value)) }
}
