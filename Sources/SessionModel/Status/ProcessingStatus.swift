/// The components of the capture chain, in processing order.
package enum ProcessingComponent: String, Codable, Sendable, CaseIterable {
  case highPassFilter
  case echoCancellation
  case noiseSuppression
  case gainControl

  /// The usual abbreviation: HPF, AEC, NS, AGC.
  package var abbreviation: String {
    switch self {
    case .highPassFilter: "HPF"
    case .echoCancellation: "AEC"
    case .noiseSuppression: "NS"
    case .gainControl: "AGC"
    }
  }
}

/// The requested and the actual state of a component (V3).
package struct ComponentStatus: Codable, Sendable, Equatable {
  /// The component described.
  package var component: ProcessingComponent
  /// A Boolean value indicating whether the user has switched it on.
  package var isRequested: Bool
  /// A Boolean value indicating whether it processes the microphone now, heard or not: while bypassed the canceller keeps adapting, but
  /// gain control does not.
  package var isActive: Bool
  /// A Boolean value indicating whether its output is heard.
  package var isEffective: Bool
  /// Why it is requested but not effective, for people; otherwise nil.
  package var reason: String?
  /// The implementation, if there is a choice: "nearend", or the library and its generation.
  package var engine: String?

  /// If `isActive` is nil, it is the same as `isEffective`.
  package init(
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

/// The state of the capture chain (V1–V8).
package struct ProcessingStatus: Codable, Sendable, Equatable {
  /// `useVoiceProcessingIO`.
  package var isInUse = true
  /// A Boolean value indicating whether the raw microphone is heard, at the processed voice's latency (V2).
  package var isBypassed = false
  /// The engine for echo and noise; never `off`, but the one chosen last.
  package var engine: EchoCanceller = .nearend
  /// The library behind the engine `webrtc`, which is loaded when that is chosen: "webrtc-audio-processing 0.3". Empty before.
  package var library = ""
  /// The requested and the actual mode of the microphone (V12).
  package var micMode = MicModeStatus()
  /// In the order of `ProcessingComponent.allCases`.
  package var components: [ComponentStatus] = []
  /// Whether echo cancellation works (V6); also `off` while interrupted, and while nothing records.
  package var echo = EchoVerdict.off
  /// Echo return loss enhancement in dB while only the far end is heard, averaged over about half a second; nil before half a second of
  /// echo, and where there is none: the microphone over what nearend's filter leaves of it, before the suppressor; of WebRTC's engine the
  /// same as `echoReduction`.
  package var erle: Double?
  /// By how many dB the echo is lower in all: the microphone over the voice, else as `erle`. Lower while the outgoing voice follows the far
  /// end of the last 3 s. At least 15 where echo cancellation works.
  package var echoReduction: Double?
  /// `erle` where it is one: WebRTC's engine tells nothing of its filter.
  package var filterERLE: Double? { engine == .webrtc ? nil : erle }
  /// `echoReduction`, or the `erle` of WebRTC's engine, which is one.
  package var wholeReduction: Double? { echoReduction ?? (engine == .webrtc ? erle : nil) }
  /// Echo delay that the canceller measures, in ms; nil until known. Of an echo that is heard, because it comes too late, that of the echo,
  /// to 20 ms.
  package var echoDelay: Double?
  /// Delay between reference and microphone from the graph's own latencies, in ms (V5).
  package var streamDelay = 0.0
  /// Gain of the gain control now, in dB.
  package var gain = 0.0
  /// A Boolean value indicating whether the near end talks, muted or not; false with voice processing off.
  package var hasVoice = false
  /// Peak of the raw microphone, dBFS; −120 if silent.
  package var microphoneLevel = -120.0
  /// Peak of the reference, dBFS.
  package var referenceLevel = -120.0
  /// Peak of the processed voice, dBFS.
  package var voiceLevel = -120.0
  /// Peak of the speaker mix, dBFS.
  package var speakerLevel = -120.0
  /// Gain of the bus limiter now, in dB, 0 or less.
  package var limiterGain = 0.0

  /// Everything on, and nothing measured.
  package init() {}
}

extension ProcessingStatus {
  /// Why no echo is cancelled whoever calls, for people; nil if one would be.
  package var withoutCancellation: String? {
    if !isInUse { return "not cancelled: voice processing is off" }
    if isBypassed { return "not cancelled: voice processing is bypassed" }
    let canceller = components.first { $0.component == .echoCancellation }
    return canceller?.isRequested == false ? "not cancelled: echo cancellation is off" : nil
  }

  /// The name of the engine: "nearend", or the library and its generation.
  package var engineName: String { engine == .webrtc && !library.isEmpty ? library : engine.rawValue }
}
