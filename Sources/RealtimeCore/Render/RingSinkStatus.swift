/// What a ring sink is doing at one instant.
public struct RingSinkStatus: Sendable, Equatable {
  public enum State: UInt64, Sendable {
    /// Never written to, ended, or reset: silent by right (K5).
    case idle = 0
    /// Has data, and fills up to its target before it plays.
    case buffering = 1
    case playing = 2
    /// Ran dry while playing, and nothing has been written since.
    case underrun = 3
  }
  /// What it is doing.
  public var state: State
  /// Bytes waiting in the ring.
  public var fillBytes: Int
  /// Share of the ring's capacity that the fill is steered to, averaged over a cycle, 0–0.5.
  public var targetFill: Double
  /// Gaps since the sink last played a whole second without one.
  public var consecutiveUnderruns: UInt64
  /// Gaps: times that the sink ran dry while it played. One gap counts once, however long it is.
  public var totalUnderruns: UInt64
  /// Writes refused because the ring was full, since the last that fitted.
  public var consecutiveDrops: UInt64
  /// Writes refused because the ring was full.
  public var totalDrops: UInt64
  /// Frames taken; dropped ones do not count.
  public var framesWritten: UInt64
  /// Frames played.
  public var framesRead: UInt64
  /// Whether the sink's nominal rate differs from the graph's.
  public var isResampling: Bool
  /// Graph frames per sink frame, as steered now.
  public var resampleRatio: Double
  /// How fast the writer's clock is against the graph's, in parts per million, as the loop has learnt it; positive is fast.
  public var driftPPM: Double
  /// Mean deviation of the writes' times from those at which they were due, in seconds, smoothed.
  public var jitter: Double
  /// Writes that came much later than they were due (`sinkJitterSpike`).
  public var jitterSpikes: UInt64
  /// How late the last of them came, in seconds.
  public var lastJitterSpike: Double
  /// Linear, after gain, with `MeterBallistics`.
  public var peak: Float
  /// Linear, after gain, over the last 300 ms.
  public var rms: Float
}
