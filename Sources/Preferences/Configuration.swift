import Glibc
import SessionModel

/// What nearend.toml says, checked. [any]
package struct Configuration: Sendable, Equatable {
  /// A value, and the line that it is on, from 1; nil where that is not known.
  package struct Entry<Value: Sendable & Equatable>: Sendable, Equatable {
    package var value: Value
    package var line: Int?
  }

  /// `[device."<pattern>"]`: settings that hold while such a device is in use.
  package struct DeviceRule: Sendable, Equatable {
    /// A pattern of node names, with `*`, `?` and `[…]` as in a shell.
    package var pattern: String
    package var settings: [Setting: Entry<EventValue>] = [:]
  }

  /// `[participant."<pattern>"]`: what a participant of that id begins with.
  package struct ParticipantRule: Sendable, Equatable {
    package var pattern: String
    /// Linear, 0–4.
    package var gain: Double?
    package var isMuted: Bool?
    /// Where it is, for one on another machine.
    package var remote: RemoteRule?
  }

  package var settings: [Setting: Entry<EventValue>] = [:]
  package var options: [RunOption: Entry<RunOption.Value>] = [:]
  /// In the order of the file: of two that say something of the same setting the later one holds.
  package var devices: [DeviceRule] = []
  /// In the order of the file, as `devices`.
  package var participants: [ParticipantRule] = []
  /// In the order of the file, which is that of the chain.
  package var stages: [StageRule] = []

  /// Makes an empty configuration.
  package init() {}

  package func option(_ option: RunOption) -> RunOption.Value { options[option]?.value ?? option.standard }

  /// What a device in use says of a setting: the last rule that does.
  func rule(for setting: Setting, devices names: Set<String>) -> (pattern: String, entry: Entry<EventValue>)? {
    for rule in devices.reversed() {
      guard let entry = rule.settings[setting], names.contains(where: { matches($0, pattern: rule.pattern) }) else { continue }
      return (rule.pattern, entry)
    }
    return nil
  }

  /// Those on other machines.
  package var remotes: [RemoteRule] { participants.compactMap(\.remote) }

  /// What a participant begins with, where the file says so.
  func participant(_ id: String) -> (gain: Double?, isMuted: Bool?) {
    let rules = participants.reversed().filter { matches(id, pattern: $0.pattern) }
    return (rules.lazy.compactMap(\.gain).first, rules.lazy.compactMap(\.isMuted).first)
  }
}

/// What is wrong with nearend.toml, all of it. [any]
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  package struct Problem: Sendable, Equatable {
    /// From 1; nil where it is about the whole file.
    package var line: Int?
    /// The key, what is wrong, and what is possible.
    package var message: String
  }
  package var path: String
  package var problems: [Problem]

  /// As a compiler tells it: `path:line: message`.
  package var lines: [String] { problems.map { "\(path):\($0.line.map { "\($0):" } ?? "") \($0.message)" } }
  package var description: String { lines.joined(separator: "\n") }
}

extension Setting {
  /// Why it cannot be set for a device; nil where it can.
  var deviceObstacle: String? {
    switch self {
    case .microphone, .speaker, .defaultDevices: "it decides which device is used"
    case .useVoiceProcessingIO, .manualAudioSessionManagement: "it is locked while media is registered"
    case .microphoneMuted: "a device that comes or goes would put the microphone on the air"
    default: nil
    }
  }
}

/// Returns whether a name matches a pattern with `*`, `?` and `[…]`, as a shell reads them.
private func matches(_ name: String, pattern: String) -> Bool { fnmatch(pattern, name, 0) == 0 }
