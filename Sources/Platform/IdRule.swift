/// The one rule for the ids that people and programs choose: of participants, media, sources, stages. An id becomes part of node and port
/// names, of paths and of lines. [any]
package enum IdRule {
  /// Allowed lengths, in characters.
  package static let lengths = 1...64
  /// What an id can be, for people.
  package static let possible = "\(lengths.lowerBound) to \(lengths.upperBound) letters, digits, '-', '_' or '.'"

  /// Says what to do about an id that is impossible; nil if it is possible.
  package static func problem(_ id: some StringProtocol) -> String? {
    lengths.contains(id.count) && id.allSatisfy(allows) ? nil : "give \(possible)"
  }

  /// Returns whether an id may contain a character: an ASCII letter, a digit, '-', '_' or '.'.
  package static func allows(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
  }
}
