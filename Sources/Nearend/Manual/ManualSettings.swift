import RealtimeCore
import SessionModel

/// Settings by the names that they have live. They act at once and without a click, while cycles run too (L7). [any]
extension ManualRenderer {
  /// The settings that mean something without a device.
  public static let settings: [Setting] = Setting.allCases.filter {
    switch $0 {
    case .microphone, .speaker, .defaultDevices, .pauseOnUnplug, .manualAudioSessionManagement, .recordingAlwaysPrepared, .duckingLevel,
      .isAdvancedDuckingEnabled:
      false
    default: true
    }
  }

  /// What a setting is now; nil for one that is not of `settings`.
  public func value(of setting: Setting) -> EventValue? {
    let controls = core.controls
    return switch setting {
    case .bypassVoiceProcessing: .bool(controls.isBypassed)
    case .voiceProcessingEnableAGC: .bool(controls.isGainControlEnabled)
    case .noiseSuppression: .bool(controls.isNoiseSuppressionEnabled)
    case .echoCanceller: .string(controls.echoCanceller.rawValue)
    case .echoCancellation: .bool(controls.isEchoCancellationEnabled)
    case .highPassFilter: .bool(controls.isHighPassFilterEnabled)
    case .microphoneMuted: .bool(controls.isMicrophoneMuted)
    // There is no link to remove: `restart` is as `voiceProcessing`.
    case .microphoneMuteMode: .string(muteMode.rawValue)
    case .outputVolume: .number(Double(core.mixer.masterGain))
    case .micVolume: .number(Double(core.appAudio.micVolume))
    case .appVolume: .number(Double(core.appAudio.appVolume))
    case .appDucking: .bool(core.appAudio.isDucked)
    case .appMonitor: .bool(core.appAudio.isMonitored)
    case .reference: .string((core.usesMixAsReference ? ReferenceSource.mix : .everything).rawValue)
    case .useVoiceProcessingIO: .bool(controls.usesVoiceProcessing)
    case .microphone, .speaker, .defaultDevices, .pauseOnUnplug, .manualAudioSessionManagement, .recordingAlwaysPrepared, .duckingLevel,
      .isAdvancedDuckingEnabled:
      nil
    }
  }

  /// Gives a setting another value.
  /// - Throws: `SettingError.badValue`, `.unknown` for one that is not of `settings`; nothing has changed then.
  public func set(_ setting: Setting, to value: EventValue) throws(SettingError) {
    let controls = core.controls
    switch (setting, try setting.checked(value)) {
    case (.bypassVoiceProcessing, .bool(let on)): controls.isBypassed = on
    case (.voiceProcessingEnableAGC, .bool(let on)): controls.isGainControlEnabled = on
    case (.noiseSuppression, .bool(let on)): controls.isNoiseSuppressionEnabled = on
    case (.echoCanceller, .bool(let on)), (.echoCancellation, .bool(let on)): controls.isEchoCancellationEnabled = on
    case (.echoCanceller, .string(let word)): try use(EchoCanceller(rawValue: word) ?? .off, setting)
    case (.highPassFilter, .bool(let on)): controls.isHighPassFilterEnabled = on
    case (.microphoneMuted, .bool(let on)): controls.isMicrophoneMuted = on
    case (.microphoneMuteMode, .string(let word)):
      muteMode = MicrophoneMuteMode(rawValue: word) ?? .voiceProcessing
      controls.mutesInput = muteMode == .inputMixer
    case (.outputVolume, .number(let volume)): core.mixer.masterGain = Float(volume)
    case (.micVolume, .number(let volume)): core.appAudio.micVolume = Float(volume)
    case (.appVolume, .number(let volume)): core.appAudio.appVolume = Float(volume)
    case (.appDucking, .bool(let on)): core.appAudio.isDucked = on
    case (.appMonitor, .bool(let on)): core.appAudio.isMonitored = on
    case (.reference, .string(let word)): use(ReferenceSource(rawValue: word) ?? .mix)
    case (.useVoiceProcessingIO, .bool(let on)): controls.usesVoiceProcessing = on
    default: throw .unknown(name: setting.rawValue)
    }
  }

  func use(_ reference: ReferenceSource) {
    guard (reference == .mix) != core.usesMixAsReference else { return }
    core.usesMixAsReference = reference == .mix
    core.controls.echoPathChanged()
  }

  private func use(_ canceller: EchoCanceller, _ setting: Setting) throws(SettingError) {
    do throws(CapturePathError) {
      try prepared.withLock { rate throws(CapturePathError) in
        core.controls.echoCanceller = canceller
        try core.prepare(rate: rate)
      }
    } catch {
      throw .badValue(setting: setting.rawValue, value: canceller.rawValue, possible: "another: \(error)")
    }
  }

  /// Makes the capture path for the engine that a session's settings say; the next cycle has it. An engine that is refused leaves the other in use.
  func renewCapturePath() throws(CapturePathError) {
    try prepared.withLock { rate throws(CapturePathError) in try core.prepare(rate: rate) }
  }
}
