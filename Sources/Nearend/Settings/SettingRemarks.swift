import RealtimeCore
import SessionModel

/// Log messages for changed settings.
extension ServiceSettings {
  func logChange(of setting: Setting, to value: EventValue) {
    if case .device(let direction) = setting.home { return logPick(direction, setting.rawValue) }
    if let words = liveWords(setting, value) ?? setting.row.remark.words(value) { log.add(.info, words) }
    if setting == .micMode, value.word() == MicMode.voiceIsolation, let obstacle = core.isolation.obstacle {
      log.add(.warning, "\(obstacle); the standard mode is used until then")
    }
  }

  /// The words that depend on what runs.
  private func liveWords(_ setting: Setting, _ value: EventValue) -> String? {
    switch (setting, value) {
    case (.echoCanceller, _): value.word() == EchoCanceller.off ? "AEC off" : "AEC on: \(core.controls.engineName)"
    case (.recordingAlwaysPrepared, .bool(true)):
      "recording is kept prepared: the microphone stays \(session.current.closesMicrophone ? "closed while it is muted" : "open")"
    case (.recordingAlwaysPrepared, _): "recording is no longer kept prepared"
    default: nil
    }
  }

  private func logPick(_ direction: Device.Direction, _ end: String) {
    guard let name = graph.picked(direction) else { return log.add(.info, "\(end): following the default") }
    guard graph.report.route.missingPick(direction) != nil else { return log.add(.info, "\(end): \(name) chosen") }
    log.add(.warning, direction.awaiting(name))
  }
}
