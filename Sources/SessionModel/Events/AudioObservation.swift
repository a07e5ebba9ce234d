/// The counters from which events are derived, at one instant. [any]
package struct AudioObservation: Sendable, Equatable {
  /// A ring sink. Totals count from its registration, or from the last reset of the counters.
  package struct Sink: Sendable, Equatable {
    package var id: String
    /// Gaps since it last played without one; a run is in progress if more than 0.
    package var consecutiveUnderruns: UInt64
    package var totalUnderruns: UInt64
    /// Writes refused since the last one that fit; a run is in progress if more than 0.
    package var consecutiveDrops: UInt64
    package var totalDrops: UInt64
    /// `totalDrops` when the present stretch of playback began.
    package var formerDrops: UInt64 = 0
    package var jitterSpikes: UInt64
    /// How late the most recent spike came, in seconds.
    package var lastJitterSpike: Double
    /// Mean deviation of writes from their due time, in seconds.
    package var jitter: Double

    package init(
      id: String, consecutiveUnderruns: UInt64 = 0, totalUnderruns: UInt64 = 0, consecutiveDrops: UInt64 = 0, totalDrops: UInt64 = 0,
      jitterSpikes: UInt64 = 0, lastJitterSpike: Double = 0, jitter: Double = 0
    ) {
      self.id = id
      self.consecutiveUnderruns = consecutiveUnderruns
      self.totalUnderruns = totalUnderruns
      self.consecutiveDrops = consecutiveDrops
      self.totalDrops = totalDrops
      self.jitterSpikes = jitterSpikes
      self.lastJitterSpike = lastJitterSpike
      self.jitter = jitter
    }
  }

  package var sinks: [Sink]
  /// Which stretch of time it is in which the sinks are played; nil while they are not, as in an interruption or a pause. After a pause it
  /// is the same again.
  package var playback: Int? = 0
  /// Cycles missed since the start, or since the last reset of the counters.
  package var xruns: UInt64
  /// Frames per cycle.
  package var quantum: Int
  /// Frames per second.
  package var rate: Int
  /// The largest share of a cycle's time used in the last second.
  package var busyRatioPeak: Double
  /// Whether somebody talks into the muted microphone (D2).
  package var isTalkingWhileMuted = false

  package init(
    sinks: [Sink] = [], xruns: UInt64 = 0, quantum: Int = 0, rate: Int = 0, busyRatioPeak: Double = 0
  ) {
    self.sinks = sinks
    self.xruns = xruns
    self.quantum = quantum
    self.rate = rate
    self.busyRatioPeak = busyRatioPeak
  }
}

/// The devices in use by node name; nil without a device. [any]
public struct RouteEnds: Sendable, Equatable {
  /// `node.name` of the real microphone.
  public var microphone: String?
  /// `node.name` of the real speaker.
  public var speaker: String?

  package init(microphone: String? = nil, speaker: String? = nil) {
    self.microphone = microphone
    self.speaker = speaker
  }
}
