import SessionModel

/// Settings. They outlive the session: without one they are kept for the next. [any]
extension AudioSessionManager {
  // MARK: Init-only (L6): locked while media is registered; a later set is ignored and logs a warning

  /// False leaves the voice unprocessed, and adds nothing to its path (V1). Default true. LiveSwitch: `setUseVoiceProcessingIO:`.
  public var useVoiceProcessingIO: Bool {
    get { session.settings.usesVoiceProcessing }
    set { set(.useVoiceProcessingIO(newValue)) }
  }

  /// Channels, 1 or 2. Setting it sets both directions, as LiveSwitch's `setChannelCount:`; reading it returns the speaker's. Default: 2
  /// for the speaker and 1 for the microphone, because LiveSwitch's guide says 2, its reference says 1, and the voice is mono.
  public var channelCount: Int {
    get { renderChannelCount }
    set { set(.channelCount(newValue)) }
  }

  /// Channels of a microphone input, 1 or 2. Default 1.
  public var captureChannelCount: Int {
    get { session.settings.captureChannelCount }
    set { set(.captureChannelCount(newValue)) }
  }

  /// Channels of the mix, 1 or 2. Default 2.
  public var renderChannelCount: Int {
    get { session.settings.renderChannelCount }
    set { set(.renderChannelCount(newValue)) }
  }

  /// True lets a call manager activate and deactivate the session (S1). Default false. LiveSwitch: `manualAudioSessionManagement`.
  public var manualAudioSessionManagement: Bool {
    get { session.settings.isManual }
    set { set(.manualAudioSessionManagement(newValue)) }
  }

  // MARK: Live (L7): at any time, without a click

  /// True bypasses to the raw microphone at the processed voice's latency; effective only with `useVoiceProcessingIO`. Default false.
  /// LiveSwitch: `setBypassVoiceProcessing:`.
  public var bypassVoiceProcessing: Bool {
    get { isOn(.bypassVoiceProcessing) }
    set { set(.bypassVoiceProcessing, to: .bool(newValue)) }
  }

  /// LiveKit's name for `bypassVoiceProcessing`.
  public var isVoiceProcessingBypassed: Bool {
    get { bypassVoiceProcessing }
    set { bypassVoiceProcessing = newValue }
  }

  /// Gain control; effective only with `useVoiceProcessingIO` and while not bypassed. Default true. LiveSwitch:
  /// `setVoiceProcessingEnableAGC:`.
  public var voiceProcessingEnableAGC: Bool {
    get { isOn(.voiceProcessingEnableAGC) }
    set { set(.voiceProcessingEnableAGC, to: .bool(newValue)) }
  }

  /// Noise suppression; effective only with `useVoiceProcessingIO` and while not bypassed. Default true.
  public var isNoiseSuppressionEnabled: Bool {
    get { isOn(.noiseSuppression) }
    set { set(.noiseSuppression, to: .bool(newValue)) }
  }

  /// Echo cancellation; effective only with `useVoiceProcessingIO` and while not bypassed. Default true.
  public var isEchoCancellationEnabled: Bool {
    get { isOn(.echoCancellation) }
    set { set(.echoCancellation, to: .bool(newValue)) }
  }

  /// The engine for echo and noise: nearend's own, WebRTC's, or none for echo, which sets `isEchoCancellationEnabled` to false. Default
  /// `.nearend`.
  public var echoCanceller: EchoCanceller {
    get { value(of: .echoCanceller).word() ?? .nearend }
    set { set(.echoCanceller, to: EventValue(newValue)) }
  }

  /// How the sound of the room around the voice is treated, as with Apple's mic modes (V12). `.voiceIsolation` takes effect if its
  /// components are installed, and otherwise acts as `.standard`; the status document says so. Default `.standard`.
  public var micMode: MicMode {
    get { value(of: .micMode).word() ?? .standard }
    set { set(.micMode, to: EventValue(newValue)) }
  }

