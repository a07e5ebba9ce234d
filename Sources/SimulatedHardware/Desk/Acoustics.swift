/// The nodes that share the room's air: the microphones hear what the loudspeakers play. Headphones and headsets play into ears.
package struct Acoustics: Sendable, Equatable {
  /// Sinks whose active route is a loudspeaker.
  package private(set) var loudspeakers: [String] = []
  /// The loudspeakers at the other end of the room, such as a television, with a different echo path.
  package private(set) var distant: [String] = []
  /// All sources: headset microphones also hear whoever talks in the room.
  package private(set) var microphones: [String] = []

  /// Places nodes, by `node.name`; those in `distant` must also be in `loudspeakers`.
  package init(loudspeakers: [String] = [], distant: [String] = [], microphones: [String] = []) {
    precondition(Set(distant).isSubset(of: loudspeakers), "a distant loudspeaker is one of the loudspeakers")
    self.loudspeakers = loudspeakers
    self.distant = distant
    self.microphones = microphones
  }

  init(_ cards: some Sequence<DeskCard>) {
    for card in cards.sorted(by: { $0.name < $1.name }) {
      if card.activeRoute(.output)?.isHeardInTheRoom == true {
        let names = card.activeProfile.nodes.filter { $0.direction == .output }.map(\.name)
        loudspeakers += names
        if card.kind == .hdmi { distant += names }
      }
      microphones += card.activeProfile.nodes.filter { $0.direction == .input }.map(\.name)
    }
  }
}

extension Acoustics {
  /// `loudspeaker,…/distant,…/microphone,…`, for a room in another process.
  var text: String { [loudspeakers, distant, microphones].map { $0.joined(separator: ",") }.joined(separator: "/") }

  init?(text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { $0.split(separator: ",").map(String.init) }
    guard parts.count == 3, Set(parts[1]).isSubset(of: parts[0]) else { return nil }
    self.init(loudspeakers: parts[0], distant: parts[1], microphones: parts[2])
  }
}
