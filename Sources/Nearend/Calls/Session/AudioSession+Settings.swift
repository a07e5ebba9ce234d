import SessionModel

/// Settings that may change at any time, without a click. They outlast calls. In a joined session, all programs share them. [any]
extension AudioSession {
  /// A Boolean value indicating whether the person at the microphone is muted. Default false.
  public var isMicrophoneMuted: Bool {
    get { owner[isOn: .microphoneMuted] }
    set { owner[isOn: .microphoneMuted] = newValue }
  }

  /// How the microphone is muted. Default `.voiceProcessing`.
  public var microphoneMuteMode: MicrophoneMuteMode {
    get { owner[.microphoneMuteMode, default: .voiceProcessing] }
    set { owner[.microphoneMuteMode, default: .voiceProcessing] = newValue }
  }

  /// How the sound of the room around the voice is treated. Default `.standard`.
  public var micMode: MicMode {
    get { owner[.micMode, default: .standard] }
    set { owner[.micMode, default: .standard] = newValue }
  }

  /// The engine for echo and noise. Default `.nearend`.
  public var echoCanceller: EchoCanceller {
    get { owner[.echoCanceller, default: .nearend] }
    set { owner[.echoCanceller, default: .nearend] = newValue }
  }

  /// The canceller's reference: everything that the speaker plays, or nearend's own mix alone. Default the configuration's.
  public var reference: ReferenceSource {
    get { owner[.reference, default: .everything] }
    set { owner[.reference, default: .everything] = newValue }
  }

  /// A Boolean value indicating whether the voice is processed at all. Changing it in a call costs a short gap; `set(_:)` does so before
  /// the first call without one. Default true.
  public var isVoiceProcessingEnabled: Bool {
    get { owner.session.settings.usesVoiceProcessing }
    set { owner.setVoiceProcessingEnabled(newValue) }
  }

  /// A Boolean value indicating whether noise is suppressed. Default true.
  public var isNoiseSuppressionEnabled: Bool {
    get { owner[isOn: .noiseSuppression] }
    set { owner[isOn: .noiseSuppression] = newValue }
  }

  /// A Boolean value indicating whether gain control is on. Default true.
  public var isGainControlEnabled: Bool {
    get { owner[isOn: .voiceProcessingEnableAGC] }
    set { owner[isOn: .voiceProcessingEnableAGC] = newValue }
  }

  /// A Boolean value indicating whether rumble below the voice is removed. Default true.
  public var isHighPassFilterEnabled: Bool {
    get { owner[isOn: .highPassFilter] }
    set { owner[isOn: .highPassFilter] = newValue }
  }

  /// A Boolean value indicating whether the raw microphone is sent, at the processed voice's latency. Default false.
  public var isVoiceProcessingBypassed: Bool {
    get { owner[isOn: .bypassVoiceProcessing] }
    set { owner[isOn: .bypassVoiceProcessing] = newValue }
  }

  /// Linear gain of everything that nearend plays, 0–1; values outside are clamped. Default 1.
  public var outputVolume: Double {
    get { owner[gain: .outputVolume] }
    set { owner[gain: .outputVolume] = newValue }
  }

  /// Linear gain of the processed microphone, 0–1; values outside are clamped. Default 1.
  public var microphoneVolume: Double {
    get { owner[gain: .micVolume] }
    set { owner[gain: .micVolume] = newValue }
  }

  /// How far other applications are lowered while a call is up. Default `.min`.
  public var duckingLevel: DuckingLevel {
    get { owner[.duckingLevel, default: .min] }
    set { owner[.duckingLevel, default: .min] = newValue }
  }

  /// A Boolean value indicating whether others are lowered fully only while somebody speaks at either end, and by a third of that in
  /// silence. Default false.
  public var isAdvancedDuckingEnabled: Bool {
    get { owner[isOn: .isAdvancedDuckingEnabled] }
    set { owner[isOn: .isAdvancedDuckingEnabled] = newValue }
  }
}
