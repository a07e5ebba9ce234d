/// Steers a ring's fill to its target by small changes of speed, so that a writer's clock may drift from the graph's for ever (K3).
///
/// A proportional-integral loop on the low-passed fill. With ω = 0.04 rad/s and critical damping, a step of 500 ppm moves the fill by no more than
/// 500 ppm / (e·ω) ≈ 4.6 ms, and a writer's jitter of 60 ms turns into less than 500 ppm of wander. Speed never leaves ±2000 ppm (3.5 cents) and never
/// changes faster than 250 ppm per second (0.4 cents/s), far below what an ear notices.
struct DriftSteering {
  /// Largest change of speed, as a share.
  static let limit = 2_000e-6
  /// Largest change of that change, per second.
  static let slew = 250e-6
  /// Largest lasting drift that is learnt.
  static let driftLimit = 1_000e-6
  /// Seconds of fill that one needs at hand against jitter and bursts of 60 ms each.
  static let safeFill = 0.1

  /// Seconds of error beyond which nothing more is learnt: drift alone keeps within it, and a start off the target must not pass for drift.
  private static let drivenError = 0.006
  private static let naturalFrequency = 0.04
  private static let smoothingTime = 2.0

  /// Low-passed distance from the target, seconds of audio.
  private var error = 0.0
  /// Learnt drift, as a share; positive where the writer is fast.
  private(set) var drift = 0.0
  /// Share by which the sink is played faster than its nominal rate.
  private(set) var correction = 0.0

  /// Frames to keep at hand on average, for a ring of `capacity` frames from which each cycle takes `need`. Half the ring, which leaves as much room for
  /// bursts as for gaps; less in a big ring, because fill is latency. [realtime]
  @_noLocks @_noAllocation
  static func target(capacity: Int, sampleRate: Double, need: Double) -> Double {
    min(Double(capacity) / 2, safeFill * sampleRate + need / 2)
  }

  /// The sink starts to play; the learnt drift is kept. [realtime]
  @_noLocks @_noAllocation
  mutating func start() {
    error = 0
    correction = drift
  }

  /// One cycle of `duration` seconds with the fill `error` seconds above its target. [realtime]
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
