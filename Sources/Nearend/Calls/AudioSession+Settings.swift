import SessionModel

/// What may change at any time, without a click. Settings outlast calls. In a joined session they are everybody's. [any]
extension AudioSession {
  /// A Boolean value indicating whether the person at the microphone is muted. Default false.
  public var isMicrophoneMuted: Bool {
    get { manager.isMicrophoneMuted }
    set { manager.isMicrophoneMuted = newValue }
  }

  /// How the microphone is muted. Default `.voiceProcessing`.
  public var microphoneMuteMode: MicrophoneMuteMode {
    get { manager.microphoneMuteMode }
    set { manager.set(microphoneMuteMode: newValue) }
  }

  /// What becomes of the room around the voice. Default `.standard`.
  public var micMode: MicMode {
    get { manager.micMode }
    set { manager.micMode = newValue }
  }

  /// The engine for echo and noise. Default `.nearend`.
  public var echoCanceller: EchoCanceller {
    get { manager.echoCanceller }
    set { manager.echoCanceller = newValue }
  }

  /// Noise suppression. Default true.
  public var isNoiseSuppressionEnabled: Bool {
    get { manager.isNoiseSuppressionEnabled }
    set { manager.isNoiseSuppressionEnabled = newValue }
  }

  /// Gain control. Default true.
  public var isGainControlEnabled: Bool {
    get { manager.voiceProcessingEnableAGC }
    set { manager.voiceProcessingEnableAGC = newValue }
  }

  /// True sends the raw microphone, at the processed voice's latency. Default false.
  public var isVoiceProcessingBypassed: Bool {
    get { manager.bypassVoiceProcessing }
    set { manager.bypassVoiceProcessing = newValue }
  }

  /// Linear gain of everything that nearend plays, 0–1; values outside are clamped. Default 1.
  public var outputVolume: Double {
    get { manager.mixer.outputVolume }
    set { manager.mixer.outputVolume = newValue }
  }

  /// Linear gain of the processed microphone, 0–1; values outside are clamped. Default 1.
  public var microphoneVolume: Double {
    get { manager.mixer.micVolume }
    set { manager.mixer.micVolume = newValue }
  }

  /// How far other applications are lowered while a call is up. Default `.min`.
  public var duckingLevel: DuckingLevel {
    get { manager.duckingLevel }
    set { manager.duckingLevel = newValue }
  }
}
