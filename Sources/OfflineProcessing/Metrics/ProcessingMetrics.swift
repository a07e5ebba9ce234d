import SessionModel

/// What voice processing did to a file: `nearend process --metrics json`. Levels are RMS in dBFS, a square wave of ±1 having 0; silence is
/// −120.
public struct ProcessingMetrics: Codable, Sendable, Equatable {
  public struct Input: Codable, Sendable, Equatable {
    public var file: String
    /// Hz.
    public var rate: Int
    public var channels: Int
    public var frames: Int
    public var seconds: Double
  }

  /// What was processed, and how.
  public struct Description: Codable, Sendable, Equatable {
    /// nearend's.
    public var version: String
    /// "webrtc-audio-processing 0.3".
    public var library: String
    public var microphone: Input
    /// Nil where there was none.
    public var farEnd: Input?
    /// Hz at which it was processed: the microphone's, where that is 16000 to 192000.
    public var rate: Int
    /// Frames of a cycle.
    public var quantum: Int
    /// Frames at `rate` by which the voice is later than the microphone, live; taken out of the output where `isDelayCompensated`.
    public var latency: Int
    public var isDelayCompensated: Bool
    /// By their names, as `nearend get` has them.
    public var settings: [String: EventValue]
  }

  /// One value for each `interval`, from the beginning of the microphone on. Everything is placed at the microphone's time.
  public struct Series: Codable, Sendable, Equatable {
    public var microphoneLevel: [Double] = []
    /// Of what the speaker plays.
    public var farEndLevel: [Double] = []
    public var voiceLevel: [Double] = []
    /// Echo return loss enhancement of the canceller in dB, smoothed over about half a second of echo; null before half a second of it.
    public var erle: [Double?] = []
    /// Milliseconds by which the echo is later than the far end, as measured; null before it is known.
    public var echoDelay: [Double?] = []
    /// dB that gain control applies.
    public var gain: [Double] = []
    /// The near end talks.
    public var hasVoice: [Bool] = []
    /// The far end talks, or did within the last 0.2 s.
    public var isFarEndActive: [Bool] = []
  }

  public struct Totals: Codable, Sendable, Equatable {
    public var microphoneLevel: Double
    public var farEndLevel: Double
    public var voiceLevel: Double
    /// Level of the microphone against the voice, in dB, over the intervals in which only the far end talks, the first two seconds of those
    /// left out; null where there are none.
    public var echoReduction: Double?
    /// The last of the series; null where there is none.
    public var erle: Double?
    public var echoDelay: Double?
    /// Mean over the intervals in which the near end talks, dB; null where it never does.
    public var gain: Double?
    public var voiceSeconds: Double
    public var farEndSeconds: Double
    /// Blocks of 10 ms that the library refused; 0, or something is wrong with it.
    public var refusedBlocks: Int
  }

  public var description: Description
  /// Seconds.
  public var interval: Double
  public var series: Series
  public var totals: Totals
}
