import RealtimeCore
import SessionModel

/// The settings that the audio core holds: a session's and a manual renderer's alike. [any]
extension AudioCore {
  /// Returns the value of a setting; nil for one that is held elsewhere.
  func value(of setting: Setting) -> EventValue? {
    if let path = setting.switchPath { return .bool(self[keyPath: path]) }
    if let path = setting.gainPath { return .number(self[keyPath: path].inFewestDigits) }
    return controls.value(of: setting)
  }

  /// Sets a setting to a value of its own kind. Returns false, and changes nothing, for one that is held elsewhere.
  func set(_ setting: Setting, to value: EventValue) -> Bool {
    if case .bool(let on) = value, let path = setting.switchPath {
      self[keyPath: path] = on
    } else if case .number(let gain) = value, let path = setting.gainPath {
      self[keyPath: path] = Float(gain)
    } else {
      return controls.set(setting, to: value)
    }
    return true
  }
}

/// The settings of the capture path, among them, without a session, those of the next. [any]
extension CaptureControls {
  /// Returns the value of a setting; nil for one that is held elsewhere.
  func value(of setting: Setting) -> EventValue? {
    switch setting {
    case .echoCanceller: EventValue(echoCanceller)
    case .micMode: EventValue(micMode)
    default: setting.capturePath.map { .bool(self[keyPath: $0]) }
    }
  }

  /// Sets a setting to a value of its own kind. Returns false, and changes nothing, for one that is held elsewhere.
  @discardableResult
  func set(_ setting: Setting, to value: EventValue) -> Bool {
    switch (setting, value) {
    // As a switch, on selects the canceller chosen last.
    case (.echoCanceller, .bool(let on)): isEchoCancellationEnabled = on
    case (.echoCanceller, .string): if let canceller = value.word(EchoCanceller.self) { echoCanceller = canceller }
    case (.micMode, .string): if let mode = value.word(MicMode.self) { micMode = mode }
    case (_, .bool(let on)):
      guard let path = setting.capturePath else { return false }
      self[keyPath: path] = on
    default: return false
    }
    return true
  }
}

extension Setting {
  fileprivate var capturePath: ReferenceWritableKeyPath<CaptureControls, Bool>? {
    switch self {
    case .bypassVoiceProcessing: \.isBypassed
    case .voiceProcessingEnableAGC: \.isGainControlEnabled
    case .noiseSuppression: \.isNoiseSuppressionEnabled
    case .echoCancellation: \.isEchoCancellationEnabled
    case .highPassFilter: \.isHighPassFilterEnabled
    default: nil
    }
  }

  fileprivate var switchPath: ReferenceWritableKeyPath<AudioCore, Bool>? {
    switch self {
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
