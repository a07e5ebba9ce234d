/// What a participant that is a PipeWire device may be called: its id becomes part of node and port names (K9).
public enum ParticipantId {
  /// Characters, all ASCII letters, digits, '-', '_' or '.'.
  public static let lengths = 1...64
  /// The filter's own ports begin with these.
  public static let reserved: Set = ["mic", "ref", "call", "voice", "speaker"]

  /// What is wrong with an id, and what would be right; nil where nothing is.
  public static func problem(_ id: String) -> String? {
    nameProblem(id) ?? (reserved.contains(id) ? "the name is taken by nearend's own ports; choose another" : nil)
  }

  /// As `problem`, for what has no ports of its own: media, sources, and sinks that a program writes to.
  public static func nameProblem(_ id: String) -> String? {
    func isAllowed(_ character: Character) -> Bool {
      character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
    }
    guard lengths.contains(id.count), id.allSatisfy(isAllowed) else {
      return "an id has \(lengths.lowerBound) to \(lengths.upperBound) letters, digits, '-', '_' or '.'"
    }
    return nil
  }
}
