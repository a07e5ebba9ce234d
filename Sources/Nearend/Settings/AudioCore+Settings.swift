import RealtimeCore
import SessionModel

/// The settings that the audio core holds: a session's and a manual renderer's alike. [any]
extension AudioCore {
  /// Returns the value of a setting; nil for one that is held elsewhere.
  func value(of setting: Setting) -> EventValue? {
    if let path = setting.switchPath { return .bool(self[keyPath: path]) }
    if let path = setting.gainPath { return .number(Double(self[keyPath: path])) }
    return switch setting {
    case .echoCanceller: EventValue(controls.echoCanceller)
    case .micMode: EventValue(controls.micMode)
    default: nil
    }
  }

  /// Sets a setting to a value of its own kind. Returns false, and changes nothing, for one that is held elsewhere.
  func set(_ setting: Setting, to value: EventValue) -> Bool {
    switch value {
    case .bool(let on):
      // As a switch, on selects the canceller chosen last.
      guard let path = setting == .echoCanceller ? Setting.echoCancellation.switchPath : setting.switchPath else { return false }
      self[keyPath: path] = on
    case .number(let gain):
      guard let path = setting.gainPath else { return false }
      self[keyPath: path] = Float(gain)
    case .string:
      switch setting {
      case .echoCanceller: if let canceller = value.word(EchoCanceller.self) { controls.echoCanceller = canceller }
      case .micMode: if let mode = value.word(MicMode.self) { controls.micMode = mode }
      default: return false
      }
    case .integer: return false
    }
    return true
  }
}

extension Setting {
  fileprivate var switchPath: ReferenceWritableKeyPath<AudioCore, Bool>? {
    switch self {
    case .bypassVoiceProcessing: \.controls.isBypassed
    case .voiceProcessingEnableAGC: \.controls.isGainControlEnabled
    case .noiseSuppression: \.controls.isNoiseSuppressionEnabled
    case .echoCancellation: \.controls.isEchoCancellationEnabled
    case .highPassFilter: \.controls.isHighPassFilterEnabled
    case .appDucking: \.appAudio.isDucked
    case .appMonitor: \.appAudio.isMonitored
    default: nil
    }
  }

  fileprivate var gainPath: ReferenceWritableKeyPath<AudioCore, Float>? {
    switch self {
    case .outputVolume: \.mixer.masterGain
    case .micVolume: \.appAudio.micVolume
    case .appVolume: \.appAudio.appVolume
    default: nil
    }
  }
}
