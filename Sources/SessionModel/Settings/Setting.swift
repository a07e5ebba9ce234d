/// A setting with a name: for `nearend get/set/toggle`, `PATCH /settings` and the node's Props. [any]
///
/// `rawValue` is the name that people and programs use.
public enum Setting: String, Codable, Sendable, CaseIterable {
  case bypassVoiceProcessing
  case voiceProcessingEnableAGC
  case noiseSuppression
  /// An `EchoCanceller`: the engine, or off. As a switch, on selects the engine chosen last. A second view of `echoCancellation`, and
  /// declared before it: if both are set, the switch takes precedence.
  case echoCanceller
  case echoCancellation
  case highPassFilter
  /// A `MicMode`: how the room around the voice is treated (V12).
  case micMode
  case microphoneMuted
  /// A `MicrophoneMuteMode`.
  case microphoneMuteMode
  /// Keeps the capture path warm and muted although nothing sends (S8).
  case recordingAlwaysPrepared
  /// Linear gain of the whole mix, 0–1 (D5).
  case outputVolume
  /// Linear gain of the processed microphone, 0–1 (D5).
  case micVolume
  /// Linear gain of application audio, 0–1 (D5).
  case appVolume
  /// Lowers application audio while the near end talks (D4).
  case appDucking
  /// Plays application audio on the local speaker as well (D4).
  case appMonitor
  /// Node name of the picked microphone; "" to follow the default.
  case microphone
  /// Node name of the picked speaker; "" to follow the default.
  case speaker
  /// A `ReferenceSource`: the source of the echo canceller's reference (V4).
  case reference
  /// Makes nearend's devices the system's defaults; the former ones are restored afterwards (R2).
  case defaultDevices
  /// Pauses playback when headphones are gone, instead of continuing in the room (R5).
  case pauseOnUnplug
  /// How far other applications are lowered while a call is up (D3).
  case duckingLevel
  /// Lowers them further while somebody speaks than in silence (D3).
  case isAdvancedDuckingEnabled
  /// Locked while media is registered (L6).
  case useVoiceProcessingIO
  /// Locked while media is registered (L6).
  case manualAudioSessionManagement

  /// The values that a setting can have; `volume` is a number from 0 to 1, `deviceName` any text.
  public enum Kind: Sendable, Equatable {
    case bool, volume, deviceName
    /// One of these words.
    case choice([String])
    /// One of these words, which include "off"; or true and false, as a switch.
    case switchedChoice([String])
  }

  /// The kind of its values, used by `parse` and `checked`.
  public var kind: Kind {
    switch self {
    case .outputVolume, .micVolume, .appVolume: .volume
    case .micMode: .choice(MicMode.allCases.map(\.rawValue))
    case .microphoneMuteMode: .choice(MicrophoneMuteMode.allCases.map(\.rawValue))
    case .microphone, .speaker: .deviceName
    case .reference: .choice(ReferenceSource.allCases.map(\.rawValue))
    case .duckingLevel: .choice(DuckingLevel.allCases.map(\.rawValue))
    case .echoCanceller: .switchedChoice(EchoCanceller.allCases.map(\.rawValue))
    default: .bool
    }
  }

  /// A Boolean value indicating whether the setting can be on or off.
  public var isSwitch: Bool {
    switch kind {
    case .bool, .switchedChoice: true
    case .volume, .deviceName, .choice: false
    }
  }

  /// A short name that people may type instead.
  public var alias: String? {
    switch self {
    case .bypassVoiceProcessing: "bypass"
    case .voiceProcessingEnableAGC: "agc"
    case .noiseSuppression: "ns"
    case .echoCanceller: "aec"
    case .highPassFilter: "hpf"
    case .micMode: "mode"
    case .microphoneMuted: "mute"
    case .microphoneMuteMode: "mutemode"
    case .recordingAlwaysPrepared: "prepared"
    case .outputVolume: "volume"
    case .useVoiceProcessingIO: "vpio"
    case .manualAudioSessionManagement: "manual"
    case .defaultDevices: "default"
    case .duckingLevel: "ducking"
    case .isAdvancedDuckingEnabled: "advancedDucking"
    case .echoCancellation, .microphone, .speaker, .reference, .pauseOnUnplug, .micVolume, .appVolume, .appDucking, .appMonitor: nil
    }
  }

  /// The default value.
  public var standard: EventValue {
    switch self {
    case .bypassVoiceProcessing, .microphoneMuted, .recordingAlwaysPrepared, .appDucking, .appMonitor, .defaultDevices,
      .isAdvancedDuckingEnabled, .manualAudioSessionManagement:
      .bool(false)
    case .voiceProcessingEnableAGC, .noiseSuppression, .echoCancellation, .highPassFilter, .pauseOnUnplug, .useVoiceProcessingIO:
      .bool(true)
    case .micMode: .string(MicMode.standard.rawValue)
    case .microphoneMuteMode: .string(MicrophoneMuteMode.voiceProcessing.rawValue)
    case .outputVolume, .micVolume, .appVolume: .number(1)
    case .microphone, .speaker: .string("")
    case .reference: .string(ReferenceSource.everything.rawValue)
    case .duckingLevel: .string(DuckingLevel.min.rawValue)
    case .echoCanceller: .string(EchoCanceller.nearend.rawValue)
    }
  }

  /// The settings that are views of the same state, including this one, which comes first.
  public var views: [Setting] {
    switch self {
    case .echoCanceller: [.echoCanceller, .echoCancellation]
    case .echoCancellation: [.echoCancellation, .echoCanceller]
    default: [self]
    }
  }

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
      if let isOn = Self.isOn(text) { return .bool(isOn) }
    case .volume:
      if let number = Double(text), (0...1).contains(number) { return .number(number) }
    case .deviceName: return .string(text)
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

  /// Checks a value given by a program, and returns it in the setting's own kind.
  /// - Throws: `SettingError.badValue`.
  public func checked(_ value: EventValue) throws(SettingError) -> EventValue {
    switch (kind, value) {
    case (.bool, .bool), (.switchedChoice, .bool), (.deviceName, .string): return value
    case (.switchedChoice, .string(let word)): return try parse(word)
    case (.choice(let words), .string(let word)) where words.contains(word): return value
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
    case .deviceName: "a node name, or an empty text for the default"
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

  /// Returns the error for one of nearend's own devices given in place of a real one.
  package static func ownDevice(_ setting: Setting, _ name: String) -> SettingError {
    .badValue(
      setting: setting.rawValue, value: name, possible: "a real device, as 'nearend devices' lists them: nearend's own would hear itself")
  }

  public var description: String {
    switch self {
    case .unknown(let name): "no setting is called '\(name)'; there are: \(Setting.allCases.map(\.rawValue).joined(separator: ", "))"
    case .badValue(let setting, let value, let possible): "\(setting) cannot be '\(value)': give \(possible)"
    case .locked(let setting): SessionRefusal.locked(setting: setting).description
    case .refused(let setting, let refusal): "\(setting) cannot be changed: \(refusal.description)"
    }
  }
}
