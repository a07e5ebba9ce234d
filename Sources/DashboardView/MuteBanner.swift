import SessionModel

/// Says in one row on every page why the person at the microphone is not heard (D1, D2).
struct MuteBanner: Equatable {
  /// What is muted.
  var fact: String
  var remedy: String
  var style = Style.muteBanner
  var text: String { "\(fact) - \(remedy)" }

  /// nil if nothing is muted. What this keyboard can undo comes first.
  init?(_ snapshot: Snapshot) {
    let (session, volumes) = (snapshot.session, snapshot.route.volumes)
    let isDeviceMuted = volumes.microphone.isMuted || volumes.nearendMicrophone.isMuted
    if session.isMicrophoneMuted {
      if session.isTalkingWhileMuted {
        (fact, remedy, style) = ("YOU ARE TALKING WHILE MUTED", "press space to unmute", .interruption)
      } else {
        fact = "MICROPHONE MUTED"
        remedy = "press space to unmute\(isDeviceMuted ? "; also muted by a mixer or a switch" : "")"
      }
    } else if volumes.microphone.isMuted {
      (fact, remedy) = ("REAL MICROPHONE MUTED", "by its switch or a mixer; unmute it there")
    } else if volumes.nearendMicrophone.isMuted {
      (fact, remedy) = ("NEAREND MICROPHONE MUTED", "by a mixer; unmute it there")
    } else {
      return nil
    }
  }
}
