extension Snapshot {
  /// A Boolean value indicating whether those who hear the microphone may hear themselves unless an echo is cancelled: others talk, over a
  /// loudspeaker, while the microphone is heard.
  package var risksEcho: Bool {
    guard session.state == .active, !session.sendMedia.isEmpty, !session.isMicrophoneMuted else { return false }
    let isHeardInRoom = route.current.outputs.first.map { !$0.isPrivate } ?? false
    return isHeardInRoom && !route.volumes.speaker.isMuted && (!session.receiveMedia.isEmpty || !sinks.isEmpty)
  }
}
