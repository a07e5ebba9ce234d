import RealtimeCore
import SessionModel

/// Commands, settings and participants. [any]
extension NearendService {
  /// Carries out a command of a person or a program. The log says what was refused.
  package func perform(_ command: Command) {
    switch command {
    case .set(let setting, let value): do { try set(setting, to: value) } catch { log.add(.warning, error.description) }
    case .setSinkMuted(let id, let isMuted): participants.setMuted(isMuted, id: id)
    case .setSinkGain(let id, let gain): participants.setGain(gain, id: id)
    case .clearCounters:
      core.clearCounters()
      remotes.clearCounters()
      log.add(.info, "counters cleared")
    case .resumeAfterUnplug:
      guard graph.report.route.isPausedAfterUnplug else { return log.add(.info, "nothing is paused") }
      graph.resumeAfterUnplug()
      log.add(.info, "playback resumed, in the room")
    case .listen(let seconds): do { _ = try auditions.begin(seconds: seconds) } catch { auditions.note(error, seconds: seconds) }
    case .stopListening: auditions.cancel()
    case .loadPreset(let name): loadPreset(name)
    case .saveDiagnostics: saveDiagnostics()
    }
  }

  private func saveDiagnostics() {
    let file = DiagnosticsFile()
    do {
      try file.write(snapshot())
      log.add(.info, "diagnostics written to \(file.path)")
    } catch {
      log.add(.error, "diagnostics could not be written to \(file.path): \(error)")
    }
  }

  // MARK: Settings

  /// Returns the value of a setting.
  package func value(of setting: Setting) -> EventValue { settings.value(of: setting) }

  /// Sets a setting.
  /// - Throws: `SettingError`; nothing has changed then.
  package func set(_ setting: Setting, to value: EventValue) throws(SettingError) { try settings.set(setting, to: value) }

  /// Sets the function that reads files of preferences and returns once they apply; nil if there are none. [any]
  package func onReload(_ reload: (@Sendable () -> Void)?) { self.reload.set(reload) }

  // MARK: Participants

  /// Adds a participant whose PCM a program writes (K1), until `removeSink`: with receive media of its own, or as the sink of registered
  /// media.
  package func addRingSink(id: String, sampleRate: Int, channelCount: Int, bufferSize: Int) throws(SinkError) -> RingSink {
    try participants.addRing(
      id: id, format: try SinkFormat(sampleRate: sampleRate, channelCount: channelCount), capacityBytes: bufferSize)
  }

  /// Adds a participant with its own PipeWire sink device (K9). Throws `.impossibleId`, `.alreadyRegistered` or `.tooManySinks`.
  package func addGraphSink(id: String) throws(SinkError) { try participants.addDevice(id: id) }

  /// Removes a participant of either kind; ignored for an unknown id.
  package func removeSink(id: String) {
    if !remotes.remove(id) { participants.remove(id: id) }
  }
}
