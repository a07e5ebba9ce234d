/// Names and values as people and programs give them. [any]
extension Setting {
  /// Looks a setting up by name or alias.
  public init?(named name: String) {
    guard let setting = Self.allCases.first(where: { $0.rawValue == name || $0.alias == name }) else { return nil }
    self = setting
  }

  /// Parses a value as people write it: true/false, on/off, yes/no, 1/0; a number; a name.
  /// - Throws: `SettingError.badValue`.
  public func parse(_ text: String) throws(SettingError) -> EventValue {
    switch kind {
    case .bool: if let isOn = Self.isOn(text) { return .bool(isOn) }
    case .switchedChoice(let words):
      if words.contains(text) { return .string(text) }
      if let isOn = Self.isOn(text) { return Self.switched(isOn, words) }
    case .volume:
      if let number = Double(text), (0...1).contains(number) { return .number(number) }
    case .deviceName: return .string(Self.device(text))
    case .programNames: if let used = UsedPrograms(text) { return .string(used.text) }
    case .channels: if let channels = MicrophoneChannels(text) { return .string(channels.text) }
    case .choice(let words): if words.contains(text) { return .string(text) }
    }
    throw .badValue(setting: rawValue, value: text, possible: possible)
  }

  private static func isOn(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "on", "yes", "1": true
    case "false", "off", "no", "0": false
    default: nil
    }
  }

  /// A choice given as a switch: one of its words if there is one for on, otherwise it is for the choice's home to say what on means.
  private static func switched(_ isOn: Bool, _ words: [String]) -> EventValue {
    words.contains("on") ? .string(isOn ? "on" : "off") : .bool(isOn)
  }

  /// The name of a device to follow, empty for the system's default: no device is called "default".
  private static func device(_ name: String) -> String { name == "default" ? "" : name }

  /// Checks a value given by a program, and returns it in the setting's own kind.
  /// - Throws: `SettingError.badValue`.
  public func checked(_ value: EventValue) throws(SettingError) -> EventValue {
    switch (kind, value) {
    case (.bool, .bool): return value
    case (.switchedChoice(let words), .bool(let isOn)): return Self.switched(isOn, words)
    case (.deviceName, .string(let name)): return .string(Self.device(name))
    case (.switchedChoice, .string(let word)), (.programNames, .string(let word)), (.channels, .string(let word)): return try parse(word)
    case (.choice(let words), .string(let word)) where words.contains(word): return value
    case (.channels, .integer(let number)): return try parse("\(number)")
    case (.volume, .number(let number)) where (0...1).contains(number): return value
    case (.volume, .integer(let number)) where (0...1).contains(number): return .number(Double(number))
    default: throw .badValue(setting: rawValue, value: "\(value)", possible: possible)
    }
  }

  /// Describes the possible values, for people.
  package var possible: String {
    switch kind {
    case .bool: "true or false"
    case .volume: "a number from 0 to 1"
    case .deviceName: "a node name, or default"
    case .programNames:
      "names of programs, separated by commas: at most \(UsedPrograms.most) of at most \(UsedPrograms.longest) characters, "
        + "without control characters"
    case .channels: MicrophoneChannels.possible
    case .choice(let words), .switchedChoice(let words): (words.dropLast().joined(separator: ", ") + " or " + (words.last ?? ""))
    }
  }
}

/// An invalid name or value of a setting, with what would be valid. [any]
public enum SettingError: Error, Sendable, Equatable, CustomStringConvertible {
  case unknown(name: String)
  case badValue(setting: String, value: String, possible: String)
  /// An init-only setting while media is registered (L6).
  case locked(setting: String)
  /// The session refused the change.
  case refused(setting: String, SessionRefusal)

  /// The name of the setting, as it was given.
  package var setting: String {
    switch self {
    case .unknown(let name): name
    case .badValue(let setting, _, _), .locked(let setting), .refused(let setting, _): setting
    }
  }

  /// Returns the error for one of nearend's own devices given in place of a real one.
  package static func ownDevice(_ setting: Setting, _ name: String) -> SettingError {
    .badValue(
      setting: setting.rawValue, value: name, possible: "a real device, as 'nearend devices' lists them: nearend's own would hear itself")
  }

  /// Returns the error for a speaker in place of a microphone, or the reverse.
  package static func otherDevice(_ setting: Setting, _ name: String) -> SettingError {
    let (wanted, given) = setting == .microphone ? ("microphone", "speaker") : ("speaker", "microphone")
    return .badValue(
      setting: setting.rawValue, value: name, possible: "a \(wanted), as 'nearend devices' lists them: that is a \(given)")
  }

  public var description: String {
    switch self {
    case .unknown(let name): "unknown setting '\(name)'; settings: \(Setting.allCases.map(\.rawValue).joined(separator: ", "))"
    case .badValue(let setting, let value, let possible): "\(setting) cannot be '\(value)': give \(possible)"
    case .locked(let setting): SessionRefusal.locked(setting: setting).description
    case .refused(let setting, let refusal): "\(setting) cannot be changed: \(refusal.description)"
    }
  }
}
