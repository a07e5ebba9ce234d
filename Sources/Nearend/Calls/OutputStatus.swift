import SessionModel

/// The state of an output: its buffer, what it has lost, its levels. [any]
public struct OutputStatus: Sendable, Equatable {
  /// The phases of an output.
  public typealias State = SinkStatus.State

  private let sink: SinkStatus

  init(_ sink: SinkStatus) { self.sink = sink }

  /// The phase now.
  public var state: State { sink.state }
  /// How much audio waits to be played.
  public var buffered: Duration { duration(sink.fillBytes) }
  /// How much audio it aims to have waiting.
  public var target: Duration { duration(Int(sink.targetFill * Double(sink.capacityBytes))) }
  /// The writes' mean deviation from their due time.
  public var jitter: Duration { .milliseconds(sink.jitter) }
  /// Writes that came much later than due.
  public var lateWrites: UInt64 { sink.jitterSpikes }
  /// Underruns since it last played without one.
  public var consecutiveUnderruns: UInt64 { sink.consecutiveUnderruns }
  /// Underruns so far.
  public var totalUnderruns: UInt64 { sink.totalUnderruns }
  /// Writes refused whole since the last one that fit.
  public var consecutiveDrops: UInt64 { sink.consecutiveDrops }
  /// Writes refused whole so far.
  public var totalDrops: UInt64 { sink.totalDrops }
  /// Frames accepted so far.
  public var framesWritten: UInt64 { sink.framesWritten }
  /// Frames played so far, without those that a reset discarded.
  public var framesPlayed: UInt64 { sink.framesRead }
  /// Deviation of the writer's clock from the graph's, in parts per million, as learnt so far.
  public var driftPPM: Double { sink.driftPPM }
  /// Linear, 0–4; 1 is unchanged.
  public var gain: Double { sink.gain }
  /// A Boolean value indicating whether it is muted; its audio is still consumed.
  public var isMuted: Bool { sink.isMuted }
  /// Peak in dBFS after gain; −120 if silent.
  public var peak: Double { sink.peak }
  /// RMS in dBFS after gain; −120 if silent.
  public var rms: Double { sink.rms }
  /// The RTP SSRC of the stream that feeds it, if it was set.
  public var ssrc: UInt32? { sink.ssrc }

  private func duration(_ bytes: Int) -> Duration {
    .frames(bytes / (max(1, sink.channelCount) * MemoryLayout<Int16>.size), rate: sink.sampleRate)
  }
}