  /// The echo canceller's reference: everything that the speaker plays, or nearend's own mix alone (V4). Default the configuration's.
  public var reference: ReferenceSource {
    get { value(of: .reference).word() ?? .everything }
    set { set(.reference, to: EventValue(newValue)) }
  }

  /// The high-pass filter; effective only with `useVoiceProcessingIO` and while not bypassed. Default true.
  public var isHighPassFilterEnabled: Bool {
    get { isOn(.highPassFilter) }
    set { set(.highPassFilter, to: .bool(newValue)) }
  }

  /// Switches voice processing, even while media is registered, at the price of a short gap (V1). LiveKit: `setVoiceProcessingEnabled`.
  public func setVoiceProcessingEnabled(_ on: Bool) {
    changing.withLock { _ in
      if let driven { return driven.setVoiceProcessingEnabled(on) }
      current.withLock { current in
        current.changed.insert(.useVoiceProcessingIO)
        current.session = reduce(current.session, .setVoiceProcessingEnabled(on)).state
      }
      tellChange(of: .useVoiceProcessingIO, to: .bool(on))
    }
  }

  // MARK: Automatic handling of the session (S5), at any time

  /// False leaves linking real devices to the program. Default true. LiveKit: `isAutomaticConfigurationEnabled`.
  public var isAutomaticConfigurationEnabled: Bool {
    get { session.settings.isAutomaticConfigurationEnabled }
    set {
      send(.setAutomaticConfiguration(newValue))
      stopNowWhereUnused()
    }
  }

  /// False keeps the session active after the last media, with its node and devices in the graph and no real device linked, until this is
  /// true again or `shutDown`. Default true. No effect without `isAutomaticConfigurationEnabled`, or in manual mode. LiveKit:
  /// `isAutomaticDeactivationEnabled`.
  public var isAutomaticDeactivationEnabled: Bool {
    get { session.settings.isAutomaticDeactivationEnabled }
    set {
      send(.setAutomaticDeactivation(newValue))
      stopNowWhereUnused()
    }
  }

  // MARK: Setting by name

  /// The settings that are not part of the session and may change at any time.
  static let live = Setting.allCases.filter { $0 != .useVoiceProcessingIO && $0 != .manualAudioSessionManagement }

  func isOn(_ setting: Setting) -> Bool { value(of: setting) == .bool(true) }

  func value(of setting: Setting) -> EventValue {
    let (driven, kept) = current.withLock { ($0.driven, $0.value(of: setting)) }
    return driven?.value(of: setting) ?? kept
  }

  func set(_ setting: Setting, to value: EventValue) {
    changing.withLock { _ in
      if let driven { return driven.restore(setting, to: value) }
      guard self.value(of: setting) != value else { return }
      current.withLock { $0.keep(value, of: setting) }
      for setting in setting.views { tellChange(of: setting, to: self.value(of: setting)) }
    }
  }

  private func set(_ setting: InitOnlySetting) {
    switch change(setting) {
    // The session itself logs a lock.
    case .locked?, nil: break
    case let refusal?: log.add(.warning, refusal.description)
    }
  }

  /// Sets an init-only setting; returns the reason if it is refused, with nothing changed.
  func change(_ setting: InitOnlySetting) -> SessionRefusal? {
    if let refusal = send(.setInitOnly(setting)) { return refusal }
    switch setting {
    // The joined nearend's own event reports it.
    case .useVoiceProcessingIO where mode == .joined: break
    case .useVoiceProcessingIO(let on):
      current.withLock { _ = $0.changed.insert(.useVoiceProcessingIO) }
      tellChange(of: .useVoiceProcessingIO, to: .bool(on))
    case .manualAudioSessionManagement(let on): tellChange(of: .manualAudioSessionManagement, to: .bool(on))
    case .channelCount, .captureChannelCount, .renderChannelCount: break
    }
    return nil
  }

  private func tellChange(of setting: Setting, to value: EventValue) {
    bus.post(.settingChanged, detail: ["setting": .string(setting.rawValue), "value": value])
  }
}
