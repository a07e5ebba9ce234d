import Border

/// What notices depend on, at one instant. [any]
package struct NoticeFacts: Sendable, Equatable {
  /// Whether somebody plays or records.
  package var isInCall = false
  /// Whether sound flows, for whoever plays or records.
  package var isActive = false
  /// Whether somebody records, and gets sound.
  package var isSending = false
  package var interruption: Interruption.Reason?
  package var isPausedAfterUnplug = false
  package var isMicrophoneMuted = false
  package var isTalkingWhileMuted = false
  package var echo = EchoVerdict.off
  /// Node name of the real microphone; nil if there is none.
  package var microphone: String?
  /// Seconds of digital silence from the real microphone since it was opened; nil if it has sounded, or is muted by anybody.
  package var silence: Double?
  /// Why others hear little or nothing of the microphone, by a mixer or a switch, in a sentence; nil if they hear it.
  package var complaint: String?
  /// Why voice isolation is not heard, though wanted; nil if it is, or nobody wants it.
  package var isolationObstacle: String?
  /// The plug-ins that are bypassed, each with the reason.
  package var bypassed: [String] = []

  /// Nothing happens.
  package init() {}

  package init(_ snapshot: Snapshot) {
    let (session, route, processing) = (snapshot.session, snapshot.route, snapshot.processing)
    isInCall = !session.sendMedia.isEmpty || !session.receiveMedia.isEmpty
    isActive = session.state == .active
    isSending = isActive && !session.sendMedia.isEmpty
    interruption = session.interruption?.reason
    isPausedAfterUnplug = route.isPausedAfterUnplug
    isMicrophoneMuted = session.isMicrophoneMuted
    isTalkingWhileMuted = session.isTalkingWhileMuted
    echo = processing.echo
    microphone = route.microphone?.name
    complaint = Self.complaint(route.volumes)
    silence = isSending && complaint == nil && snapshot.graph.captureLinks > 0 ? session.microphoneSilence : nil
    let mode = processing.micMode
    if mode.requested == .voiceIsolation, mode.effective == .standard { isolationObstacle = mode.reason ?? "it is not ready" }
    bypassed = snapshot.stages.filter { $0.state != .running }.map { "\($0.name): \($0.reason ?? "it failed")" }
  }

  /// Without the volume's number: a notice does not follow a slider.
  private static func complaint(_ volumes: VolumesStatus) -> String? {
    let inputs = volumes.ends.filter { $0.direction == .input }
    if let end = inputs.first(where: { $0.status.isMuted }) {
      return "\(end.isOurs ? end.plainName : "The real microphone") is muted by a mixer or a switch: unmute it there."
    }
    return inputs.first(where: \.isLow).map { "\($0.isOurs ? $0.plainName : "The real microphone") is turned down in a mixer." }
  }
}

extension NoticeFacts {
  /// What is to be told now, whether it has been for long or not. An interruption is told only to somebody in a call, which the caller
  /// knows.
  package var notices: [Notice] {
    var notices: [Notice] = []
    if let interruption, let words = interruption.notice {
      notices.append(Notice(.interruption, "The call's sound is interrupted", words))
    }
    if isPausedAfterUnplug {
      notices.append(
        Notice(.pause, "Playback is paused", "Headphones were unplugged. Resuming plays on the speaker, in the room.", action: .resume))
    }
    guard isSending else { return notices + plugIns }
    if microphone == nil {
      notices.append(
        Notice(.noMicrophone, "There is no microphone", "Others do not hear you. nearend uses one as soon as it is plugged in."))
    }
    if isMicrophoneMuted, isTalkingWhileMuted {
      notices.append(
        Notice(.talkingWhileMuted, "You are talking while muted", "Others do not hear you: the microphone is muted.", action: .unmute))
    }
    if !isMicrophoneMuted, echo == .failing {
      notices.append(
        Notice(
          .echo, "Others hear an echo", "What the speaker plays is not cancelled. Turn the speaker down, or put on headphones."))
    }
    if !isMicrophoneMuted, let complaint {
      notices.append(Notice(.silentMicrophone, "Others hardly hear you", complaint))
    } else if let silence, silence >= MicrophoneSilence.longest, let microphone {
      notices.append(
        Notice(
          .silentMicrophone, "Others do not hear you",
          "Nothing but silence comes from the microphone \(microphone.printable()). Is it switched off, or another one meant?"))
    }
    if let isolationObstacle {
      notices.append(
        Notice(.isolation, "Voice isolation is not in effect", "The room is heard as in the standard mode: \(isolationObstacle)."))
    }
    return notices + plugIns
  }

  private var plugIns: [Notice] {
    guard isActive, !bypassed.isEmpty else { return [] }
    let title = bypassed.count == 1 ? "A plug-in is bypassed" : "\(bypassed.count) plug-ins are bypassed"
    return [Notice(.plugIn, title, bypassed.joined(separator: "; ").printable(atMost: 500))]
  }
}

extension Interruption.Reason {
  /// What somebody in a call is told of it; nil where nobody sits at the machine to be told.
  fileprivate var notice: String? {
    switch self {
    case .sleep, .sessionInactive: nil
    case .daemonLost: "PipeWire is gone. Sound comes back with it."
    case .noDevice: "There is no microphone and no speaker left. Sound comes back with one."
    case .role: "Something more important plays, such as a phone or an alarm. Sound comes back after it."
    case .frozen: "The audio graph stands still. nearend rebuilds its part of it."
    case .nearendLost: "The nearend that this program uses is gone. Sound comes back with it."
    }
  }
}
