import SessionModel

/// A row on every page about what keeps a call from being as it should be, with what mends it (U6).
struct Banner: Equatable {
  var text: String
  var style: Style

  /// Rows that banners take at most, so that every page still fits.
  private static let most = 3

  /// The banners that are due, most urgent first.
  static func all(_ snapshot: Snapshot) -> [Banner] {
    var banners: [Banner] = []
    if let interruption = snapshot.session.interruption {
      let text = "INTERRUPTED for \(Numbers.duration(interruption.duration)): \(interruption.reason.sentence)"
      banners.append(Banner(text: text, style: .interruption))
    }
    if snapshot.route.isPausedAfterUnplug {
      banners.append(Banner(text: "PAUSED: headphones unplugged - r resumes on the speaker", style: .interruption))
    }
    if let loop = snapshot.graph.loops.first {
      banners.append(Banner(text: "LOOP: \(loop) plays nearend's sound back into it, and is cut off - end it", style: .interruption))
    }
    if let mute = MuteBanner(snapshot) { banners.append(Banner(text: mute.text, style: mute.style)) }
    if let silence = silence(snapshot) { banners.append(silence) }
    if let echo = echo(snapshot) { banners.append(echo) }
    return banners + volumes(snapshot)
  }

  /// The banners that have a row; the last one says how many more there are.
  static func shown(_ snapshot: Snapshot) -> [Banner] {
    let banners = all(snapshot)
    guard banners.count > most else { return banners }
    var shown = Array(banners.prefix(most))
    shown[most - 1].text = "+\(banners.count - most) (F4): \(shown[most - 1].text)"
    return shown
  }

  /// The microphone is open and has never sounded, though nobody has muted it or turned it down.
  private static func silence(_ snapshot: Snapshot) -> Banner? {
    guard let seconds = snapshot.session.microphoneSilence, seconds >= MicrophoneSilence.longest, snapshot.session.state == .active,
      snapshot.graph.captureLinks > 0,
      !snapshot.route.volumes.ends.contains(where: { $0.direction == .input && ($0.isLow || $0.status.isMuted) })
    else { return nil }
    return Banner(text: "MICROPHONE SILENT - look for its switch, or choose another (c)", style: .muteBanner)
  }

  /// Who is at the other end may hear itself: the echo is measured and not cancelled, or a loudspeaker plays and nothing cancels it.
  private static func echo(_ snapshot: Snapshot) -> Banner? {
    let (session, processing) = (snapshot.session, snapshot.processing)
    guard session.state == .active, !session.sendMedia.isEmpty, !session.isMicrophoneMuted else { return nil }
    if processing.echo == .failing {
      return Banner(text: "ECHO NOT CANCELLED: others hear themselves - turn the speaker down", style: .interruption)
    }
    guard snapshot.risksEcho else { return nil }
    let canceller = processing.components.first { $0.component == .echoCancellation }
    let text: String? =
      if !processing.isInUse {
        "VOICE PROCESSING OFF: others may hear themselves"
      } else if processing.isBypassed {
        "BYPASSED: others may hear themselves - press b to process again"
      } else if canceller?.isRequested == false {
        "ECHO CANCELLATION OFF: others may hear themselves - press e"
      } else {
        nil
      }
    return text.map { Banner(text: $0, style: .muteBanner) }
  }

  /// What mixers have turned down or muted, of what is in use. Mutes of microphones have a banner of their own.
  private static func volumes(_ snapshot: Snapshot) -> [Banner] {
    let session = snapshot.session
    return snapshot.route.volumes.ends.compactMap { end in
      let isInput = end.direction == .input
      let isUsed = isInput ? !session.sendMedia.isEmpty : !session.receiveMedia.isEmpty || !snapshot.sinks.isEmpty
      guard isUsed, end.isLow || end.status.isMuted && !isInput else { return nil }
      let name = end.plainName.uppercased()
      let text =
        end.status.isMuted
        ? "\(name) MUTED - unmute it in a mixer" : "\(name) AT \(percent(end.status.volume)) - turn it up in a mixer"
      return Banner(text: text, style: .muteBanner)
    }
  }
}
