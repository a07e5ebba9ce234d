/// Something that happens to a session: a call of a program, or news from the graph or the system. [any]
package enum SessionEvent: Sendable, Equatable {
  // Programs
  /// `registerMedia`. Neither send nor receive, or an id that is already registered, has no effect (L2).
  case registerMedia(id: String, isSend: Bool, isReceive: Bool)
  /// `unregisterMedia`: removes its source and its sink, too (L2).
  case unregisterMedia(id: String)
  /// `registerMicrophoneInput` (L5).
  case registerSource(mediaId: String)
  /// Unregisters the source; ignored for any other id (L5).
  case unregisterSource(mediaId: String)
  /// `reportSourceAudioActivity`; ignored for any id but the registered source's (T5).
  case sourceHadAudio(mediaId: String)
  /// `reportSourceResampling`, which holds instead of what the rates tell; nil for none. Ignored for any id but the registered source's
  /// (T5).
  case sourceResampling(mediaId: String, SessionState.Resampling?)
  /// `registerSpeakerOutput`, after its format was validated (K1).
  case registerSink(mediaId: String)
  case unregisterSink(mediaId: String)
  case setInitOnly(InitOnlySetting)
  /// `setVoiceProcessingEnabled`: switches `useVoiceProcessingIO` while running, at the cost of a short gap (V1).
  case setVoiceProcessingEnabled(Bool)
  case setAutomaticConfiguration(Bool)
  case setAutomaticDeactivation(Bool)
  /// Sets whether the session is in the chain of engine observers; outside it nearend does nothing automatically (S6).
  case setSessionHandling(Bool)

  // A person at the microphone
  case setMicrophoneMuted(Bool)
  case setMicrophoneMuteMode(MicrophoneMuteMode)
  /// `setRecordingAlwaysPreparedMode` (S8).
  case setRecordingAlwaysPrepared(Bool)

  // A call manager (S2)
  case activatedExternally
  case deactivatedExternally

  // The graph and the system
  /// The applications that use nearend's devices now (L3).
  case applications([Media])
  case interruptionBegan(Interruption.Reason)
  case interruptionEnded(Interruption.Reason)
  case enteredBackground
  case enteredForeground
}
