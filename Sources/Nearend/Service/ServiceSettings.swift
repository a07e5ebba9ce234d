import Border
import PipeWireGraph
import RealtimeCore
import SessionModel

/// Settings by name: shared by the dashboard, the command line, the socket and the node's Props.
extension NearendService {
  /// Returns the value of a setting. [any]
  public func value(of setting: Setting) -> EventValue {
    let (controls, settings) = (core.controls, session.current.settings)
    switch setting {
    case .bypassVoiceProcessing: return .bool(controls.isBypassed)
    case .voiceProcessingEnableAGC: return .bool(controls[.gainControl])
    case .noiseSuppression: return .bool(controls[.noiseSuppression])
    case .echoCanceller: return .string(controls.echoCanceller.rawValue)
    case .echoCancellation: return .bool(controls[.echoCancellation])
    case .highPassFilter: return .bool(controls[.highPassFilter])
    case .micMode: return .string(controls.micMode.rawValue)
    case .microphoneMuted: return .bool(settings.isMicrophoneMuted)
    case .microphoneMuteMode: return .string(settings.microphoneMuteMode.rawValue)
    case .recordingAlwaysPrepared: return .bool(settings.isRecordingAlwaysPrepared)
    case .outputVolume: return .number(Double(core.mixer.masterGain))
    case .micVolume: return .number(Double(core.appAudio.micVolume))
    case .appVolume: return .number(Double(core.appAudio.appVolume))
    case .appDucking: return .bool(core.appAudio.isDucked)
    case .appMonitor: return .bool(core.appAudio.isMonitored)
    case .microphone: return .string(graph.picked(.input) ?? "")
    case .speaker: return .string(graph.picked(.output) ?? "")
    case .reference: return .string(graph.routeSettings.reference.rawValue)
    case .defaultDevices: return .bool(graph.routeSettings.areOursDefault)
    case .pauseOnUnplug: return .bool(graph.routeSettings.pausesOnUnplug)
    case .duckingLevel: return .string(graph.duckingSettings.level.rawValue)
    case .isAdvancedDuckingEnabled: return .bool(graph.duckingSettings.isAdvanced)
    case .useVoiceProcessingIO: return .bool(settings.usesVoiceProcessing)
    case .manualAudioSessionManagement: return .bool(settings.isManual)
    }
  }

  /// Sets a setting. [any]
  /// - Throws: `SettingError`; nothing has changed then.
  public func set(_ setting: Setting, to value: EventValue) throws(SettingError) {
    switch (setting, try checked(setting, value)) {
    case (.bypassVoiceProcessing, .bool(let on)): perform(.setBypass(on))
    case (.voiceProcessingEnableAGC, .bool(let on)): perform(.setComponent(.gainControl, on))
    case (.noiseSuppression, .bool(let on)): perform(.setComponent(.noiseSuppression, on))
    case (.echoCanceller, .bool(let on)): perform(.setComponent(.echoCancellation, on))
    case (.echoCanceller, .string(let word)):
      if let canceller = EchoCanceller(rawValue: word) { perform(.setEchoCanceller(canceller)) }
    case (.echoCancellation, .bool(let on)): perform(.setComponent(.echoCancellation, on))
    case (.highPassFilter, .bool(let on)): perform(.setComponent(.highPassFilter, on))
    case (.micMode, .string(let word)):
      if let mode = MicMode(rawValue: word) { perform(.setMicMode(mode)) }
    case (.microphoneMuted, .bool(let on)): perform(.setMicrophoneMuted(on))
    case (.microphoneMuteMode, .string(let word)):
      if let mode = MicrophoneMuteMode(rawValue: word) { perform(.setMicrophoneMuteMode(mode)) }
    case (.recordingAlwaysPrepared, .bool(let on)): try prepareRecording(on)
    case (.outputVolume, .number(let volume)): perform(.setOutputVolume(volume))
    case (.micVolume, .number(let volume)): perform(.setMicVolume(volume))
    case (.appVolume, .number(let volume)): perform(.setAppVolume(volume))
    case (.appDucking, .bool(let on)): perform(.setAppDucking(on))
    case (.appMonitor, .bool(let on)): perform(.setAppMonitor(on))
    case (.microphone, .string(let name)): perform(.pickDevice(.input, name: name.isEmpty ? nil : name.printable()))
    case (.speaker, .string(let name)): perform(.pickDevice(.output, name: name.isEmpty ? nil : name.printable()))
    case (.reference, .string(let word)): perform(.setReference(ReferenceSource(rawValue: word) ?? .everything))
    case (.defaultDevices, .bool(let on)): perform(.setDefaultDevices(on))
    case (.pauseOnUnplug, .bool(let on)): perform(.setPauseOnUnplug(on))
    case (.duckingLevel, .string(let level)): perform(.setDuckingLevel(DuckingLevel(rawValue: level) ?? .min))
    case (.isAdvancedDuckingEnabled, .bool(let on)): perform(.setAdvancedDucking(on))
    case (.useVoiceProcessingIO, .bool(let on)): try set(.useVoiceProcessingIO(on), of: setting)
    case (.manualAudioSessionManagement, .bool(let on)): try set(.manualAudioSessionManagement(on), of: setting)
    case (_, let value): throw .badValue(setting: setting.rawValue, value: "\(value)", possible: "a value of its own kind")
    }
  }

  /// Checks that a value is of the setting's kind, and valid here.
  func checked(_ setting: Setting, _ value: EventValue) throws(SettingError) -> EventValue {
    let value = try setting.checked(value)
    if setting.kind == .deviceName, case .string(let name) = value, GraphController.isOwnNode(name) {
      throw .ownDevice(setting, name)
    }
    return value
  }

  private func set(_ value: InitOnlySetting, of setting: Setting) throws(SettingError) {
    guard session.send(.setInitOnly(value)) == nil else { throw .locked(setting: setting.rawValue) }
    changed(setting)
  }

  private func prepareRecording(_ on: Bool) throws(SettingError) {
    do throws(SessionRefusal) {
      guard try performAtMicrophone(.setRecordingAlwaysPrepared(on)) else { return }
    } catch {
      throw .refused(setting: Setting.recordingAlwaysPrepared.rawValue, error)
    }
    changed(.recordingAlwaysPrepared)
  }

  /// Posts the change, for every view of the setting.
  func changed(_ setting: Setting) {
    for setting in setting.views {
      events.post(.settingChanged, detail: ["setting": .string(setting.rawValue), "value": value(of: setting)])
    }
  }
}
