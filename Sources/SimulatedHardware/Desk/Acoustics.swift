/// Which nodes are in the same air: what the first play is heard by the second. Headphones and headsets play into ears.
public struct Acoustics: Sendable, Equatable {
  /// Sinks whose active route is a loudspeaker.
  public var loudspeakers: [String] = []
  /// All sources: whoever talks in the room is heard by headset microphones too.
  public var microphones: [String] = []

  public init(loudspeakers: [String] = [], microphones: [String] = []) {
    self.loudspeakers = loudspeakers
    self.microphones = microphones
  }

  init(_ cards: some Sequence<DeskCard>) {
    for card in cards.sorted(by: { $0.name < $1.name }) {
      if card.activeRoute(.output)?.isHeardInTheRoom == true {
        loudspeakers += card.activeProfile.nodes.filter { $0.direction == .output }.map(\.name)
      }
      microphones += card.activeProfile.nodes.filter { $0.direction == .input }.map(\.name)
    }
  }
}

extension Acoustics {
  /// `loudspeaker,loudspeaker/microphone,…`, for a room in another process.
  var text: String { [loudspeakers, microphones].map { $0.joined(separator: ",") }.joined(separator: "/") }

  init?(text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { $0.split(separator: ",").map(String.init) }
    guard parts.count == 2 else { return nil }
    self.init(loudspeakers: parts[0], microphones: parts[1])
  }
}
