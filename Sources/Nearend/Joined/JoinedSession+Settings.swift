import Dispatch
import Foundation
import SessionModel

/// Settings: the host's, so that a change affects all its programs.
extension JoinedSession {
  func value(of setting: Setting) -> EventValue {
    shared.withLock { state in
      if setting == .manualAudioSessionManagement { return .bool(state.session.settings.isManual) }
      return state.waiting[setting] ?? state.settings[setting] ?? setting.standard
    }
  }

  func restore(_ setting: Setting, to value: EventValue) {
    guard setting != .manualAudioSessionManagement, self.value(of: setting) != value else { return }
    if let refusal = ask(for: setting, value) { log.add(.warning, refusal) }
  }

  /// Asks the host to set a value, or keeps it until the host is back. Returns the reason if it is refused.
  private func ask(for setting: Setting, _ value: EventValue) -> String? {
    guard let link else {
      shared.withLock { $0.waiting[setting] = value }
      post(setting)
      return nil
    }
    do throws(HostError) {
      let answer = try link.ask("PATCH", "/settings?program=\(link.welcome.program)", [setting.rawValue: value])
      if let values = try? HostLink.decoder.decode([String: EventValue].self, from: answer) {
        let settings = Self.settings(values)
        shared.withLock { if $0.link === link { $0.settings = settings } }
      }
    } catch {
      if case .refused(_, let reason) = error { return "\(setting.rawValue): the joined nearend refuses: \(reason)" }
      shared.withLock { $0.waiting[setting] = value }
      return nil
    }
    if Programs.programScoped.contains(setting) { shared.withLock { $0.programScoped[setting] = value } }
    mirror()
    return nil
  }

  /// Updates the session with the host's settings.
  func mirror() {
    let (settings, scoped) = shared.withLock { ($0.settings, $0.programScoped) }
    if case .bool(let on)? = settings[.useVoiceProcessingIO] { change(.setVoiceProcessingEnabled(on)) }
    if case .bool(let muted)? = settings[.microphoneMuted] { change(.setMicrophoneMuted(muted)) }
    if let mode = settings[.microphoneMuteMode]?.word(MicrophoneMuteMode.self) { change(.setMicrophoneMuteMode(mode)) }
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
    do throws(HostError) { try link.ask("POST", "/commands?program=\(link.welcome.program)", ["command": command]) } catch {
      return tell(Setting.useVoiceProcessingIO.rawValue, error)
    }
    shared.withLock { $0.settings[.useVoiceProcessingIO] = .bool(on) }
    mirror()
  }

  /// Init-only (L6): locked here while this program's media is registered, and in the host while any program's is.
  func setVoiceProcessing(_ on: Bool) -> SessionRefusal? {
    let locked = SessionRefusal.locked(setting: Setting.useVoiceProcessingIO.rawValue)
    guard value(of: .useVoiceProcessingIO) != .bool(on) else { return nil }
    if state.isLocked {
      log.add(.warning, locked.description)
      return locked
    }
    guard let reason = ask(for: .useVoiceProcessingIO, .bool(on)) else { return nil }
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

  // MARK: The host's events

  /// Handles an event of the host, and passes it on with the program's own ids.
  func take(_ event: AudioEvent) {
    switch event.kind {
    case .settingChanged: takeSetting(event)
    case .mediaUnregistered:
      // This session has already posted what the program itself has unregistered.
      if let name = event.mediaId, shared.withLock({ $0.released.remove(name) != nil }) { return }
      guard let name = event.mediaId, let id = ownId(name) else { return pass(event) }
      afterHost { session in
        guard session.shared.withLock({ $0.names[id] == name }) else { return }
        session.shared.withLock { $0.names[id] = nil }
        session.change(.unregisterMedia(id: id))
      }
    case .interruptionBegan, .interruptionEnded:
      if let reason = event.detail["reason"]?.word(Interruption.Reason.self) {
        change(event.kind == .interruptionBegan ? .interruptionBegan(reason) : .interruptionEnded(reason))
      }
      pass(event)
    case .didRecover where event.detail["program"] != nil: events.post(.didRecover)
    case .didRecover: if state.isUnitRunning { pass(event) }
    default: pass(event)
    }
  }

  /// Runs `body` if the host is still there after a moment: a host that ends unregisters everything first.
  func afterHost(_ body: @escaping @Sendable (JoinedSession) -> Void) {
    let link = link
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) { [weak self, weak link] in
      if let self, let link, self.link === link { body(self) }
    }
  }

  private func takeSetting(_ event: AudioEvent) {
    guard let setting = event.detail["setting"]?.word(Setting.self), let value = event.detail["value"],
      let value = try? setting.checked(value), setting != .manualAudioSessionManagement
    else { return }
    shared.withLock { $0.settings[setting] = value }
    mirror()
    pass(event)
  }

  /// Returns the program's own id of media that it has registered with the host.
  private func ownId(_ name: String) -> String? { shared.withLock { state in state.names.first { $0.value == name }?.key } }

  /// Passes an event on, except one about another program's media whose id could be taken for this program's own.
  private func pass(_ event: AudioEvent) {
    var event = event
    if let name = event.mediaId {
      if let own = ownId(name) {
        event.mediaId = own
        // This session has already posted it.
        if event.kind == .mediaRegistered { return }
      } else if state.media.contains(where: { name == Self.name(for: $0.id) || name.hasPrefix(Self.name(for: $0.id) + ".") }) {
        return
      }
    }
    events.forward(event)
  }
}
