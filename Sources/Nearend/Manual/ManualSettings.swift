import RealtimeCore
import SessionModel

/// Settings by their live names. They take effect at once and without a click, even while cycles run (L7). [any]
extension ManualRenderer {
  /// The settings that apply without a device.
  public static let settings: [Setting] = Setting.allCases.filter {
    switch $0 {
    case .microphone, .speaker, .defaultDevices, .pauseOnUnplug, .manualAudioSessionManagement, .recordingAlwaysPrepared, .duckingLevel,
      .isAdvancedDuckingEnabled:
      false
    default: true
    }
  }

  /// Returns the value of a setting; nil for one that is not in `settings`.
  public func value(of setting: Setting) -> EventValue? {
    let controls = core.controls
    return switch setting {
    case .bypassVoiceProcessing: .bool(controls.isBypassed)
    case .voiceProcessingEnableAGC: .bool(controls.isGainControlEnabled)
    case .noiseSuppression: .bool(controls.isNoiseSuppressionEnabled)
    case .echoCanceller: .string(controls.echoCanceller.rawValue)
    case .echoCancellation: .bool(controls.isEchoCancellationEnabled)
    case .highPassFilter: .bool(controls.isHighPassFilterEnabled)
    case .micMode: .string(controls.micMode.rawValue)
    case .microphoneMuted: .bool(controls.isMicrophoneMuted)
    // There is no link to remove: `restart` acts as `voiceProcessing`.
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

  /// Sets a setting.
  /// - Throws: `SettingError.badValue`, or `.unknown` for one that is not in `settings`; nothing has changed then.
  public func set(_ setting: Setting, to value: EventValue) throws(SettingError) {
    let controls = core.controls
    switch (setting, try setting.checked(value)) {
    case (.bypassVoiceProcessing, .bool(let on)): controls.isBypassed = on
    case (.voiceProcessingEnableAGC, .bool(let on)): controls.isGainControlEnabled = on
    case (.noiseSuppression, .bool(let on)): controls.isNoiseSuppressionEnabled = on
    case (.echoCanceller, .bool(let on)), (.echoCancellation, .bool(let on)): controls.isEchoCancellationEnabled = on
    case (.echoCanceller, .string(let word)): try use(EchoCanceller(rawValue: word) ?? .off, setting)
    case (.highPassFilter, .bool(let on)): controls.isHighPassFilterEnabled = on
    case (.micMode, .string(let word)): try use(MicMode(rawValue: word) ?? .standard, setting)
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

  /// Voice isolation has to be there: nobody waits for it here.
  private func use(_ mode: MicMode, _ setting: Setting) throws(SettingError) {
    let former = core.controls.micMode
    core.controls.micMode = mode
    try? renewCapturePath()
    guard mode == .voiceIsolation, let failure = core.isolation.status.failure else { return }
    core.controls.micMode = former
    throw .badValue(setting: setting.rawValue, value: mode.rawValue, possible: "standard or wideSpectrum: \(failure)")
  }

  /// Makes the capture path for the engine of a session's settings, for the next cycle. If an engine is refused, the other stays in use.
  func renewCapturePath() throws(CapturePathError) {
    try prepared.withLock { rate throws(CapturePathError) in try core.prepare(rate: rate) }
  }
}
