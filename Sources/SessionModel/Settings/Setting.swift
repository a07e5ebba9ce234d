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
  /// Applies full ducking only while somebody speaks, a third of it in silence (D3).
  case isAdvancedDuckingEnabled
  /// Locked while media is registered (L6).
  case useVoiceProcessingIO
  /// Locked while media is registered (L6).
  case manualAudioSessionManagement

  /// What is fixed about each setting: its values, its default, its short name, and what it is for. One entry makes a setting known to
  /// every place that names, parses, checks, describes and lists settings.
  private var traits: SettingTraits {
    switch self {
    case .bypassVoiceProcessing: .onOff(false, alias: "bypass", "Bypasses voice processing: the raw microphone, at the same latency")
    case .voiceProcessingEnableAGC: .onOff(true, alias: "agc", "Gain control: levels near and distant talkers")
    case .noiseSuppression: .onOff(true, alias: "ns", "Noise suppression")
    case .echoCanceller:
      .choice(EchoCanceller.nearend, isSwitch: true, alias: "aec", "The echo canceller: nearend's own, WebRTC's, or none")
    case .echoCancellation: .onOff(true, "Echo cancellation, by the canceller chosen last")
    case .highPassFilter: .onOff(true, alias: "hpf", "High-pass filter: no rumble")
    case .micMode:
      .choice(MicMode.standard, alias: "mode", "How room sound is treated: noise suppressed, voice only, or unchanged")
    case .microphoneMuted: .onOff(false, alias: "mute", "Mutes the microphone")
    case .microphoneMuteMode:
      .choice(
        MicrophoneMuteMode.voiceProcessing, alias: "mutemode",
        "Where the microphone is muted: after processing, by closing the device, or before processing")
    case .recordingAlwaysPrepared:
      .onOff(
        false, alias: "prepared", needsDevices: true,
        "Keeps the microphone open and processed while nothing records, so that the first word is not cut")
    case .outputVolume: .volume(alias: "volume", "Linear gain of everything that nearend plays")
    case .micVolume: .volume("Linear gain of the processed microphone")
    case .appVolume: .volume("Linear gain of what programs play into the microphone")
    case .appDucking: .onOff(false, "What programs play into the microphone is 12 dB lower while somebody talks")
    case .appMonitor: .onOff(false, "What programs play into the microphone is heard on the speaker, too")
    case .microphone: .deviceName("Node name of the microphone to use; empty follows the default")
    case .speaker: .deviceName("Node name of the speaker to use; empty follows the default")
    case .reference:
      .choice(ReferenceSource.everything, "What the echo canceller hears of the speaker: everything, or nearend's own mix alone")
    case .defaultDevices:
      .onOff(
        false, alias: "default", needsDevices: true,
        "nearend's devices are the session's defaults; the former ones come back afterwards")
    case .pauseOnUnplug: .onOff(true, needsDevices: true, "Pauses playback when headphones are unplugged")
    case .duckingLevel:
      .choice(
        DuckingLevel.min, alias: "ducking", needsDevices: true,
        "How far other applications are lowered while a call is up: by 3, 9, 15 or 24 dB")
    case .isAdvancedDuckingEnabled:
      .onOff(
        false, alias: "advancedDucking", needsDevices: true,
        "Lowers other applications fully only while somebody speaks, by a third of that in silence")
    case .useVoiceProcessingIO:
      .onOff(true, alias: "vpio", "Voice processing in the microphone's path; locked while media is registered")
    case .manualAudioSessionManagement:
      .onOff(
        false, alias: "manual", needsDevices: true,
        "A call manager activates and deactivates the session; locked while media is registered")
    }
  }

  /// The values that a setting can have; `volume` is a number from 0 to 1, `deviceName` any text.
  public enum Kind: Sendable, Equatable {
    case bool, volume, deviceName
    /// One of these words.
    case choice([String])
    /// One of these words, which include "off"; or true and false, as a switch.
    case switchedChoice([String])
  }

  /// The kind of its values, used by `parse` and `checked`.
  public var kind: Kind { traits.kind }

  /// The default value.
  public var standard: EventValue { traits.standard }

  /// A short name that people may type instead.
  public var alias: String? { traits.alias }

  /// A one-line description for people.
  package var summary: String { traits.summary }

  /// A Boolean value indicating whether it concerns devices or who uses them, so that it has no effect in manual rendering.
  package var needsDevices: Bool { traits.needsDevices }

  /// A Boolean value indicating whether the setting can be on or off.
  public var isSwitch: Bool {
    switch kind {
    case .bool, .switchedChoice: true
    case .volume, .deviceName, .choice: false
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
}

private struct SettingTraits {
  var kind: Setting.Kind
  var standard: EventValue
  var alias: String?
  var needsDevices: Bool
  var summary: String

  static func onOff(_ standard: Bool, alias: String? = nil, needsDevices: Bool = false, _ summary: String) -> Self {
    Self(kind: .bool, standard: .bool(standard), alias: alias, needsDevices: needsDevices, summary: summary)
  }

  static func volume(alias: String? = nil, _ summary: String) -> Self {
    Self(kind: .volume, standard: .number(1), alias: alias, needsDevices: false, summary: summary)
  }

  static func deviceName(_ summary: String) -> Self {
    Self(kind: .deviceName, standard: .string(""), alias: nil, needsDevices: true, summary: summary)
  }

  /// - Parameter isSwitch: whether one of the words is "off".
  static func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ standard: Choice, isSwitch: Bool = false, alias: String? = nil, needsDevices: Bool = false, _ summary: String
  ) -> Self {
    let words = Choice.allCases.map(\.rawValue)
    return Self(
      kind: isSwitch ? .switchedChoice(words) : .choice(words), standard: .string(standard.rawValue), alias: alias,
      needsDevices: needsDevices, summary: summary)
  }
}
