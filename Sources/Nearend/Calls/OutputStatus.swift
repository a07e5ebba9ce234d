import SessionModel

/// The state of an output: its buffer, what it has lost, its levels. [any]
public struct OutputStatus: Sendable, Equatable {
  /// The phases of an output.
  public enum State: String, Sendable {
    /// Never written to, or ended: silent, and nothing is missing.
    case idle
    /// Filling up to its target before it plays.
    case buffering
    case playing
    /// Should play, but has nothing.
    case underrun
  }
  /// The phase now.
  public var state: State
  /// How much audio waits to be played.
  public var buffered: Duration
  /// How much audio it aims to have waiting.
  public var target: Duration
  /// The writes' mean deviation from their due time.
  public var jitter: Duration
  /// Writes that came much later than due.
  public var lateWrites: UInt64
  /// Underruns since it last played without one.
  public var consecutiveUnderruns: UInt64
  /// Underruns so far.
  public var totalUnderruns: UInt64
  /// Writes refused whole since the last one that fit.
  public var consecutiveDrops: UInt64
  /// Writes refused whole so far.
  public var totalDrops: UInt64
  /// Frames accepted so far.
  public var framesWritten: UInt64
  /// Frames played so far, without those that a reset discarded.
  public var framesPlayed: UInt64
  /// Deviation of the writer's clock from the graph's, in parts per million, as learnt so far.
  public var driftPPM: Double
  /// Linear, 0–4; 1 is unchanged.
  public var gain: Double
  /// A Boolean value indicating whether it is muted; its audio is still consumed.
  public var isMuted: Bool
  /// Peak in dBFS after gain; −120 if silent.
  public var peak: Double
  /// RMS in dBFS after gain; −120 if silent.
  public var rms: Double
  /// The RTP SSRC of the stream that feeds it, if it was set.
  public var ssrc: UInt32?

  init(_ sink: SinkStatus) {
    let bytesPerFrame = max(1, sink.channelCount) * MemoryLayout<Int16>.size
    func duration(_ bytes: Int) -> Duration { .frames(bytes / bytesPerFrame, rate: sink.sampleRate) }
    state = State(sink.state)
    buffered = duration(sink.fillBytes)
    target = duration(Int(sink.targetFill * Double(sink.capacityBytes)))
    jitter = .milliseconds(sink.jitter)
    lateWrites = sink.jitterSpikes
    consecutiveUnderruns = sink.consecutiveUnderruns
    totalUnderruns = sink.totalUnderruns
    consecutiveDrops = sink.consecutiveDrops
    totalDrops = sink.totalDrops
    framesWritten = sink.framesWritten
    framesPlayed = sink.framesRead
    driftPPM = sink.driftPPM
    gain = sink.gain
    isMuted = sink.isMuted
    peak = sink.peak
    rms = sink.rms
    ssrc = sink.ssrc
  }
}

extension OutputStatus.State {
  fileprivate init(_ state: SinkStatus.State) {
    switch state {
    case .idle: self = .idle
    case .buffering: self = .buffering
    case .playing: self = .playing
    case .underrun: self = .underrun
    }
  }
}
