import SessionModel

/// Says in one row on every page why the person at the microphone is not heard (D1, D2).
struct MuteBanner: Equatable {
  var text: String
  var style: Style

  /// nil if nothing is muted. What this keyboard can undo comes first.
  init?(_ snapshot: Snapshot) {
    let (session, volumes) = (snapshot.session, snapshot.route.volumes)
    let isDeviceMuted = volumes.microphone.isMuted || volumes.nearendMicrophone.isMuted
    style = .muteBanner
    if session.isMicrophoneMuted {
      if session.isTalkingWhileMuted {
        (text, style) = ("YOU ARE TALKING WHILE MUTED: nobody hears you - space unmutes it", .interruption)
      } else {
        text = "MICROPHONE MUTED - space unmutes it\(isDeviceMuted ? ", and a mixer or a switch mutes it too" : "")"
      }
    } else if volumes.microphone.isMuted {
      text = "REAL MICROPHONE MUTED - by its switch or a mixer, which unmutes it"
    } else if volumes.nearendMicrophone.isMuted {
      text = "NEAREND MICROPHONE MUTED - by a mixer, which unmutes it"
    } else {
      return nil
    }
  }
}
