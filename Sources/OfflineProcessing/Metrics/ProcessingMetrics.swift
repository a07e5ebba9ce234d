import SessionModel

/// The effect of voice processing on a file: `nearend process --metrics json`. Levels are RMS in dBFS, with 0 for a square wave of ±1 and
/// −120 for silence.
package struct ProcessingMetrics: Codable, Sendable, Equatable {
  package struct Input: Codable, Sendable, Equatable {
    package var file: String
    /// In Hz.
    package var rate: Int
    package var channels: Int
    package var frames: Int
    package var seconds: Double
  }

  /// The inputs and settings.
  package struct Description: Codable, Sendable, Equatable {
    /// nearend's version.
    package var version: String
    /// "webrtc-audio-processing 0.3"; empty for another engine.
    package var library: String
    package var microphone: Input
    /// nil without a far end.
    package var farEnd: Input?
    /// The processing rate in Hz: the microphone's, if that is 16000 to 192000.
    package var rate: Int
    /// Frames per cycle.
    package var quantum: Int
    /// The voice's live delay in frames at `rate`; removed from the output if `isDelayCompensated`.
    package var latency: Int
    package var isDelayCompensated: Bool
    /// By name, as in `nearend get`.
    package var settings: [String: EventValue]
  }

  /// One value per `interval`, from the beginning of the microphone on. All times are the microphone's.
  package struct Series: Codable, Sendable, Equatable {
    package var microphoneLevel: [Double] = []
    /// Level of what the speaker plays.
    package var farEndLevel: [Double] = []
    package var voiceLevel: [Double] = []
    /// Echo return loss enhancement in dB, smoothed over about half a second of echo; null until then: of nearend's filter alone, of
    /// WebRTC's canceller with its suppressor.
    package var erle: [Double?] = []
    /// The reduction of the echo in all in dB, with what the suppressor behind the filter does; as `erle`.
    package var echoReduction: [Double?] = []
    /// Measured delay of the echo relative to the far end in milliseconds; null until known.
    package var echoDelay: [Double?] = []
    /// Gain of the gain control in dB.
    package var gain: [Double] = []
    /// Boolean values indicating whether the near end talks.
    package var hasVoice: [Bool] = []
    /// Boolean values indicating whether the far end talks, or did within the last 0.2 s.
    package var isFarEndActive: [Bool] = []
  }

  package struct Totals: Codable, Sendable, Equatable {
    package var microphoneLevel: Double
    package var farEndLevel: Double
    package var voiceLevel: Double
    /// Level of the microphone relative to the voice in dB, over the intervals in which only the far end talks, except their first two
    /// seconds and half a second before and after the near end talks; null if there are none. What is taken for a near end while the
    /// echo is not cancelled counts as well: it may be that echo.
    package var echoReduction: Double?
    /// How long those intervals are together, in seconds.
    package var echoSeconds: Double
    /// The last value of the series; null if there is none.
    package var erle: Double?
    package var echoDelay: Double?
    /// Mean in dB over the intervals in which the near end talks; null if it never does.
    package var gain: Double?
    package var voiceSeconds: Double
    package var farEndSeconds: Double
    /// Blocks of 10 ms that the library refused. Other than 0, something is wrong with it.
    package var refusedBlocks: Int
  }

  package var description: Description
  /// In seconds.
  package var interval: Double
  package var series: Series
  package var totals: Totals

  /// Whether WebRTC's engine cancelled, whose `erle` is the reduction in all: it tells nothing of its filter.
  package var isOfWebRTC: Bool { description.settings[Setting.echoCanceller.rawValue] == .string(EchoCanceller.webrtc.rawValue) }
}
