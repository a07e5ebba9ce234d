import SessionModel

/// What nearend.toml says, checked. [any]
public struct Configuration: Sendable, Equatable {
  /// A value, and the line that it is on, from 1; nil where that is not known.
  public struct Entry<Value: Sendable & Equatable>: Sendable, Equatable {
    public var value: Value
    public var line: Int?
  }

  /// `[device."<pattern>"]`: settings that hold while such a device is in use.
  public struct DeviceRule: Sendable, Equatable {
    /// Of a node name, with `*`, `?` and `[…]` as in a shell.
    public var pattern: String
    public var settings: [Setting: Entry<EventValue>] = [:]
  }

  /// `[participant."<pattern>"]`: what a participant of that id begins with.
  public struct ParticipantRule: Sendable, Equatable {
    public var pattern: String
    /// Linear, 0–4.
    public var gain: Double?
    public var isMuted: Bool?
  }

  public var settings: [Setting: Entry<EventValue>] = [:]
  public var options: [RunOption: Entry<RunOption.Value>] = [:]
  /// In the order of the file: of two that say something of the same setting the later one holds.
  public var devices: [DeviceRule] = []
  /// In the order of the file, as `devices`.
  public var participants: [ParticipantRule] = []

  /// What a file says that says nothing.
  public init() {}

  public func option(_ option: RunOption) -> RunOption.Value { options[option]?.value ?? option.standard }

  /// What a device in use says of a setting: the last rule that does.
  func rule(for setting: Setting, devices names: Set<String>) -> (pattern: String, entry: Entry<EventValue>)? {
    for rule in devices.reversed() {
      guard let entry = rule.settings[setting], names.contains(where: { matches($0, pattern: rule.pattern) }) else { continue }
      return (rule.pattern, entry)
    }
    return nil
  }

  /// What a participant begins with, where the file says so.
  func participant(_ id: String) -> (gain: Double?, isMuted: Bool?) {
    let rules = participants.reversed().filter { matches(id, pattern: $0.pattern) }
    return (rules.lazy.compactMap(\.gain).first, rules.lazy.compactMap(\.isMuted).first)
  }
}

/// What is wrong with nearend.toml, all of it. [any]
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  public struct Problem: Sendable, Equatable {
    /// From 1; nil where it is about the whole file.
    public var line: Int?
    /// The key, what is wrong, and what is possible.
    public var message: String
  }
  public var path: String
  public var problems: [Problem]

  /// As a compiler tells it: `path:line: message`.
  public var lines: [String] { problems.map { "\(path):\($0.line.map { "\($0):" } ?? "") \($0.message)" } }
  public var description: String { lines.joined(separator: "\n") }
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
