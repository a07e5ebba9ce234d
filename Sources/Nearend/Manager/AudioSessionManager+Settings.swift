import SessionModel

/// Settings. They outlive the session: without one they are kept for the next. [any]
extension AudioSessionManager {
  // MARK: Init-only (L6): locked while media is registered; a later set is ignored and logs a warning

  /// A Boolean value indicating whether the voice is processed; otherwise nothing is added to its path (V1). Default true. LiveSwitch:
  /// `setUseVoiceProcessingIO:`.
  public var useVoiceProcessingIO: Bool {
    get { owner.session.settings.usesVoiceProcessing }
    set { set(.useVoiceProcessingIO(newValue)) }
  }

  /// Channels, 1 or 2. Setting it sets both directions, as LiveSwitch's `setChannelCount:`; reading it returns the speaker's. Default: 2
  /// for the speaker and 1 for the microphone, because LiveSwitch's guide says 2, its reference says 1, and a voice is mono unless it is
  /// asked for otherwise.
  public var channelCount: Int {
    get { renderChannelCount }
    set { set(.channelCount(newValue)) }
  }

  /// Channels of a microphone input, 1 or 2. Default 1. With 2, it gets left and right of a microphone that has two, each with its echo
  /// cancelled, while voice processing is off or the mode is wide spectrum; otherwise the mono voice is on both.
  public var captureChannelCount: Int {
    get { owner.session.settings.captureChannelCount }
    set { set(.captureChannelCount(newValue)) }
  }

  /// Channels of the mix, 1 or 2. Default 2.
  public var renderChannelCount: Int {
    get { owner.session.settings.renderChannelCount }
    set { set(.renderChannelCount(newValue)) }
  }

  /// A Boolean value indicating whether a call manager activates and deactivates the session (S1). Default false. LiveSwitch:
  /// `manualAudioSessionManagement`.
  public var manualAudioSessionManagement: Bool {
    get { owner.session.settings.isManual }
    set { set(.manualAudioSessionManagement(newValue)) }
  }

  // MARK: Live (L7): at any time, without a click

  /// True bypasses to the raw microphone at the processed voice's latency; effective only with `useVoiceProcessingIO`. Default false.
  /// LiveSwitch: `setBypassVoiceProcessing:`.
  public var bypassVoiceProcessing: Bool {
    get { owner[isOn: .bypassVoiceProcessing] }
    set { owner[isOn: .bypassVoiceProcessing] = newValue }
  }

  /// LiveKit's name for `bypassVoiceProcessing`.
  public var isVoiceProcessingBypassed: Bool {
    get { bypassVoiceProcessing }
    set { bypassVoiceProcessing = newValue }
  }

  /// Gain control; effective only with `useVoiceProcessingIO` and while not bypassed. Default true. LiveSwitch:
  /// `setVoiceProcessingEnableAGC:`.
  public var voiceProcessingEnableAGC: Bool {
    get { owner[isOn: .voiceProcessingEnableAGC] }
    set { owner[isOn: .voiceProcessingEnableAGC] = newValue }
  }

  /// Noise suppression; effective only with `useVoiceProcessingIO` and while not bypassed. Default true.
  public var isNoiseSuppressionEnabled: Bool {
    get { owner[isOn: .noiseSuppression] }
    set { owner[isOn: .noiseSuppression] = newValue }
  }

  /// Echo cancellation; effective only with `useVoiceProcessingIO` and while not bypassed. Default true.
  public var isEchoCancellationEnabled: Bool {
    get { owner[isOn: .echoCancellation] }
    set { owner[isOn: .echoCancellation] = newValue }
  }

  /// The engine for echo and noise: nearend's own, WebRTC's, or none for echo, which sets `isEchoCancellationEnabled` to false. Default
  /// `.nearend`.
  public var echoCanceller: EchoCanceller {
    get { owner[.echoCanceller, default: .nearend] }
    set { owner[.echoCanceller, default: .nearend] = newValue }
  }

  /// How the sound of the room around the voice is treated, as with Apple's mic modes (V12). `.voiceIsolation` takes effect if its
  /// components are installed, and otherwise acts as `.standard`; the status document says so. Default `.standard`.
  public var micMode: MicMode {
    get { owner[.micMode, default: .standard] }
    set { owner[.micMode, default: .standard] = newValue }
  }

  /// The echo canceller's reference: everything that the speaker plays, or nearend's own mix alone (V4). Default the configuration's.
  public var reference: ReferenceSource {
    get { owner[.reference, default: .everything] }
    set { owner[.reference, default: .everything] = newValue }
  }

  /// The high-pass filter; effective only with `useVoiceProcessingIO` and while not bypassed. Default true.
  public var isHighPassFilterEnabled: Bool {
    get { owner[isOn: .highPassFilter] }
    set { owner[isOn: .highPassFilter] = newValue }
  }

  /// Switches voice processing, even while media is registered, at the price of a short gap (V1). LiveKit: `setVoiceProcessingEnabled`.
  public func setVoiceProcessingEnabled(_ on: Bool) { owner.setVoiceProcessingEnabled(on) }

  // MARK: Automatic handling of the session (S5), at any time

  /// A Boolean value indicating whether nearend links the real devices, not the program. Default true. LiveKit:
  /// `isAutomaticConfigurationEnabled`.
  public var isAutomaticConfigurationEnabled: Bool {
    get { owner.isAutomaticConfigurationEnabled }
    set { owner.isAutomaticConfigurationEnabled = newValue }
  }

  /// False keeps the session active after the last media, with its node and devices in the graph and no real device linked, until this is
  /// true again or `shutDown`. Default true. No effect without `isAutomaticConfigurationEnabled`, or in manual mode. LiveKit:
  /// `isAutomaticDeactivationEnabled`.
  public var isAutomaticDeactivationEnabled: Bool {
    get { owner.isAutomaticDeactivationEnabled }
    set { owner.isAutomaticDeactivationEnabled = newValue }
  }

  /// Logs a refusal, except a lock, which the session itself logs.
  private func set(_ setting: InitOnlySetting) {
    guard let refusal = owner.set(setting) else { return }
    if case .locked = refusal { return }
    owner.log.add(.warning, refusal.description)
  }
}
