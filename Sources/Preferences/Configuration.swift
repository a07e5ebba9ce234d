import Glibc
import SessionModel

/// The checked contents of nearend.toml. [any]
package struct Configuration: Sendable, Equatable {
  /// A value and its line, from 1; nil if unknown.
  package struct Entry<Value: Sendable & Equatable>: Sendable, Equatable {
    package var value: Value
    package var line: Int?
  }

  /// `[device."<pattern>"]`: settings that apply while such a device is in use.
  package struct DeviceRule: Sendable, Equatable {
    /// A pattern of node names, with `*`, `?` and `[…]` as in a shell.
    package var pattern: String
    package var settings: [Setting: Entry<EventValue>] = [:]
  }

  /// `[participant."<pattern>"]`: the initial state of participants with a matching id.
  package struct ParticipantRule: Sendable, Equatable {
    package var pattern: String
    /// Linear, 0–4.
    package var gain: Double?
    package var isMuted: Bool?
    /// The connection, for a participant on another machine.
    package var remote: RemoteRule?
  }

  package var settings: [Setting: Entry<EventValue>] = [:]
  package var options: [RunOption: Entry<RunOption.Value>] = [:]
  /// In the order of the file: if several set the same setting, the last one applies.
  package var devices: [DeviceRule] = []
  /// In the order of the file, as `devices`.
  package var participants: [ParticipantRule] = []
  /// In the order of the file, which is that of the chain.
  package var stages: [StageRule] = []

  /// Creates an empty configuration.
  package init() {}

  package func option(_ option: RunOption) -> RunOption.Value { options[option]?.value ?? option.standard }

  /// Returns the last rule for a setting that matches a device in use.
  func rule(for setting: Setting, devices names: Set<String>) -> (pattern: String, entry: Entry<EventValue>)? {
    for rule in devices.reversed() {
      guard let entry = rule.settings[setting], names.contains(where: { matches($0, pattern: rule.pattern) }) else { continue }
      return (rule.pattern, entry)
    }
    return nil
  }

  /// The participants on other machines.
  package var remotes: [RemoteRule] { participants.compactMap(\.remote) }

  /// Returns a participant's initial gain and mute; nil if the file does not set them.
  func participant(_ id: String) -> (gain: Double?, isMuted: Bool?) {
    let rules = participants.reversed().filter { matches(id, pattern: $0.pattern) }
    return (rules.lazy.compactMap(\.gain).first, rules.lazy.compactMap(\.isMuted).first)
  }
}

/// All problems of nearend.toml. [any]
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  package struct Problem: Sendable, Equatable {
    /// From 1; nil for a problem of the whole file.
    package var line: Int?
    /// The key, what is wrong, and what is possible.
    package var message: String
  }
  package var path: String
  package var problems: [Problem]

  /// In a compiler's format: `path:line: message`.
  package var lines: [String] { problems.map { "\(path):\($0.line.map { "\($0):" } ?? "") \($0.message)" } }
  package var description: String { lines.joined(separator: "\n") }
}

/// Returns whether a name matches a pattern with `*`, `?` and `[…]`, as in a shell.
private func matches(_ name: String, pattern: String) -> Bool { fnmatch(pattern, name, 0) == 0 }
