import Foundation
import SessionModel

/// Settings: the host's, so that a change affects all its programs.
extension JoinedSession {
  func value(of setting: Setting) -> EventValue {
    shared.withLock { state in
      if setting == .manualAudioSessionManagement { return .bool(state.session.settings.isManual) }
      return state.settings.value(of: setting)
    }
  }

  func restore(_ setting: Setting, to value: EventValue) {
    guard setting != .manualAudioSessionManagement, self.value(of: setting) != value else { return }
    if let refusal = request(setting, value) { log.add(.warning, refusal) }
  }

  /// Requests a value of the host, or keeps it until the host is back. Returns the reason if it is refused.
  private func request(_ setting: Setting, _ value: EventValue) -> String? {
    guard let link else {
      shared.withLock { $0.settings.waiting[setting] = value }
      post(setting)
      return nil
    }
    do throws(HostError) {
      let answer = try link.request("PATCH", "/settings?program=\(link.welcome.program)", [setting.rawValue: value])
      if let values = try? HostLink.decoder.decode([String: EventValue].self, from: answer) {
        shared.withLock { if $0.host?.link === link { $0.settings.reported = HostProtocol.checked(values) } }
      }
    } catch {
      if case .refused(_, let reason) = error { return "\(setting.rawValue): the joined nearend refuses: \(reason)" }
      shared.withLock { $0.settings.waiting[setting] = value }
      return nil
    }
    if setting.has(.endsWithProgram) { shared.withLock { $0.settings.programScoped[setting] = value } }
    applyHostSettings()
    return nil
  }

  /// Applies the host's settings to the session.
  func applyHostSettings() {
    let (settings, scoped) = shared.withLock { ($0.settings.reported, $0.settings.programScoped) }
    if case .bool(let on)? = settings[.useVoiceProcessingIO] { change(.setVoiceProcessingEnabled(on)) }
    for setting in Setting.live where !setting.has(.endsWithProgram) {
      guard case .session(_, let event) = setting.home, let event = settings[setting].flatMap(event) else { continue }
      change(event)
    }
    // If another program has prepared recording, that program's session is kept prepared, not this one.
    let isPrepared = scoped[.recordingAlwaysPrepared] == true && settings[.recordingAlwaysPrepared] == true
    change(.setRecordingAlwaysPrepared(isPrepared))
  }

  /// Posts a change for which the host posts no event.
  func post(_ setting: Setting) {
    events.post(.settingChanged, detail: ["setting": .string(setting.rawValue), "value": value(of: setting)])
  }

  func setVoiceProcessingEnabled(_ on: Bool) {
    guard let link else { return restore(.useVoiceProcessingIO, to: .bool(on)) }
    let command: EventValue = on ? "enableVoiceProcessing" : "disableVoiceProcessing"
    do throws(HostError) { try link.request("POST", "/commands?program=\(link.welcome.program)", ["command": command]) } catch {
      return logRefusal(of: Setting.useVoiceProcessingIO.rawValue, error)
    }
    shared.withLock { $0.settings.reported[.useVoiceProcessingIO] = .bool(on) }
    applyHostSettings()
  }

  /// Init-only (L6): locked here while this program's media is registered, and in the host while any program's is.
  func setVoiceProcessing(_ on: Bool) -> SessionRefusal? {
    let locked = SessionRefusal.locked(setting: Setting.useVoiceProcessingIO.rawValue)
    guard value(of: .useVoiceProcessingIO) != .bool(on) else { return nil }
    if state.isLocked {
      log.add(.warning, locked.description)
      return locked
    }
    guard let reason = request(.useVoiceProcessingIO, .bool(on)) else { return nil }
    log.add(.warning, reason)
    return locked
  }

  func begin(with settings: [Setting: EventValue], changed: Set<Setting>) {
    for setting in Setting.allCases where changed.contains(setting) {
      if setting == .useVoiceProcessingIO {
        _ = setVoiceProcessing(state.settings.usesVoiceProcessing)
      } else if let value = settings[setting] {
        restore(setting, to: value)
      }
    }
  }

  var settingsToKeep: [Setting: EventValue] {
    var settings = Dictionary(uniqueKeysWithValues: Setting.live.map { ($0, value(of: $0)) })
    // Recording that was prepared for this program ends with its session.
    settings[.recordingAlwaysPrepared] = .bool(state.settings.isRecordingAlwaysPrepared)
    return settings
  }
}
