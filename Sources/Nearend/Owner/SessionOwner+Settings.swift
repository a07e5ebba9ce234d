import SessionModel

/// Settings by name. They outlive the session: without one they are kept for the next. [any]
extension SessionOwner {
  func value(of setting: Setting) -> EventValue {
    let (driven, kept) = current.withLock { ($0.driven, $0.kept.value(of: setting)) }
    return driven?.value(of: setting) ?? kept
  }

  func set(_ setting: Setting, to value: EventValue) {
    if isPostponed({ $0.set(setting, to: value) }) { return }
    changing.withLock { _ in
      if let driven { return driven.restore(setting, to: value) }
      guard self.value(of: setting) != value else { return }
      current.withLock { $0.kept.set(setting, to: value) }
      for setting in setting.views { tellChange(of: setting, to: self.value(of: setting)) }
    }
  }

  /// A switch.
  subscript(isOn setting: Setting) -> Bool {
    get { value(of: setting) == .bool(true) }
    set { set(setting, to: .bool(newValue)) }
  }

  /// A linear gain, 0–1; values outside are clamped, NaN is ignored.
  subscript(gain setting: Setting) -> Double {
    get { if case .number(let gain) = value(of: setting) { gain } else { 1 } }
    set { if !newValue.isNaN { set(setting, to: .number(min(max(newValue, 0), 1))) } }
  }

  /// A choice; `standard` in place of a word that this version does not know.
  subscript<Word: RawRepresentable<String>>(setting: Setting, default standard: Word) -> Word {
    get { value(of: setting).word() ?? standard }
    set { set(setting, to: EventValue(newValue)) }
  }

  // MARK: Settings that are part of the session

  /// Switches voice processing, even while media is registered, at the price of a short gap (V1).
  func setVoiceProcessingEnabled(_ on: Bool) {
    if isPostponed({ $0.setVoiceProcessingEnabled(on) }) { return }
    changing.withLock { _ in
      if let driven { return driven.setVoiceProcessingEnabled(on) }
      current.withLock { current in
        current.kept.changed.insert(.useVoiceProcessingIO)
        current.kept.session = reduce(current.kept.session, .setVoiceProcessingEnabled(on)).state
      }
      tellChange(of: .useVoiceProcessingIO, to: .bool(on))
    }
  }

  /// Sets an init-only setting (L6); returns the reason if it is refused, with nothing changed.
  func set(_ setting: InitOnlySetting) -> SessionRefusal? {
    if let refusal = send(.setInitOnly(setting)) { return refusal }
    switch setting {
    // The joined nearend's own event reports it.
    case .useVoiceProcessingIO where mode == .joined: break
    case .useVoiceProcessingIO(let on): tellChange(of: .useVoiceProcessingIO, to: .bool(on))
    case .manualAudioSessionManagement(let on): tellChange(of: .manualAudioSessionManagement, to: .bool(on))
    case .channelCount, .captureChannelCount, .renderChannelCount: break
    }
    return nil
  }

  /// Whether nearend links the real devices (S5).
  var isAutomaticConfigurationEnabled: Bool {
    get { session.settings.isAutomaticConfigurationEnabled }
    set {
      send(.setAutomaticConfiguration(newValue))
      stopNowWhereUnused()
    }
  }

  /// Whether the session ends with its last media (S5).
  var isAutomaticDeactivationEnabled: Bool {
    get { session.settings.isAutomaticDeactivationEnabled }
    set {
      send(.setAutomaticDeactivation(newValue))
      stopNowWhereUnused()
    }
  }

  private func tellChange(of setting: Setting, to value: EventValue) {
    bus.post(.settingChanged, detail: ["setting": .string(setting.rawValue), "value": value])
  }
}

extension Setting {
  /// The settings that are not part of the session and may change at any time.
  static let live = allCases.filter { !$0.has(.isInitOnly) }
}
