import Border
import RealtimeCore
import SessionModel

/// Log messages for changed settings.
extension ServiceSettings {
  func logChange(of setting: Setting, to value: EventValue) {
    switch setting {
    case .microphone: return logPick(.input, "microphone")
    case .speaker: return logPick(.output, "speaker")
    default: break
    }
    if let words = words(setting, value) { log.add(.info, words) }
    if setting == .micMode, value.word() == MicMode.voiceIsolation, let obstacle = core.isolation.obstacle {
      log.add(.warning, "\(obstacle); the standard mode is used until then")
    }
  }

  private func words(_ setting: Setting, _ value: EventValue) -> String? {
    switch value {
    case .bool(let on): switchWords(setting, on)
    case .number(let number): volumeWords(setting, "\(Int(bounded: number * 100)) %")
    case .string: choiceWords(setting, value)
    case .integer: nil
    }
  }

  private func switchWords(_ setting: Setting, _ on: Bool) -> String? {
    let no = on ? "" : "no longer "
    return switch setting {
    case .bypassVoiceProcessing: "voice processing \(no)bypassed"
    case .voiceProcessingEnableAGC: "AGC \(on ? "on" : "off")"
    case .noiseSuppression: "NS \(on ? "on" : "off")"
    case .echoCancellation: "AEC \(on ? "on" : "off")"
    case .highPassFilter: "HPF \(on ? "on" : "off")"
    case .microphoneMuted: "microphone \(no)muted"
    case .recordingAlwaysPrepared where on:
      "recording is kept prepared: the microphone stays \(session.current.closesMicrophone ? "closed while it is muted" : "open")"
    case .recordingAlwaysPrepared: "recording is no longer kept prepared"
    case .appDucking: "application audio is \(no)lowered under speech"
    case .appMonitor: "application audio is \(no)heard on the speaker"
    case .defaultDevices: on ? "nearend's devices are the session's defaults" : "the session's former defaults are back"
    case .pauseOnUnplug: "when headphones are unplugged, playback \(on ? "pauses" : "continues in the room")"
    case .isAdvancedDuckingEnabled:
      on ? "other applications are lowered while somebody speaks" : "other applications are lowered for the whole call"
    default: nil
    }
  }

  private func volumeWords(_ setting: Setting, _ percent: String) -> String? {
    switch setting {
    case .outputVolume: "output volume \(percent)"
    case .micVolume: "microphone volume \(percent)"
    case .appVolume: "application audio's volume \(percent)"
    default: nil
    }
  }

  private func choiceWords(_ setting: Setting, _ value: EventValue) -> String? {
    switch setting {
    case .echoCanceller: value.word() == EchoCanceller.off ? "AEC off" : "AEC on: \(core.controls.engineName)"
    case .micMode: value.word(MicMode.self).map { "mic mode: \($0.words)" }
    case .microphoneMuteMode: "mute mode: \(value)"
    case .reference: value.word(ReferenceSource.self).map { "the echo canceller hears \($0.words)" }
    case .duckingLevel:
      value.word(DuckingLevel.self).map { "other applications are lowered by \(Int(bounded: $0.decibels)) dB during calls" }
    default: nil
    }
  }

  private func logPick(_ direction: Device.Direction, _ end: String) {
    guard let name = graph.picked(direction) else { return log.add(.info, "\(end): following the default") }
    guard graph.report.route.missingPick(direction) != nil else { return log.add(.info, "\(end): \(name) chosen") }
    log.add(.warning, direction.awaiting(name))
  }
}
