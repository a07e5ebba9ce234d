import Border
import PipeWireGraph
import RealtimeCore
import SessionModel
import Synchronization

/// A session's settings by name, for the dashboard, the command line, the socket and the node's Props: finds the home of each, and logs and
/// posts its changes. [any]
struct ServiceSettings: Sendable {
  let core: AudioCore
  let session: VoiceSession
  let graph: any SessionGraph
  let log: EventLog
  let events: EventBus
  private let program = ProgramSettingsCell()

  init(core: AudioCore, session: VoiceSession, graph: any SessionGraph, log: EventLog, events: EventBus) {
    (self.core, self.session, self.graph, self.log, self.events) = (core, session, graph, log, events)
  }

  /// Returns the value of a setting.
  func value(of setting: Setting) -> EventValue {
    switch setting.home {
    case .audio: core.value(of: setting) ?? setting.standard
    case .graph(let place): place.read(graph.settings)
    case .session(let place, _): place.read(session.current.settings)
    case .program(let place): program.settings.withLock { place.read($0) }
    case .device(let direction): .string(graph.picked(direction) ?? "")
    }
  }

  /// Sets a setting, logs it, and posts the change.
  /// - Throws: `SettingError`; nothing has changed then.
  func set(_ setting: Setting, to given: EventValue) throws(SettingError) {
    let value = try checked(setting, given)
    if setting == .echoCanceller, case .bool = value { return try set(.echoCancellation, to: value) }
    let before = self.value(of: setting)
    switch (setting.home, value) {
    case (.audio, _): _ = core.set(setting, to: value)
    case (.graph, _): graph.set(setting, to: value)
    case (.session(_, let event), _): if let event = event(value) { try send(event, for: setting) }
    case (.program(let place), _): program.settings.withLock { place.write(&$0, value) }
    case (.device(let direction), .string(let name)): graph.pick(direction, name: name.isEmpty ? nil : name.printable())
    case (.device, _): break
    }
    guard !setting.has(.ignoresRepetition) || self.value(of: setting) != before else { return }
    logChange(of: setting, to: value)
    postChange(of: setting)
  }

  private func send(_ event: SessionEvent, for setting: Setting) throws(SettingError) {
    guard let refusal = session.send(event) else { return }
    throw setting.has(.isInitOnly) ? .locked(setting: setting.rawValue) : .refused(setting: setting.rawValue, refusal)
  }

  /// Checks that a value is of the setting's kind, and valid here.
  func checked(_ setting: Setting, _ value: EventValue) throws(SettingError) -> EventValue {
    let value = try setting.checked(value)
    if setting == .echoCanceller, value.word() == EchoCanceller.webrtc, WebRTCLibrary.installed == nil {
      let reason = CapturePathError.libraryMissing.description
      throw .badValue(setting: setting.rawValue, value: EchoCanceller.webrtc.rawValue, possible: "another: \(reason)")
    }
    if case .device(let wanted) = setting.home, case .string(let name) = value {
      if GraphController.isOwnNode(name) { throw .ownDevice(setting, name) }
      let named = graph.report.route.devices.filter { $0.name == name }
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
}

/// Holds the settings that the program around a session follows. [any]
private final class ProgramSettingsCell: Sendable {
  let settings = Mutex(ProgramSettings())
}
