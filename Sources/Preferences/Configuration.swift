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
    /// The name of a preset, whose values apply where the rule has none of its own.
    package var preset: Entry<String>?
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

  /// Of the file, `[preset.NAME]`, and those beside it, which `nearend preset save` has written.
  package var presets: [Preset] = []
  /// What is wrong with presets that cannot be used, by name.
  package var presetFaults: [String: String] = [:]

  /// Creates an empty configuration.
  package init() {}

  package func option(_ option: RunOption) -> RunOption.Value { options[option]?.value ?? option.standard }

  package func preset(_ name: String) -> Preset? { presets.first { $0.name == name } }

  /// Returns the last rule for a setting that matches a device in use, and the name of its preset where that has the value.
  func rule(for setting: Setting, devices names: Set<String>) -> (pattern: String, entry: Entry<EventValue>, preset: String?)? {
    for rule in devices.reversed() {
      guard let (entry, preset) = value(of: setting, in: rule), names.contains(where: { matches($0, pattern: rule.pattern) }) else {
        continue
      }
      return (rule.pattern, entry, preset)
    }
    return nil
  }

  /// Returns what a rule says of a setting, by itself or by its preset. Of a preset, what cannot be set for devices does not count.
  private func value(of setting: Setting, in rule: DeviceRule) -> (entry: Entry<EventValue>, preset: String?)? {
    if let entry = rule.settings[setting] { return (entry, nil) }
    guard let name = rule.preset, setting.row.deviceObstacle == nil, let value = preset(name.value)?.settings[setting]?.value else {
      return nil
    }
    return (Entry(value: value, line: name.line), name.value)
  }

  /// Returns everything that the file says of a setting, without the lines.
  func says(_ setting: Setting) -> [EventValue?] {
    setting.views.flatMap { view in [settings[view]?.value] + devices.map { value(of: view, in: $0)?.entry.value } }
  }

  /// The same without presets, which by themselves change nothing.
  var withoutPresets: Configuration {
    var rest = self
    (rest.presets, rest.presetFaults) = ([], [:])
    return rest
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
