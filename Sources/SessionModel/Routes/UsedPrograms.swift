import Border
import Glibc
import Platform

/// The programs whose streams are to be on nearend's devices, by name: the value of the setting `usedPrograms`. [any]
package struct UsedPrograms: Sendable, Equatable {
  /// Names or patterns with `*`, `?` and `[…]`, as in a shell, in which case does not matter. A bracket that is not closed is that
  /// character.
  package private(set) var names: [String] = []

  /// The most names.
  static let most = 32
  /// The longest name, in characters.
  static let longest = 100

  /// What a name can be, for people.
  package static let possible = "at most \(most) of at most \(longest) characters, without commas and control characters"

  /// Creates an empty list.
  package init() {}

  /// Parses names separated by commas; blanks around them do not count, nor does a name that is there already. Returns nil for too many
  /// names, or one that is too long or not printable.
  package init?(_ text: String) {
    for name in text.split(separator: ",") where !add(name.trimmed) { return nil }
  }

  /// The names, separated by commas.
  package var text: String { names.joined(separator: ", ") }

  /// Adds a name. Returns false, and changes nothing, where it is none: it is too long, has a comma or a control character, or there are
  /// too many.
  @discardableResult
  package mutating func add(_ name: String) -> Bool {
    guard !name.isEmpty, !contains(name) else { return true }
    guard names.count < Self.most, name.count <= Self.longest, !name.contains(","), name == name.printable() else { return false }
    names.append(name)
    return true
  }

  /// Removes a name. Returns false if it is not there.
  @discardableResult
  package mutating func remove(_ name: String) -> Bool {
    let count = names.count
    names.removeAll { $0.lowercased() == name.lowercased() }
    return names.count < count
  }

  /// Returns whether the name itself is there, in any case.
  package func contains(_ name: String) -> Bool { names.contains { $0.lowercased() == name.lowercased() } }

  /// Returns whether one of the names is one of those that a program goes by.
  package func include(_ program: ProgramStream) -> Bool {
    // A name itself first: that of an ALSA program, "ALSA plug-in [aplay]", is a pattern of something else.
    names.contains { given in
      let pattern = given.lowercased()
      return program.names.contains { $0.lowercased() == pattern || fnmatch(pattern, $0.lowercased(), 0) == 0 }
    }
  }
}

/// A stream by which a program plays or records. [any]
package struct ProgramStream: Sendable, Equatable {
  /// The node's id, and its serial number, which is never reused.
  package var id: UInt32
  package var serial: UInt64
  /// `output` where the program plays.
  package var direction: Device.Direction
  /// What the program goes by, the name for people first: its own, its executable's, its node's. At least one.
  package var names: [String]
  /// Where a program asks, or is told, to play or record (`target.object` of the session's metadata); nil where it follows the default.
  package var target: String?

  package init(id: UInt32, serial: UInt64, direction: Device.Direction, names: [String], target: String? = nil) {
    self.id = id
    self.serial = serial
    self.direction = direction
    self.names = names
    self.target = target
  }
}

/// A program that plays or records now. [any]
package struct ProgramStatus: Codable, Sendable, Equatable {
  /// What it calls itself.
  package var name: String
  /// A Boolean value indicating whether the setting `usedPrograms` names it.
  package var isUsed: Bool
  /// Node names of the devices that it plays to.
  package var plays: [String]
  /// Node names of the devices that it records from.
  package var records: [String]

  package init(name: String, isUsed: Bool = false, plays: [String] = [], records: [String] = []) {
    self.name = name
    self.isUsed = isUsed
    self.plays = plays
    self.records = records
  }

  /// What it does, and where, for people.
  package var words: String {
    let all = [
      plays.isEmpty ? nil : "plays to \(plays.joined(separator: ", "))",
      records.isEmpty ? nil : "records from \(records.joined(separator: ", "))",
    ].compactMap { $0 }
    return "\(name): \(all.isEmpty ? "not connected with a device" : all.joined(separator: "; "))"
  }
}
