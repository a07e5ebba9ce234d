import Border

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
  /// A `DefaultDeviceMode`: how programs that choose no device come to use nearend (R2). As a switch, true is `on`.
  case defaultDevices
  /// `UsedPrograms`, as text: names of programs, separated by commas, whose streams are moved to nearend's devices.
  case usedPrograms
  /// Pauses playback when headphones are gone, instead of continuing in the room (R5).
  case pauseOnUnplug
  /// `MicrophoneChannels`, as text: which channels of the microphone are heard (V15).
  case microphoneChannels
  /// Hears two to eight of them as an array, towards the talker, instead of the first alone (V15).
  case beamforming
  /// How far other applications are lowered while a call is up (D3).
  case duckingLevel
  /// Applies full ducking only while somebody speaks, a third of it in silence (D3).
  case isAdvancedDuckingEnabled
  /// A `NotificationMode`: whether the program `nearend` shows desktop notifications of what a call needs (O11).
  case notifications
  /// Whether the program `nearend` shows an icon in the desktop's tray, with a menu.
  case tray
  /// Locked while media is registered (L6).
  case useVoiceProcessingIO
  /// Locked while media is registered (L6).
  case manualAudioSessionManagement

  /// What is fixed about each setting.
  package var row: SettingRow {
    switch self {
    case .bypassVoiceProcessing:
      .onOff(
        false, "Bypasses voice processing: the raw microphone, at the same latency", alias: "bypass", home: .audio,
        remark: .onOff("voice processing bypassed", "voice processing no longer bypassed"))
    case .voiceProcessingEnableAGC:
      .onOff(
        true, "Gain control: levels near and distant talkers", alias: "agc", home: .audio, remark: .onOff("AGC on", "AGC off"))
    case .noiseSuppression: .onOff(true, "Noise suppression", alias: "ns", home: .audio, remark: .onOff("NS on", "NS off"))
    case .echoCanceller:
      .choice(
        EchoCanceller.nearend, "The echo canceller: nearend's own, WebRTC's, or none", isSwitch: true, alias: "aec", home: .audio,
        remark: .live)
    case .echoCancellation:
      // `echoCanceller` is remembered for both.
      .onOff(
        true, "Echo cancellation, by the canceller chosen last", home: .audio, remark: .onOff("AEC on", "AEC off"), [.isForgotten])
    case .highPassFilter:
      .onOff(true, "High-pass filter: no rumble", alias: "hpf", home: .audio, remark: .onOff("HPF on", "HPF off"))
    case .micMode:
      .choice(
        MicMode.standard, "How room sound is treated: noise suppressed, voice only, or unchanged", alias: "mode", home: .audio,
        remark: .word { (mode: MicMode) in "mic mode: \(mode.words)" })
    case .microphoneMuted:
      // A restored mute surprises in either direction.
      .onOff(
        false, "Mutes the microphone", alias: "mute", home: .session(\.isMicrophoneMuted) { .setMicrophoneMuted($0) },
        remark: .onOff("microphone muted", "microphone no longer muted"), [.ignoresRepetition, .isForgotten, .holdsFromTheStart],
        notForDevices: "a device that comes or goes could unmute the microphone")
    case .microphoneMuteMode:
      .choice(
        MicrophoneMuteMode.voiceProcessing, "Where the microphone is muted: after processing, by closing the device, or before processing",
        alias: "mutemode", home: .session(\.microphoneMuteMode) { .setMicrophoneMuteMode($0) },
        remark: .words { "mute mode: \($0)" }, [.ignoresRepetition])
    case .recordingAlwaysPrepared:
      .onOff(
        false, "Keeps the microphone open and processed while nothing records, so that the first word is not cut", alias: "prepared",
        home: .session(\.isRecordingAlwaysPrepared) { .setRecordingAlwaysPrepared($0) }, remark: .live,
        [.needsDevices, .ignoresRepetition, .endsWithProgram])
    case .outputVolume: .volume("Linear gain of everything that nearend plays", alias: "volume", remark: "output volume")
    case .micVolume: .volume("Linear gain of the processed microphone", remark: "microphone volume", [.ignoresRepetition])
    case .appVolume:
      .volume("Linear gain of what programs play into the microphone", remark: "application audio's volume", [.ignoresRepetition])
    case .appDucking:
      .onOff(
        false, "What programs play into the microphone is 12 dB lower while somebody talks", home: .audio,
        remark: .onOff("application audio is lowered under speech", "application audio is no longer lowered under speech"),
        [.ignoresRepetition])
    case .appMonitor:
      .onOff(
        false, "What programs play into the microphone is heard on the speaker, too", home: .audio,
        remark: .onOff("application audio is heard on the speaker", "application audio is no longer heard on the speaker"),
        [.ignoresRepetition])
    case .microphone: .device(.input, "Node name of the microphone to use; empty follows the default")
    case .speaker: .device(.output, "Node name of the speaker to use; empty follows the default")
    case .reference:
      .choice(
        ReferenceSource.everything, "What the echo canceller hears of the speaker: everything, or nearend's own mix alone",
        home: .graph(.word(\.reference)), remark: .word { (source: ReferenceSource) in "the echo canceller hears \(source.words)" },
        [.holdsFromTheStart, .isConfigured])
    case .defaultDevices:
      .choice(
        DefaultDeviceMode.off,
        "Lets programs that choose no device use nearend: as default devices (on), as smart filters, or smart where understood (auto)",
        isSwitch: true, alias: "default", home: .graph(.word(\.defaultDeviceMode)),
        remark: .word { (mode: DefaultDeviceMode) in mode.words },
        [.needsDevices, .holdsFromTheStart, .isConfigured], notForDevices: SettingRow.decidesDevice)
    case .usedPrograms:
      .programs("Programs whose streams are moved to nearend's devices, by name; 'nearend use' adds and removes them")
    case .pauseOnUnplug:
      .onOff(
        true, "Pauses playback when headphones are unplugged", home: .graph(.onOff(\.pausesOnUnplug)),
        remark: .onOff(
          "when headphones are unplugged, playback pauses", "when headphones are unplugged, playback continues in the room"),
        [.needsDevices, .holdsFromTheStart, .isConfigured])
    case .microphoneChannels:
      .channels(
        "Which of the microphone's channels are heard: those that work (auto; each: in stereo), the mean of all, or these, such as 1,2")
    case .beamforming:
      .onOff(
        true, "Hears several microphones of one device as an array, towards the talker", alias: "beam", home: .audio,
        remark: .onOff("several microphones are heard as an array", "of several microphones the first is heard"))
    case .duckingLevel:
      .choice(
        DuckingLevel.min, "How far other applications are lowered while a call is up: by 3, 9, 15 or 24 dB", alias: "ducking",
        home: .graph(.word(\.ducking.level)),
        remark: .word { (level: DuckingLevel) in "other applications are lowered by \(Int(bounded: level.decibels)) dB during calls" },
        [.needsDevices])
    case .isAdvancedDuckingEnabled:
      .onOff(
        false, "Lowers other applications fully only while somebody speaks, by a third of that in silence", alias: "advancedDucking",
        home: .graph(.onOff(\.ducking.isAdvanced)),
        remark: .onOff("other applications are lowered while somebody speaks", "other applications are lowered for the whole call"),
        [.needsDevices])
    case .notifications:
      .choice(
        NotificationMode.auto, "Desktop notifications of what a call needs; auto shows them where nearend has no dashboard",
        home: .program(.word(\.notifications)), remark: .words { "desktop notifications: \($0)" }, [.needsDevices, .ignoresRepetition])
    case .tray:
      .onOff(
        false, "An icon in the desktop's tray, with a menu", home: .program(.onOff(\.showsTrayIcon)),
        remark: .onOff("an icon in the tray, where the desktop has one", "no icon in the tray"), [.needsDevices, .ignoresRepetition])
    case .useVoiceProcessingIO:
      .onOff(
        true, "Voice processing in the microphone's path; locked while media is registered", alias: "vpio",
        home: .session(\.usesVoiceProcessing) { .setInitOnly(.useVoiceProcessingIO($0)) }, remark: .bySession,
        [.isInitOnly, .endsWithProgram, .holdsFromTheStart], notForDevices: SettingRow.isLockedInCalls)
    case .manualAudioSessionManagement:
      .onOff(
        false, "A call manager activates and deactivates the session; locked while media is registered", alias: "manual",
        home: .session(\.isManual) { .setInitOnly(.manualAudioSessionManagement($0)) }, remark: .bySession,
        [.isInitOnly, .needsDevices, .holdsFromTheStart], notForDevices: SettingRow.isLockedInCalls)
    }
  }

  /// The values that a setting can have; `volume` is a number from 0 to 1, `deviceName` any text, `programNames` and `channels` a text that
  /// `UsedPrograms` and `MicrophoneChannels` parse.
  public enum Kind: Sendable, Equatable {
    case bool, volume, deviceName, programNames, channels
    /// One of these words.
    case choice([String])
    /// One of these words, which include "off"; or true and false, as a switch.
    case switchedChoice([String])
  }

  /// The kind of its values, used by `parse` and `checked`.
  public var kind: Kind { row.kind }

  /// The default value.
  public var standard: EventValue { row.standard }

  /// A short name that people may type instead.
  public var alias: String? { row.alias }

  /// A one-line description for people.
  package var summary: String { row.summary }

  /// Where its value is held.
  package var home: SettingHome { row.home }

  /// Returns whether something special holds for it.
  package func has(_ rule: SettingRules) -> Bool { row.rules.contains(rule) }

  /// A Boolean value indicating whether the setting can be on or off.
  public var isSwitch: Bool {
    switch kind {
    case .bool, .switchedChoice: true
    case .volume, .deviceName, .programNames, .channels, .choice: false
    }
  }

  /// The value to set where somebody only switches it on, as with a key.
  package var switchedOn: EventValue { self == .defaultDevices ? EventValue(DefaultDeviceMode.switchedOn) : .bool(true) }

  /// The settings that are views of the same state, including this one, which comes first.
  public var views: [Setting] {
    switch self {
    case .echoCanceller: [.echoCanceller, .echoCancellation]
    case .echoCancellation: [.echoCancellation, .echoCanceller]
    default: [self]
    }
  }
}
