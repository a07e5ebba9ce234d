/// The state of a ring sink at one instant.
package struct RingSinkStatus: Sendable, Equatable {
  /// The phases of a sink. `rawValue` is what the audio thread stores.
  package enum State: UInt64, Sendable {
    /// Never written to, ended, or reset: legitimately silent (K5).
    case idle = 0
    /// Fills up to its target before it plays.
    case buffering = 1
    case playing = 2
    /// Ran dry while playing, without a write since.
    case underrun = 3
  }
  /// The sink's phase.
  package var state: State
  /// Bytes waiting in the ring.
  package var fillBytes: Int
  /// The average fill that steering aims at, as a share of the ring's capacity, 0–0.5.
  package var targetFill: Double
  /// Gaps since the sink last played a whole second without one.
  package var consecutiveUnderruns: UInt64
  /// Times that the sink ran dry while it played. A gap counts once, however long it is.
  package var totalUnderruns: UInt64
  /// Writes refused because the ring was full, since the last one that fit.
  package var consecutiveDrops: UInt64
  /// Writes refused because the ring was full.
  package var totalDrops: UInt64
  /// Frames accepted; dropped ones do not count.
  package var framesWritten: UInt64
  /// Frames played.
  package var framesRead: UInt64
  /// Whether the sink's nominal rate differs from the graph's.
  package var isResampling: Bool
  /// Graph frames per sink frame, as steered now.
  package var resampleRatio: Double
  /// Deviation of the writer's clock from the graph's, in parts per million, as learnt by the loop; positive is fast.
  package var driftPPM: Double
  /// Smoothed mean deviation of the writes from their due time, in seconds.
  package var jitter: Double
  /// Writes that came much later than due (`sinkJitterSpike`).
  package var jitterSpikes: UInt64
  /// How late the most recent spike came, in seconds.
  package var lastJitterSpike: Double
  /// Linear, after gain, following `MeterBallistics`.
  package var peak: Float
  /// Linear, after gain, over the last 300 ms.
  package var rms: Float
}
