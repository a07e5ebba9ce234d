import SessionModel

/// The effect of voice processing on a file: `nearend process --metrics json`. Levels are RMS in dBFS, with 0 for a square wave of ±1 and
/// −120 for silence.
public struct ProcessingMetrics: Codable, Sendable, Equatable {
  public struct Input: Codable, Sendable, Equatable {
    public var file: String
    /// In Hz.
    public var rate: Int
    public var channels: Int
    public var frames: Int
    public var seconds: Double
  }

  /// The inputs and settings.
  public struct Description: Codable, Sendable, Equatable {
    /// nearend's version.
    public var version: String
    /// "webrtc-audio-processing 0.3".
    public var library: String
    public var microphone: Input
    /// nil without a far end.
    public var farEnd: Input?
    /// The processing rate in Hz: the microphone's, if that is 16000 to 192000.
    public var rate: Int
    /// Frames per cycle.
    public var quantum: Int
    /// The voice's live delay in frames at `rate`; removed from the output if `isDelayCompensated`.
    public var latency: Int
    public var isDelayCompensated: Bool
    /// By name, as in `nearend get`.
    public var settings: [String: EventValue]
  }

  /// One value per `interval`, from the beginning of the microphone on. All times are the microphone's.
  public struct Series: Codable, Sendable, Equatable {
    public var microphoneLevel: [Double] = []
    /// Level of what the speaker plays.
    public var farEndLevel: [Double] = []
    public var voiceLevel: [Double] = []
    /// Echo return loss enhancement of the canceller in dB, smoothed over about half a second of echo; null until then.
    public var erle: [Double?] = []
    /// Measured delay of the echo relative to the far end in milliseconds; null until known.
    public var echoDelay: [Double?] = []
    /// Gain of the gain control in dB.
    public var gain: [Double] = []
    /// Whether the near end talks.
    public var hasVoice: [Bool] = []
    /// Whether the far end talks, or did within the last 0.2 s.
    public var isFarEndActive: [Bool] = []
  }

  public struct Totals: Codable, Sendable, Equatable {
    public var microphoneLevel: Double
    public var farEndLevel: Double
    public var voiceLevel: Double
    /// Level of the microphone relative to the voice in dB, over the intervals in which only the far end talks, except their first two
    /// seconds; null if there are none.
    public var echoReduction: Double?
    /// The last value of the series; null if there is none.
    public var erle: Double?
    public var echoDelay: Double?
    /// Mean in dB over the intervals in which the near end talks; null if it never does.
    public var gain: Double?
    public var voiceSeconds: Double
    public var farEndSeconds: Double
    /// Blocks of 10 ms that the library refused. Other than 0, something is wrong with it.
    public var refusedBlocks: Int
  }

  public var description: Description
  /// In seconds.
  public var interval: Double
  public var series: Series
  public var totals: Totals
}
