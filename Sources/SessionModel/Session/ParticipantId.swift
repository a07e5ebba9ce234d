import Platform

/// The rules for the id of a participant that is a PipeWire device: it becomes part of node and port names (K9).
package enum ParticipantId {
  /// Prefixes of the filter's own ports.
  package static let reserved: Set = ["mic", "ref", "call", "voice", "speaker"]

  /// Returns what is wrong with an id, with the remedy; nil if it is valid. Ids without ports of their own (media, sources, and sinks that
  /// a program writes to) are subject to `IdRule` alone.
  package static func problem(_ id: String) -> String? {
    IdRule.problem(id) ?? (reserved.contains(id) ? "the name is taken by nearend's own ports; choose another" : nil)
  }
}
