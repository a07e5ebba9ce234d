import Border
import PipeWireGraph
import RealtimeCore
import SessionModel

/// A session's settings by name, for the dashboard, the command line, the socket and the node's Props: finds the home of each, and logs and
/// posts its changes. [any]
struct ServiceSettings: Sendable {
  let core: AudioCore
  let session: VoiceSession
  let graph: any SessionGraph
  let log: EventLog
  let events: EventBus

  /// Returns the value of a setting.
  func value(of setting: Setting) -> EventValue {
    let settings = session.current.settings
    switch setting {
    case .microphoneMuted: return .bool(settings.isMicrophoneMuted)
    case .microphoneMuteMode: return EventValue(settings.microphoneMuteMode)
    case .recordingAlwaysPrepared: return .bool(settings.isRecordingAlwaysPrepared)
    case .useVoiceProcessingIO: return .bool(settings.usesVoiceProcessing)
    case .manualAudioSessionManagement: return .bool(settings.isManual)
    case .microphone: return .string(graph.picked(.input) ?? "")
    case .speaker: return .string(graph.picked(.output) ?? "")
    default: return core.value(of: setting) ?? graph.settings[setting] ?? setting.standard
    }
  }

  /// Sets a setting, logs it, and posts the change.
  /// - Throws: `SettingError`; nothing has changed then.
  func set(_ setting: Setting, to given: EventValue) throws(SettingError) {
    let value = try checked(setting, given)
    let before = self.value(of: setting)
    switch (setting, value) {
    case (.echoCanceller, .bool): return try set(.echoCancellation, to: value)
    case (.microphoneMuted, .bool(let on)): session.send(.setMicrophoneMuted(on))
    case (.microphoneMuteMode, _): session.send(.setMicrophoneMuteMode(value.word() ?? .voiceProcessing))
    case (.recordingAlwaysPrepared, .bool(let on)):
      if let refusal = session.send(.setRecordingAlwaysPrepared(on)) { throw .refused(setting: setting.rawValue, refusal) }
    case (.useVoiceProcessingIO, .bool(let on)): try lock(.useVoiceProcessingIO(on))
    case (.manualAudioSessionManagement, .bool(let on)): try lock(.manualAudioSessionManagement(on))
    case (.microphone, .string(let name)): graph.pick(.input, name: name.isEmpty ? nil : name.printable())
    case (.speaker, .string(let name)): graph.pick(.output, name: name.isEmpty ? nil : name.printable())
    default: if !core.set(setting, to: value) { graph.set(setting, to: value) }
    }
    // A microphone setting that keeps its value is not logged.
    guard !setting.isOfMicrophone || self.value(of: setting) != before else { return }
    logChange(of: setting, to: value)
    postChange(of: setting)
  }

  /// Checks that a value is of the setting's kind, and valid here.
  func checked(_ setting: Setting, _ value: EventValue) throws(SettingError) -> EventValue {
    let value = try setting.checked(value)
    if setting.kind == .deviceName, case .string(let name) = value, GraphController.isOwnNode(name) {
      throw .ownDevice(setting, name)
    }
    if setting.kind == .deviceName, case .string(let name) = value {
      let named = graph.report.route.devices.filter { $0.name == name }
      let wanted: Device.Direction = setting == .microphone ? .input : .output
      // A device that is not there may come; one of the other kind never becomes one of this.
      if !named.isEmpty, !named.contains(where: { $0.direction == wanted }) { throw .otherDevice(setting, name) }
    }
    return value
  }

  /// Posts the change, for every view of the setting.
  func postChange(of setting: Setting) {
    for setting in setting.views {
      events.post(.settingChanged, detail: ["setting": .string(setting.rawValue), "value": value(of: setting)])
    }
  }

  private func lock(_ value: InitOnlySetting) throws(SettingError) {
    guard session.send(.setInitOnly(value)) == nil else { throw .locked(setting: value.name) }
  }
}

extension Setting {
  /// A Boolean value indicating whether the setting belongs to the microphone or application audio. Setting one of these to its
  /// current value is neither logged nor posted as an event.
  fileprivate var isOfMicrophone: Bool {
    switch self {
    case .microphoneMuted, .microphoneMuteMode, .recordingAlwaysPrepared, .micVolume, .appVolume, .appDucking, .appMonitor: true
    default: false
    }
  }
}
