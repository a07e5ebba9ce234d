/// How far it is that a person hears themselves: of the one at work, or of the last one. [any]
package struct AuditionStatus: Codable, Sendable, Equatable {
  /// What happens now.
  package enum Phase: String, Codable, Sendable {
    /// Devices are opened, and the processing settles.
    case preparing
    case recording
    /// The microphone is played back, as it is before processing.
    case microphone
    /// The voice is played back, as others hear it.
    case voice
    /// Both have been heard.
    case done
    /// It has ended early.
    case ended
  }

  /// Allowed seconds of a recording.
  package static let lengths = 1.0...30.0
  /// Seconds of a recording for which nobody asks otherwise.
  package static let standardLength = 5.0

  /// Counted from 1 since nearend started.
  package var number: Int
  package var phase = Phase.preparing
  /// Seconds that are recorded.
  package var seconds: Double
  /// Seconds of the phase that are over.
  package var elapsed = 0.0
  /// Peaks in dBFS while it records; −120 if silent.
  package var microphoneLevel, voiceLevel: Double?
  /// Why it has ended early, for people.
  package var reason: String?
  /// What the recording shows, once it is complete.
  package var findings: AuditionFindings?

  package init(number: Int, seconds: Double) { (self.number, self.seconds) = (number, seconds) }

  /// Whether it is at work: others hear nothing.
  package var isActive: Bool { phase != .done && phase != .ended }

  /// A line for people.
  package var words: String {
    switch phase {
    case .preparing: "get ready: it is about to record"
    case .recording: "talk now: recording, \(decimal(max(0, seconds - elapsed), 1)) s to go"
    case .microphone: "1 of 2: the microphone as it is"
    case .voice: "2 of 2: your voice as others hear it"
    case .done where findings?.hasVoice == false: "no voice was heard"
    case .done: "that is how others hear you"
    case .ended: "ended early: \(reason ?? "no reason is known")"
    }
  }
}

/// What a recording of microphone and voice shows. Levels are RMS in dBFS. [any]
package struct AuditionFindings: Codable, Sendable, Equatable {
  /// While the person talks; nil if nobody did.
  package var microphoneLevel, voiceLevel: Double?
  /// In the quietest tenth of the time; −120 for silence.
  package var microphoneBackground = -120.0, voiceBackground = -120.0
  /// By how many dB the echo is lower; nil if nothing played, or it could not be measured.
  package var echoReduction: Double?
  /// Whether something sounded in the speaker.
  package var hadFarEnd = false
  /// Whether the microphone is muted otherwise.
  package var isMuted = false

  package init() {}

  /// Whether somebody was heard, before processing and after it.
  package var hasVoice: Bool { microphoneLevel != nil && voiceLevel != nil }

  /// Lines for people.
  package var lines: [String] {
    func level(_ value: Double) -> String { value <= -100 ? "silent" : "\(Int(value.rounded())) dBFS" }
    var lines: [String] = []
    if let microphoneLevel, let voiceLevel {
      lines.append("Your voice: raw \(level(microphoneLevel)), others hear \(level(voiceLevel))")
    } else {
      lines.append("Your voice: none was heard; talk while it records, or see 'nearend doctor'")
    }
    let lower = microphoneBackground - voiceBackground
    let background = "Background: raw \(level(microphoneBackground)), others hear \(level(voiceBackground))"
    lines.append(lower >= 1 && voiceBackground > -100 ? background + ": \(Int(lower.rounded())) dB lower" : background)
    if let echoReduction {
      lines.append("Echo: \(Int(echoReduction.rounded())) dB lower")
    } else {
      lines.append(hadFarEnd ? "Echo: too little to be measured" : "Echo: nothing played meanwhile; let something play to hear about it")
    }
    if isMuted { lines.append("The microphone is muted: others hear nothing until it is not") }
    return lines
  }
}

/// The last recording as curves and spectrograms, with what it shows. [any]
package struct AuditionReport: Codable, Sendable, Equatable {
  package var status: AuditionStatus
  /// Levels and spectra of microphone and voice, the voice earlier by the processing's latency, so that both are in step.
  package var picture: CallHistory

  package init(status: AuditionStatus, picture: CallHistory) { (self.status, self.picture) = (status, picture) }
}
