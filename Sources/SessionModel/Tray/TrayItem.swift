import Border
import VoiceFacts

/// The icon in the desktop's tray: what it shows, says and offers. A function of `TrayFacts`. [any]
package struct TrayItem: Sendable, Equatable {
  /// What the icon shows; one picture each. `rawValue` is a part of its file's name.
  package enum State: String, Sendable, CaseIterable {
    /// No nearend runs, or nobody is in a call.
    case idle
    /// Somebody plays or records, and gets sound.
    case active
    /// The microphone is muted, by whomever.
    case muted
    /// The call does not go on, or others are annoyed, until somebody does something.
    case alarm
  }
  package var state: State
  /// One short line.
  package var title: String
  /// More lines, without markup.
  package var words: [String]
  package var menu: [TrayEntry]
  /// What a click does; nil for nothing.
  package var activation: TrayAction?

  package init(_ facts: TrayFacts) {
    guard let snapshot = facts.snapshot else {
      (state, title, words) = (.idle, "nearend is not running", facts.canStart ? ["The menu starts its service."] : [])
      menu = TrayMenu.withoutNearend(facts, title)
      return
    }
    let troubles = snapshot.troubles
    if troubles.contains(where: \.isAlarm) {
      state = .alarm
    } else if snapshot.mute != nil {
      state = .muted
    } else {
      state = snapshot.session.state == .active ? .active : .idle
    }
    title = troubles.first?.sentence ?? Self.title(snapshot.session)
    words = troubles.dropFirst().map(\.sentence) + Self.facts(snapshot)
    menu = TrayMenu.entries(facts, snapshot, title)
    activation = .command(.set(.microphoneMuted, .bool(!snapshot.session.isMicrophoneMuted)))
  }

  private static func title(_ session: SessionStatus) -> String {
    switch session.state {
    case .idle: "Nobody uses nearend"
    case .waiting: "A call waits for its activation"
    case .active where session.sendMedia.isEmpty && session.receiveMedia.isEmpty: "The microphone is kept prepared"
    case .active where session.sendMedia.isEmpty: "nearend plays"
    case .active, .interrupted: "Others hear you"
    }
  }

  private static func facts(_ snapshot: Snapshot) -> [String] {
    let (session, route, mode) = (snapshot.session, snapshot.route, snapshot.processing.micMode)
    return [
      users("Records", session.sendMedia), users("Plays", session.receiveMedia), "Microphone: \(name(route.microphone))",
      "Speaker: \(name(route.speaker))", mode.requested == .standard ? nil : "Mode: \(mode.words)",
      snapshot.processing.isBypassed ? "Voice processing is bypassed" : nil,
    ].compactMap { $0 }
  }

  /// Programs that are named, of those that record or play.
  private static let most = 4

  private static func users(_ verb: String, _ names: [String]) -> String? {
    guard !names.isEmpty else { return nil }
    let others = names.count > most ? " and \(names.count - most) more" : ""
    return "\(verb): \(names.prefix(most).joined(separator: ", "))\(others)".printable()
  }

  private static func name(_ device: Device?) -> String { device?.plainName ?? "none" }
}

extension Device {
  /// What people know it by.
  var plainName: String { (description.isEmpty ? name : description).printable(atMost: 100) }
}

extension Trouble {
  /// What is wrong, and what mends it, for somebody without a keyboard's keys before them.
  fileprivate var sentence: String {
    switch self {
    case .interruption(let interruption): "Interrupted: \(interruption.reason.words)"
    case .pausedAfterUnplug: "Playback is paused: headphones were unplugged"
    case .loop(let node): "\(node.printable(atMost: 100)) plays nearend's sound back into it, and is cut off"
    case .audition(let words): "Others hear nothing: \(words)"
    case .microphoneMuted(isTalking: true, _): "You are talking while muted"
    case .microphoneMuted(isTalking: false, let isDeviceMuted):
      isDeviceMuted ? "The microphone is muted, by a mixer or a switch, too" : "The microphone is muted"
    case .realMicrophoneMuted: "The real microphone is muted by a switch or a mixer: unmute it there"
    case .nearendMicrophoneMuted: "Nearend Microphone is muted by a mixer: unmute it there"
    case .silentMicrophone: "Nothing but silence comes from the microphone: look for its switch, or choose another"
    case .echo: "Others hear an echo: turn the speaker down"
    case .possibleEcho(.voiceProcessingOff): "Others may hear themselves: voice processing is off"
    case .possibleEcho(.bypassed): "Others may hear themselves: voice processing is bypassed"
    case .possibleEcho(.cancellationOff): "Others may hear themselves: echo cancellation is off"
    case .volume(let end):
      end.status.isMuted
        ? "\(end.plainName) is muted by a mixer" : "\(end.plainName) is at \(percent(end.status.volume)): turn it up in a mixer"
    }
  }
}
