import SessionModel

/// A row on every page about what keeps a call from being as it should be, with what mends it (U6).
struct Banner: Equatable {
  var text: String
  var style: Style

  /// Rows that banners take at most, so that every page still fits.
  private static let most = 3

  private init(_ trouble: Trouble) {
    style = trouble.isAlarm ? .interruption : .muteBanner
    text =
      switch trouble {
      case .interruption(let interruption): "INTERRUPTED for \(Numbers.duration(interruption.duration)): \(interruption.reason.sentence)"
      case .pausedAfterUnplug: "PAUSED: headphones unplugged - r resumes on the speaker"
      case .loop(let node): "LOOP: \(node) plays nearend's sound back into it, and is cut off - end it"
      case .audition(let words): "OTHERS HEAR NOTHING: \(words) - y ends it"
      case .microphoneMuted, .realMicrophoneMuted, .nearendMicrophoneMuted: MuteBanner(trouble)?.text ?? ""
      case .silentMicrophone: "MICROPHONE SILENT - look for its switch, or choose another (c)"
      case .echo: "ECHO NOT CANCELLED: others hear themselves - turn the speaker down"
      case .possibleEcho(.voiceProcessingOff): "VOICE PROCESSING OFF: others may hear themselves"
      case .possibleEcho(.bypassed): "BYPASSED: others may hear themselves - press b to process again"
      case .possibleEcho(.cancellationOff): "ECHO CANCELLATION OFF: others may hear themselves - press e"
      case .volume(let end):
        end.status.isMuted
          ? "\(end.plainName.uppercased()) MUTED - unmute it in a mixer"
          : "\(end.plainName.uppercased()) AT \(percent(end.status.volume)) - turn it up in a mixer"
      }
  }

  /// The banners that are due, most urgent first.
  static func all(_ snapshot: Snapshot) -> [Banner] { snapshot.troubles.map(Banner.init) }

  /// The banners that have a row; the last one says how many more there are.
  static func shown(_ snapshot: Snapshot) -> [Banner] {
    let banners = all(snapshot)
    guard banners.count > most else { return banners }
    var shown = Array(banners.prefix(most))
    shown[most - 1].text = "+\(banners.count - most) (F4): \(shown[most - 1].text)"
    return shown
  }
}
