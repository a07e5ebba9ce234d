/// What keeps a call from being as it should be, and a person can see to: the dashboard's banners and the tray's icon tell it (U6). [any]
package enum Trouble: Sendable, Equatable {
  case interruption(Interruption)
  /// Headphones were unplugged (R5).
  case pausedAfterUnplug
  /// The node of this name plays nearend's sound back into nearend.
  case loop(String)
  /// Somebody hears oneself, and others hear nothing meanwhile; in words.
  case audition(String)
  /// A person has muted the microphone (D1); somebody may talk all the same (D2), and a mixer or a switch may have muted a microphone, too.
  case microphoneMuted(isTalking: Bool, isDeviceMuted: Bool)
  /// A mixer or a switch has muted it.
  case realMicrophoneMuted
  case nearendMicrophoneMuted
  /// The microphone is open and has never sounded, though nobody has muted it or turned it down.
  case silentMicrophone
  /// The echo is measured, and not cancelled (V6).
  case echo
  /// A loudspeaker plays while the microphone is heard, and nothing cancels the echo.
  case possibleEcho(Cause)
  /// A mixer has turned it down, or muted a speaker.
  case volume(VolumesStatus.End)

  /// Why nothing cancels the echo.
  package enum Cause: Sendable { case voiceProcessingOff, bypassed, cancellationOff }

  /// Whether the call does not go on, or others are annoyed, until somebody does something.
  package var isAlarm: Bool {
    switch self {
    case .interruption, .pausedAfterUnplug, .loop, .echo: true
    case .microphoneMuted(let isTalking, _): isTalking
    case .audition, .realMicrophoneMuted, .nearendMicrophoneMuted, .silentMicrophone, .possibleEcho, .volume: false
    }
  }
}

extension Snapshot {
  /// What is wrong now, the most urgent first.
  package var troubles: [Trouble] {
    var troubles: [Trouble] = []
    if let interruption = session.interruption { troubles.append(.interruption(interruption)) }
    if route.isPausedAfterUnplug { troubles.append(.pausedAfterUnplug) }
    if let loop = graph.loops.first { troubles.append(.loop(loop)) }
    if let audition, audition.isActive { troubles.append(.audition(audition.words)) }
    if let mute { troubles.append(mute) }
    if isMicrophoneSilent { troubles.append(.silentMicrophone) }
    if let echo { troubles.append(echo) }
    return troubles + volumes
  }

  /// Why the person at the microphone is not heard; nil if nothing is muted. What nearend itself can undo comes first.
  package var mute: Trouble? {
    let volumes = route.volumes
    if session.isMicrophoneMuted {
      return .microphoneMuted(
        isTalking: session.isTalkingWhileMuted, isDeviceMuted: volumes.microphone.isMuted || volumes.nearendMicrophone.isMuted)
    }
    if volumes.microphone.isMuted { return .realMicrophoneMuted }
    return volumes.nearendMicrophone.isMuted ? .nearendMicrophoneMuted : nil
  }

  private var isMicrophoneSilent: Bool {
    guard let seconds = session.microphoneSilence, seconds >= MicrophoneSilence.longest, session.state == .active, graph.captureLinks > 0
    else { return false }
    return !route.volumes.ends.contains { $0.direction == .input && ($0.isLow || $0.status.isMuted) }
  }

  private var echo: Trouble? {
    guard session.state == .active, !session.sendMedia.isEmpty, !session.isMicrophoneMuted else { return nil }
    if processing.echo == .failing { return .echo }
    guard risksEcho else { return nil }
    if !processing.isInUse { return .possibleEcho(.voiceProcessingOff) }
    if processing.isBypassed { return .possibleEcho(.bypassed) }
    let canceller = processing.components.first { $0.component == .echoCancellation }
    return canceller?.isRequested == false ? .possibleEcho(.cancellationOff) : nil
  }

  /// What mixers have turned down or muted, of what is in use. Mutes of microphones are told by `mute`.
  private var volumes: [Trouble] {
    route.volumes.ends.compactMap { end in
      let isInput = end.direction == .input
      let isUsed = isInput ? !session.sendMedia.isEmpty : !session.receiveMedia.isEmpty || !sinks.isEmpty
      return (isUsed || audition?.isActive == true) && (end.isLow || end.status.isMuted && !isInput) ? .volume(end) : nil
    }
  }
}
