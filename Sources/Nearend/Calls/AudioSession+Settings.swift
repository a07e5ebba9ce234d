import SessionModel

/// Settings that may change at any time, without a click. They outlast calls. In a joined session, all programs share them. [any]
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

  /// How the sound of the room around the voice is treated. Default `.standard`.
  public var micMode: MicMode {
    get { manager.micMode }
    set { manager.micMode = newValue }
  }

  /// The engine for echo and noise. Default `.nearend`.
  public var echoCanceller: EchoCanceller {
    get { manager.echoCanceller }
    set { manager.echoCanceller = newValue }
  }

  /// A Boolean value indicating whether noise is suppressed. Default true.
  public var isNoiseSuppressionEnabled: Bool {
    get { manager.isNoiseSuppressionEnabled }
    set { manager.isNoiseSuppressionEnabled = newValue }
  }

  /// A Boolean value indicating whether gain control is on. Default true.
  public var isGainControlEnabled: Bool {
    get { manager.voiceProcessingEnableAGC }
    set { manager.voiceProcessingEnableAGC = newValue }
  }

  /// A Boolean value indicating whether the raw microphone is sent, at the processed voice's latency. Default false.
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
