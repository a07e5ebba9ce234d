import RealtimeCore
import SessionModel

/// The settings that the audio core holds: a session's and a manual renderer's alike. [any]
extension AudioCore {
  /// Returns the value of a setting; nil for one that is held elsewhere.
  func value(of setting: Setting) -> EventValue? {
    if case .core(let place) = setting.audioPlace { place.read(self) } else { controls.value(of: setting) }
  }

  /// Sets a setting to a value of its own kind. Returns false, and changes nothing, for one that is held elsewhere.
  func set(_ setting: Setting, to value: EventValue) -> Bool {
    guard case .core(let place) = setting.audioPlace else { return controls.set(setting, to: value) }
    var core = self
    place.write(&core, value)
    return true
  }
}

/// The settings of the capture path, among them, without a session, those of the next. [any]
extension CaptureControls {
  /// Returns the value of a setting; nil for one that is held elsewhere.
  func value(of setting: Setting) -> EventValue? {
    if case .capture(let place) = setting.audioPlace { place.read(self) } else { nil }
  }

  /// Sets a setting to a value of its own kind. Returns false, and changes nothing, for one that is held elsewhere.
  @discardableResult
  func set(_ setting: Setting, to value: EventValue) -> Bool {
    guard case .capture(let place) = setting.audioPlace else { return false }
    var controls = self
    place.write(&controls, value)
    return true
  }
}

/// Where in the audio core a setting is held.
enum AudioPlace {
  case capture(SettingPlace<CaptureControls>)
  case core(SettingPlace<AudioCore>)
}

extension Setting {
  /// The place of a setting whose home is `.audio`; nil for any other.
  var audioPlace: AudioPlace? {
    switch self {
    case .bypassVoiceProcessing: .capture(.onOff(\.isBypassed))
    case .voiceProcessingEnableAGC: .capture(.onOff(\.isGainControlEnabled))
    case .noiseSuppression: .capture(.onOff(\.isNoiseSuppressionEnabled))
    case .echoCancellation: .capture(.onOff(\.isEchoCancellationEnabled))
    case .highPassFilter: .capture(.onOff(\.isHighPassFilterEnabled))
    case .beamforming: .capture(.onOff(\.isBeamformingEnabled))
    case .micMode: .capture(.word(\.micMode))
    case .echoCanceller:
      .capture(
        SettingPlace {
          EventValue($0.echoCanceller)
        } write: { controls, value in
          // As a switch, on selects the canceller chosen last.
          if case .bool(let on) = value { controls.isEchoCancellationEnabled = on }
          if let canceller = value.word(EchoCanceller.self) { controls.echoCanceller = canceller }
        })
    case .outputVolume: .core(.gain(\.mixer.masterGain))
    case .micVolume: .core(.gain(\.appAudio.micVolume))
    case .appVolume: .core(.gain(\.appAudio.appVolume))
    case .microphoneChannels:
      .core(
        SettingPlace {
          .string($0.inputs.channels.text)
        } write: { core, value in
          if case .string(let text) = value, let channels = MicrophoneChannels(text) { core.inputs.channels = channels }
        })
    case .appDucking: .core(.onOff(\.appAudio.isDucked))
    case .appMonitor: .core(.onOff(\.appAudio.isMonitored))
    default: nil
    }
  }
}
