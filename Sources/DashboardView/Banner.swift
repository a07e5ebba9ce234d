import SessionModel

/// A row on every page about what keeps a call from being as it should be.
struct Banner: Equatable {
  var text: String
  var style: Style

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
    return banners
  }
}
