import RealtimeCore
import SessionModel

/// Settings by their live names. They take effect at once and without a click, even while cycles run (L7). [any]
extension ManualRenderer {
  /// The settings that apply without a device.
  public static let settings: [Setting] = Setting.allCases.filter { !$0.has(.needsDevices) }

  /// Returns the value of a setting; nil for one that is not in `settings`.
  public func value(of setting: Setting) -> EventValue? {
    guard Self.settings.contains(setting) else { return nil }
    return switch setting {
    case .microphoneMuted: .bool(core.controls.isMicrophoneMuted)
    // There is no link to remove: `restart` acts as `voiceProcessing`.
    case .microphoneMuteMode: EventValue(muteMode)
    case .reference: EventValue(core.usesMixAsReference ? ReferenceSource.mix : .everything)
    case .useVoiceProcessingIO: .bool(core.controls.usesVoiceProcessing)
    default: core.value(of: setting)
    }
  }

  /// Sets a setting.
  /// - Throws: `SettingError.badValue`, or `.unknown` for one that is not in `settings`; nothing has changed then.
  public func set(_ setting: Setting, to value: EventValue) throws(SettingError) {
    let controls = core.controls
    switch (setting, try setting.checked(value)) {
    case (.echoCanceller, .string): try use(value.word() ?? EchoCanceller.off, setting)
    case (.micMode, _): try use(value.word() ?? MicMode.standard, setting)
    case (.microphoneMuted, .bool(let on)): controls.isMicrophoneMuted = on
    case (.microphoneMuteMode, _):
      muteMode = value.word() ?? .voiceProcessing
      controls.mutesInput = muteMode == .inputMixer
    case (.reference, _): use(value.word() ?? ReferenceSource.mix)
    case (.useVoiceProcessingIO, .bool(let on)): controls.usesVoiceProcessing = on
    case (.microphoneChannels, let value):
      _ = core.set(setting, to: value)
      // Its right side is there in the next cycle, if there is one.
      try? renewCapturePath()
    case (_, let value): guard core.set(setting, to: value) else { throw .unknown(name: setting.rawValue) }
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

  /// Uses a mic mode. Voice isolation must be available at once, because manual rendering does not wait for it.
  private func use(_ mode: MicMode, _ setting: Setting) throws(SettingError) {
    let former = core.controls.micMode
    core.controls.micMode = mode
    try? renewCapturePath()
    guard mode == .voiceIsolation, let failure = core.isolation.status.failure else { return }
    core.controls.micMode = former
    throw .badValue(setting: setting.rawValue, value: mode.rawValue, possible: "standard or wideSpectrum: \(failure)")
  }

  /// Creates the capture path for the engine of a session's settings, for the next cycle. If an engine is refused, the former stays in use.
  func renewCapturePath() throws(CapturePathError) {
    try prepared.withLock { rate throws(CapturePathError) in try core.prepare(rate: rate) }
  }
}
