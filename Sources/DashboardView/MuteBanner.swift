import SessionModel

/// Says in one row on every page why the person at the microphone is not heard (D1, D2).
struct MuteBanner: Equatable {
  /// What is muted.
  var fact: String
  var remedy: String
  var text: String { "\(fact) - \(remedy)" }

  /// nil if nothing is muted.
  init?(_ snapshot: Snapshot) {
    guard let mute = snapshot.mute else { return nil }
    self.init(mute)
  }

  /// nil for anything but a mute.
  init?(_ trouble: Trouble) {
    switch trouble {
    case .microphoneMuted(isTalking: true, _): (fact, remedy) = ("YOU ARE TALKING WHILE MUTED", "press space to unmute")
    case .microphoneMuted(isTalking: false, let isDeviceMuted):
      fact = "MICROPHONE MUTED"
      remedy = "press space to unmute\(isDeviceMuted ? "; also muted by a mixer or a switch" : "")"
    case .realMicrophoneMuted: (fact, remedy) = ("REAL MICROPHONE MUTED", "by its switch or a mixer; unmute it there")
    case .nearendMicrophoneMuted: (fact, remedy) = ("NEAREND MICROPHONE MUTED", "by a mixer; unmute it there")
    case .interruption, .pausedAfterUnplug, .loop, .audition, .silentMicrophone, .echo, .possibleEcho, .volume: return nil
    }
  }
}
