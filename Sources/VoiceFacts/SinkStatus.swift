/// The state of one participant's audio on its way to the speaker (K1–K9).
public struct SinkStatus: Codable, Sendable, Equatable {
  /// How a participant's audio reaches nearend.
  public enum Kind: String, Codable, Sendable {
    /// PCM written by a program into a ring buffer.
    case ring
    /// A PipeWire sink device linked to the filter; it has no buffer, and adds no latency.
    case graph
  }
  /// The phases of a sink.
  public enum State: String, Codable, Sendable {
    /// Never written to, ended, or, for a graph sink, without a player: legitimately silent, not underrunning (K5).
    case idle
    /// Filling up to its target before it plays.
    case buffering
    case playing
    /// Should play, but has nothing.
    case underrun
  }
  /// The participant's id, unique among the sinks.
  public var id: String
  /// How its audio arrives; the fields about a ring are meaningless for a graph sink.
  public var kind: Kind
  /// The phase now; a graph sink is `idle` or `playing`.
  public var state: State
  /// Frames per second, as written.
  public var sampleRate: Int
  /// 1 or 2, as written; 2 for a graph sink.
  public var channelCount: Int
  /// Bytes waiting in the ring.
  public var fillBytes: Int
  /// The ring's size in bytes; 0 for a graph sink.
  public var capacityBytes: Int
  /// The fill that steering aims at, as a share of the ring, 0–1.
  public var targetFill: Double
  /// Underruns since it last played without one.
  public var consecutiveUnderruns: UInt64
  /// Underruns since registration, or since the counters were cleared; 0 for a graph sink.
  public var totalUnderruns: UInt64
  /// Writes refused whole since the last one that fit.
  public var consecutiveDrops: UInt64
  /// Writes refused whole since registration, or since the counters were cleared; 0 for a graph sink.
  public var totalDrops: UInt64
  /// Frames accepted since registration; 0 for a graph sink.
  public var framesWritten: UInt64
  /// Frames read from the ring to be played, without those that a reset discarded; 0 for a graph sink.
  public var framesRead: UInt64
  /// A Boolean value indicating whether the sink's nominal rate differs from the graph's.
  public var isResampling: Bool
  /// Graph frames per sink frame, as steered now.
  public var resampleRatio: Double
  /// Deviation of the writer's clock from the graph's, in parts per million, as learnt by steering.
  public var driftPPM: Double
  /// Jitter of the writes in ms: mean deviation from their due time.
  public var jitter: Double
  /// Writes that came much later than due.
  public var jitterSpikes: UInt64
  /// Linear, 0–4; 1 is unchanged.
  public var gain: Double
  /// A Boolean value indicating whether it is muted; its audio is still consumed, so that unmuting continues with current audio.
  public var isMuted: Bool
  /// Peak in dBFS after gain; −120 if silent.
  public var peak: Double
  /// RMS in dBFS after gain; −120 if silent.
  public var rms: Double
  /// The remote stream's RTP SSRC, if a program has reported it.
  public var ssrc: UInt32?
  /// The stream received over the network; nil for a participant on this machine.
  public var remote: RemoteStatus?

  /// The level of silence in dBFS.
  package static let silence = -120.0

  /// Tells no level, because nothing is heard of it.
  package mutating func silence() { (peak, rms) = (Self.silence, Self.silence) }

  /// Fill of the ring, 0–1; 0 for a graph sink.
  public var fill: Double { capacityBytes > 0 ? Double(fillBytes) / Double(capacityBytes) : 0 }

  package init(
    id: String, kind: Kind = .ring, state: State = .idle, sampleRate: Int = 48_000, channelCount: Int = 1,
    fillBytes: Int = 0, capacityBytes: Int = 0, targetFill: Double = 0, consecutiveUnderruns: UInt64 = 0,
    totalUnderruns: UInt64 = 0, consecutiveDrops: UInt64 = 0, totalDrops: UInt64 = 0,
    framesWritten: UInt64 = 0, framesRead: UInt64 = 0, isResampling: Bool = false, resampleRatio: Double = 1,
    driftPPM: Double = 0, jitter: Double = 0, jitterSpikes: UInt64 = 0, gain: Double = 1, isMuted: Bool = false, peak: Double = -120,
    rms: Double = -120,
    ssrc: UInt32? = nil, remote: RemoteStatus? = nil
  ) {
    self.id = id
    self.kind = kind
    self.state = state
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.fillBytes = fillBytes
    self.capacityBytes = capacityBytes
    self.targetFill = targetFill
    self.consecutiveUnderruns = consecutiveUnderruns
    self.totalUnderruns = totalUnderruns
    self.consecutiveDrops = consecutiveDrops
    self.totalDrops = totalDrops
    self.framesWritten = framesWritten
    self.framesRead = framesRead
    self.isResampling = isResampling
    self.resampleRatio = resampleRatio
    self.driftPPM = driftPPM
    self.jitter = jitter
    self.jitterSpikes = jitterSpikes
    self.gain = gain
    self.isMuted = isMuted
    self.peak = peak
    self.rms = rms
    self.ssrc = ssrc
    self.remote = remote
  }
}
