import SessionModel

/// Says in one row on every page why the person at the microphone is not heard (D1, D2).
struct MuteBanner: Equatable {
  var text: String
  var style: Style
  /// What is muted, without what to do.
  var fact: String { text.split(separator: "-").first.map { String($0.dropLast()) } ?? text }

  /// nil if nothing is muted. What this keyboard can undo comes first.
  init?(_ snapshot: Snapshot) {
    let (session, volumes) = (snapshot.session, snapshot.route.volumes)
    let isDeviceMuted = volumes.microphone.isMuted || volumes.nearendMicrophone.isMuted
    style = .muteBanner
    if session.isMicrophoneMuted {
      if session.isTalkingWhileMuted {
        (text, style) = ("YOU ARE TALKING WHILE MUTED - press space to unmute", .interruption)
      } else {
        text = "MICROPHONE MUTED - press space to unmute\(isDeviceMuted ? "; also muted by a mixer or a switch" : "")"
      }
    } else if volumes.microphone.isMuted {
      text = "REAL MICROPHONE MUTED - by its switch or a mixer; unmute it there"
    } else if volumes.nearendMicrophone.isMuted {
      text = "NEAREND MICROPHONE MUTED - by a mixer; unmute it there"
    } else {
      return nil
    }
  }
}
