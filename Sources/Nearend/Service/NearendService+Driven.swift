import PipeWireGraph
import Platform
import RealtimeCore
import SessionModel

/// The session of this process, as the owner drives it.
extension NearendService: DrivenSession {
  /// Seconds to wait for the id of a node that is being made.
  private static let nodePatience = 1.0

  var mode: SessionMode { .own }
  var engine: AudioEngine { AudioEngine(core) }

  var state: SessionState { session.current }
  var interruption: Interruption? { session.interruption }
  func send(_ event: SessionEvent) -> SessionRefusal? { session.send(event) }
  func resume(_ session: SessionState) { self.session.resume(session) }
  func end() { session.end() }
  func endIfUnused() -> Bool { session.endIfUnused() }
  var nodeId: UInt32? {
    let end = monotonicSeconds() + Self.nodePatience
    while true {
      let graph = graph.report.graph
      // A daemon that is there makes the node at once, and tells its id a moment later.
      if graph.nodeId != nil || !graph.isConnected || !session.current.isActive || monotonicSeconds() > end { return graph.nodeId }
      pause(seconds: 0.002)
    }
  }
  var route: RouteStatus { graph.report.route }

  func restore(_ setting: Setting, to value: EventValue) {
    guard self.value(of: setting) != value else { return }
    do { try set(setting, to: value) } catch { log.add(.warning, error.description) }
  }

  func setVoiceProcessingEnabled(_ on: Bool) {
    session.send(.setVoiceProcessingEnabled(on))
    settings.postChange(of: .useVoiceProcessingIO)
  }

  func begin(with settings: [Setting: EventValue], changed: Set<Setting>) {
    // In order: the canceller's engine before its switch.
    for setting in Setting.allCases { if let value = settings[setting] { restore(setting, to: value) } }
  }

  /// Includes the canceller's engine while it is switched off.
  var settingsToKeep: [Setting: EventValue] {
    var settings = Dictionary(uniqueKeysWithValues: Setting.live.map { ($0, value(of: $0)) })
    settings[.echoCanceller] = .string(core.controls.engine.rawValue)
    return settings
  }

  func registerSink(id: String, format: SinkFormat, capacityBytes: Int) throws(SinkError) -> SessionRefusal? {
    try session.register(RingSink(id: id, format: format, capacityBytes: capacityBytes))
  }

  func writeToSink(id: String, _ data: UnsafeRawBufferPointer) -> RingSink.Outcome? {
    guard let outcome = core.mixer.ringSink(id: id)?.put(data) else { return nil }
    if case .dropped(consecutive: 1, let total) = outcome { notifySinkFrameDrop(mediaId: id, consecutive: 1, total: total) }
    return outcome
  }

  func sinkRoom(id: String) -> Int? { core.mixer.ringSink(id: id).map { $0.capacityBytes - $0.fill.bytes } }
  var sinkIds: [String] { core.mixer.ids }
  func enableAppAudio(_ on: Bool) { core.appAudio.isEnabled = on }
}
