import SessionModel

extension SessionStatus {
  init(
    _ session: SessionState, interruption: Interruption?, interruptions: [InterruptionRecord] = [], isMicrophoneMuted: Bool
  ) {
    let phase: State =
      interruption != nil ? .interrupted : !session.isNeeded ? .idle : session.isUnitRunning ? .active : .waiting
    self.init(
      state: phase, sendMedia: session.media.filter(\.isSend).map(\.id), receiveMedia: session.media.filter(\.isReceive).map(\.id),
      interruption: interruption, interruptions: interruptions, isMicrophoneMuted: isMicrophoneMuted, isActive: session.isActive,
      isManual: session.settings.isManual)
    microphoneMuteMode = session.settings.microphoneMuteMode
    isRecordingAlwaysPrepared = session.settings.isRecordingAlwaysPrepared
  }
}
