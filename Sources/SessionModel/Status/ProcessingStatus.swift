/// The capture chain's components, in the order in which audio passes them.
public enum ProcessingComponent: String, Codable, Sendable, CaseIterable {
  case highPassFilter
  case echoCancellation
  case noiseSuppression
  case gainControl

  /// The usual abbreviation: HPF, AEC, NS, AGC.
  public var abbreviation: String {
    switch self {
    case .highPassFilter: "HPF"
    case .echoCancellation: "AEC"
    case .noiseSuppression: "NS"
    case .gainControl: "AGC"
    }
  }
}

/// One component: what was asked for and what is so (V3).
public struct ComponentStatus: Codable, Sendable, Equatable {
  public var component: ProcessingComponent
  /// What the user set.
  public var isRequested: Bool
  /// Whether it works on the microphone now, heard or not: the canceller goes on adapting while bypassed, gain control does not.
  public var isActive: Bool
  /// Whether its output is heard.
  public var isEffective: Bool
  /// Why it was requested and is not effective, in words; else nil.
  public var reason: String?
  /// What does it, where that is a choice: "nearend", or the library and its generation.
  public var engine: String?

  /// `isActive`: nil: as `isEffective`.
  public init(
    component: ProcessingComponent, isRequested: Bool, isActive: Bool? = nil, isEffective: Bool, reason: String? = nil,
    engine: String? = nil
  ) {
    self.component = component
    self.isRequested = isRequested
    self.isActive = isActive ?? isEffective
    self.isEffective = isEffective
    self.reason = reason
    self.engine = engine
  }
}

/// The capture chain at work (V1–V8).
public struct ProcessingStatus: Codable, Sendable, Equatable {
  /// "Is echo cancellation working": the answer on screen (V6).
  public enum EchoVerdict: String, Codable, Sendable {
    /// Voice processing, echo cancellation or the microphone is off, or bypassed.
    case off
    /// The far end is silent: there is no echo to cancel.
    case nothingToCancel
    /// The far end plays and the canceller has not converged yet.
    case converging
    /// The echo is cancelled.
    case cancelling
    /// The far end has played for more than 5 s and little of its echo goes.
    case failing
  }
  /// `useVoiceProcessingIO`.
  public var isInUse: Bool
  public var isBypassed: Bool
  /// Who cancels the echo and suppresses the noise; never `off`, but the one chosen last.
  public var engine: EchoCanceller
  /// The library that the engine `webrtc` is: "webrtc-audio-processing 0.3".
  public var library: String
  /// In the order of `ProcessingComponent.allCases`.
  public var components: [ComponentStatus]
  public var echo: EchoVerdict
  /// Echo return loss enhancement in dB, smoothed over far-end speech; nil before the first far-end speech.
  public var erle: Double?
  /// Echo delay that the canceller measures, in ms; nil before it knows.
  public var echoDelay: Double?
  /// Delay between reference and microphone that the graph's own latencies tell, in ms (V5).
  public var streamDelay: Double
  /// Gain that the AGC applies now, in dB.
  public var gain: Double
  public var hasVoice: Bool
  /// Peak of the raw microphone, dBFS, −120 where silent.
  public var microphoneLevel: Double
  /// Peak of the reference, dBFS.
  public var referenceLevel: Double
  /// Peak of the processed voice, dBFS.
  public var voiceLevel: Double
  /// Peak of the speaker mix, dBFS.
  public var speakerLevel: Double
  /// How far the bus limiter pulls down now, dB, 0 or less.
  public var limiterGain: Double

  public init(
    isInUse: Bool = true, isBypassed: Bool = false, engine: EchoCanceller = .nearend, library: String = "",
    components: [ComponentStatus] = [],
    echo: EchoVerdict = .off, erle: Double? = nil, echoDelay: Double? = nil, streamDelay: Double = 0,
    gain: Double = 0, hasVoice: Bool = false, microphoneLevel: Double = -120, referenceLevel: Double = -120,
    voiceLevel: Double = -120, speakerLevel: Double = -120, limiterGain: Double = 0
  ) {
    self.isInUse = isInUse
    self.isBypassed = isBypassed
    self.engine = engine
    self.library = library
    self.components = components
    self.echo = echo
    self.erle = erle
    self.echoDelay = echoDelay
    self.streamDelay = streamDelay
    self.gain = gain
    self.hasVoice = hasVoice
    self.microphoneLevel = microphoneLevel
    self.referenceLevel = referenceLevel
    self.voiceLevel = voiceLevel
    self.speakerLevel = speakerLevel
    self.limiterGain = limiterGain
  }
}

extension ProcessingStatus {
  /// Of the engine: "nearend", or the library and its generation.
  public var engineName: String { engine == .webrtc ? library : engine.rawValue }
}
