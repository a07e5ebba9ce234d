import SessionModel

// Names every state in words: the dashboard never conveys one by colour alone (U3).

extension SessionStatus.State {
  var word: String {
    switch self {
    case .idle: "IDLE"
    case .active: "ACTIVE"
    case .waiting: "WAITING"
    case .interrupted: "INTERRUPTED"
    }
  }

  var style: Style {
    switch self {
    case .idle: .plain
    case .active: .good
    case .waiting: .caution
    case .interrupted: .alarm
    }
  }
}

extension Interruption.Reason {
  var word: String {
    switch self {
    case .daemonLost: "daemon lost"
    case .noDevice: "no device"
    case .role: "priority stream"
    case .sleep: "sleep"
    case .sessionInactive: "session inactive"
    case .frozen: "frozen"
    case .nearendLost: "nearend lost"
    }
  }

  var sentence: String {
    switch self {
    case .daemonLost, .nearendLost: "\(words), waiting for its return"
    case .noDevice: "\(words), waiting for one"
    case .role, .sleep, .sessionInactive: words
    case .frozen: "\(words); rebuilding the filter"
    }
  }
}

extension InterruptionRecord.Outcome {
  var word: String {
    switch self {
    case .holds: "ongoing"
    case .waits: "over, waiting to recover"
    case .recovered: "recovered"
    case .ended: "over"
    }
  }
}

extension MicrophoneMuteMode {
  /// What a mute does, muted or not.
  var meaning: String {
    switch self {
    case .voiceProcessing: "voiceProcessing - mutes after processing, which continues"
    case .restart: "restart - mutes by closing the microphone"
    case .inputMixer: "inputMixer - mutes before processing, the microphone stays open"
    }
  }
}

extension MicMode {
  /// What is to be heard; whether it is, the row Mode says.
  var meaning: String {
    switch self {
    case .standard: "standard, noise suppression as set (NS)"
    case .voiceIsolation: "voice isolation, the voice only (Call says whether heard)"
    case .wideSpectrum: "wide spectrum, the room without its echo"
    }
  }
}

extension MicModeStatus {
  /// Whether something else is heard, for a reason that is known.
  var isHindered: Bool { effective != requested && reason != nil }

  var style: Style { requested == .standard ? .plain : effective == requested ? .good : .caution }
}

extension EchoVerdict {
  var style: Style {
    switch self {
    case .off, .nothingToCancel: .plain
    case .converging, .suppressing: .caution
    case .cancelling: .good
    case .failing: .alarm
    }
  }
}

extension ProcessingComponent {
  var name: String {
    switch self {
    case .highPassFilter: "high-pass filter"
    case .echoCancellation: "echo cancellation"
    case .noiseSuppression: "noise suppression"
    case .gainControl: "gain control"
    }
  }
}

extension ComponentStatus {
  var word: String {
    switch (isRequested, isEffective) {
    case (true, true): "on"
    case (false, false): "off"
    case (true, false): "on, not in effect: " + (reason ?? "no reason given")
    case (false, true): "off, still in effect: " + (reason ?? "no reason given")
    }
  }

  /// Without echo cancellation others may hear themselves.
  var style: Style { isRequested && isEffective ? .good : isRequested || isEffective || component == .echoCancellation ? .caution : .plain }
}

extension SinkStatus.State {
  var word: String {
    switch self {
    case .idle: "idle"
    case .buffering: "buffering"
    case .playing: "playing"
    case .underrun: "UNDERRUN"
    }
  }

  var style: Style {
    switch self {
    case .idle: .plain
    case .buffering: .caution
    case .playing: .good
    case .underrun: .alarm
    }
  }
}

extension SinkStatus.Kind {
  var word: String {
    switch self {
    case .ring: "ring"
    case .graph: "device"
    }
  }
}

extension Device.Direction {
  var heading: String {
    switch self {
    case .input: "Microphones"
    case .output: "Speakers"
    }
  }
}

extension PortType {
  /// The name for people.
  var word: String {
    switch self {
    case .builtInMic: "built-in microphone"
    case .headsetMic: "headset microphone"
    case .lineIn: "line in"
    case .headphones: "headphones"
    case .builtInSpeaker: "built-in speaker"
    case .builtInReceiver: "receiver"
    case .bluetoothA2DP: "Bluetooth A2DP"
    case .hdmi: "HDMI"
    case .displayPort: "DisplayPort"
    case .lineOut: "line out"
    case .airPlay: "network speaker"
    case .bluetoothHFP: "Bluetooth HFP"
    case .bluetoothLE: "Bluetooth LE"
    case .usbAudio: "USB audio"
    case .carAudio: "car audio"
    case .virtual: "virtual"
    case .other: "other"
    }
  }
}

extension PortAvailability {
  /// nil if unknown.
  var word: String? {
    switch self {
    case .unknown: nil
    case .no: "unplugged"
    case .yes: "plugged in"
    }
  }
}

extension LogEntry.Level {
  var word: String {
    switch self {
    case .info: "info"
    case .warning: "warning"
    case .error: "ERROR"
    }
  }

  var style: Style {
    switch self {
    case .info: .plain
    case .warning: .caution
    case .error: .alarm
    }
  }
}

extension RehearsalStatus.Phase {
  var word: String {
    switch self {
    case .silence: "silence"
    case .farEnd: "far end talks"
    case .nearEnd: "near end talks"
    case .doubleTalk: "both talk"
    }
  }
}
