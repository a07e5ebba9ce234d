import RealtimeCore
import SessionModel

/// The microphone, and what programs play into it (D2, D4).
extension NearendService {
  /// Whether somebody talks while muted (D2). The audio thread's last report counts only while the core sends.
  var isTalkingWhileMuted: Bool { core.isSending && core.isTalkingWhileMuted }

  // MARK: Application audio (D4)

  /// Plays a buffer into the outgoing microphone, after earlier ones. Plays none of it, and returns why, while the voice has no consumer,
  /// or if more than two seconds would wait. A buffer that arrives before the graph has followed a registration waits for it. [any]
  package func play(appAudio buffer: AppAudioBuffer) -> MicrophonePlayError? {
    guard session.current.demand.sends else { return .notSending }
    return switch core.appAudio.offer(buffer) {
    case .played: nil
    case .off: .notMixed
    case .full: .full
    case .refused: .unavailable
    }
  }

  /// Adds a source of application audio whose PCM a program writes, until `removeAppAudio`. It waits until the voice has a consumer.
  /// `bufferSize` is in bytes. Throws `SinkError`, `.refused` if the mixer is not among the engine observers. [any]
  package func addAppAudio(id: String, format: SinkFormat, bufferSize: Int) throws(SinkError) -> RingSink {
    guard core.appAudio.isEnabled else {
      throw .refused(id: id, reason: "application audio is off, because the program's engine observers do not include the mixer")
    }
    let source = try RingSink(id: id, format: format, capacityBytes: bufferSize)
    try core.appAudio.mixer.add(source)
    log.add(
      .info,
      "\(id) plays into the microphone: \(format.sampleRate) Hz, \(format.channelCount) channel\(format.channelCount == 1 ? "" : "s")")
    return source
  }

  /// Removes a source of application audio; returns false if there is none of that id. [any]
  @discardableResult
  package func removeAppAudio(id: String) -> Bool {
    guard core.appAudio.mixer.remove(id: id) else { return false }
    log.add(.info, "\(id) no longer plays into the microphone")
    return true
  }
}
