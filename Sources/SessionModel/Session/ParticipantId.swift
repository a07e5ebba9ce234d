/// The rules for the id of a participant that is a PipeWire device: it becomes part of node and port names (K9).
public enum ParticipantId {
  /// Allowed lengths, in characters: ASCII letters, digits, '-', '_' and '.'.
  public static let lengths = 1...64
  /// Prefixes of the filter's own ports.
  public static let reserved: Set = ["mic", "ref", "call", "voice", "speaker"]

  /// Describes what is wrong with an id, and what would be right; nil if it is valid.
  public static func problem(_ id: String) -> String? {
    nameProblem(id) ?? (reserved.contains(id) ? "the name is taken by nearend's own ports; choose another" : nil)
  }

  /// As `problem`, for ids without ports of their own: media, sources, and sinks that a program writes to.
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
