import Border
import RealtimeCore
import SessionModel

/// The microphone, and what programs play into it (D1, D4, D5, S8).
extension NearendService {
  /// Carries out a command that concerns the microphone; returns false if it changes nothing.
  /// - Throws: the session's refusal; nothing has changed then.
  func performAtMicrophone(_ command: Command) throws(SessionRefusal) -> Bool {
    guard let setting = command.setting else { return false }
    let before = value(of: setting)
    switch command {
    case .setMicrophoneMuted(let muted): session.send(.setMicrophoneMuted(muted))
    case .setMicrophoneMuteMode(let mode): session.send(.setMicrophoneMuteMode(mode))
    case .setRecordingAlwaysPrepared(let on): if let refusal = session.send(.setRecordingAlwaysPrepared(on)) { throw refusal }
    case .setMicVolume(let volume): core.appAudio.micVolume = Float(volume)
    case .setAppVolume(let volume): core.appAudio.appVolume = Float(volume)
    case .setAppDucking(let on): core.appAudio.isDucked = on
    case .setAppMonitor(let on): core.appAudio.isMonitored = on
    default: return false
    }
    guard value(of: setting) != before else { return false }
    if let words = command.microphoneWords(in: session.current) { log.add(.info, words) }
    return true
  }

  /// A Boolean value indicating whether somebody talks unheard (D2). The audio thread's last report counts only while it listens.
  var isTalkingWhileMuted: Bool { core.isSending && core.isTalkingWhileMuted }

  // MARK: Application audio (D4)

  /// Plays a buffer into the outgoing microphone, behind what was captured before. Returns false, and plays none of it, while nobody takes
  /// the voice, or if more than two seconds would wait. A buffer that arrives before the graph has followed a registration waits for it.
  /// [any]
  public func capture(appAudio buffer: AppAudioBuffer) -> Bool { session.current.demand.sends && core.appAudio.capture(buffer) }

  /// Adds a source of application audio whose PCM a program writes, until `removeAppAudio`. It waits until somebody takes the voice.
  /// `bufferSize` is in bytes. Throws `SinkError`, `.refused` if the mixer is not among the engine observers. [any]
  public func addAppAudio(id: String, format: SinkFormat, bufferSize: Int) throws(SinkError) -> RingSink {
    guard core.appAudio.isEnabled else {
      throw .refused(id: id, reason: "application audio is off, because the program's engine observers are without the mixer (S6)")
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
  public func removeAppAudio(id: String) -> Bool {
    guard core.appAudio.mixer.remove(id: id) else { return false }
    log.add(.info, "\(id) no longer plays into the microphone")
    return true
  }
}

extension Command {
  /// The log message, once `session` has changed.
  fileprivate func microphoneWords(in session: SessionState) -> String? {
    func percent(_ volume: Double) -> String { "\(Int(bounded: volume * 100)) %" }
    return switch self {
    case .setMicrophoneMuted(let muted): "microphone \(muted ? "muted" : "no longer muted")"
    case .setMicrophoneMuteMode(let mode): "mute mode: \(mode.rawValue)"
    case .setRecordingAlwaysPrepared(true):
      "recording is kept prepared: the microphone stays \(session.closesMicrophone ? "closed while it is muted" : "open")"
    case .setRecordingAlwaysPrepared(false): "recording is no longer kept prepared"
    case .setMicVolume(let volume): "microphone volume \(percent(volume))"
    case .setAppVolume(let volume): "application audio's volume \(percent(volume))"
    case .setAppDucking(let on): "application audio is \(on ? "" : "no longer ")lowered under speech"
    case .setAppMonitor(let on): "application audio is \(on ? "" : "no longer ")heard on the speaker"
    default: nil
    }
  }
}
