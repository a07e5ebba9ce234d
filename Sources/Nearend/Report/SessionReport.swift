import SessionModel

extension SessionStatus {
  init(
    _ session: SessionState, interruption: Interruption?, interruptions: [InterruptionRecord] = [], isMicrophoneMuted: Bool
  ) {
    let phase: State =
      interruption != nil ? .interrupted : !session.isNeeded ? .idle : session.isUnitRunning ? .active : .waiting
    // Who hears themselves is no user: others hear nothing of it, and the audition tells it.
    let media = session.media.filter { $0.id != SessionState.auditionMedia }
    self.init(
      state: phase, sendMedia: media.filter(\.isSend).map(\.id), receiveMedia: media.filter(\.isReceive).map(\.id),
      interruption: interruption, interruptions: interruptions, isMicrophoneMuted: isMicrophoneMuted, isActive: session.isActive,
      isManual: session.settings.isManual)
    microphoneMuteMode = session.settings.microphoneMuteMode
    isRecordingAlwaysPrepared = session.settings.isRecordingAlwaysPrepared
  }
}
