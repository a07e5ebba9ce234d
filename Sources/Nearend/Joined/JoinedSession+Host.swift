import Foundation
import Platform
import SessionModel

/// The host: its events, its loss and its return.
extension JoinedSession {
  /// Seconds between attempts to find the host again; the longer one once it has been away for `patience`.
  private static let retryIntervals = (soon: 0.1, later: 1.0)
  private static let patience = 10.0

  /// Handles the host's events, and searches for the host when it has gone. Runs on a thread of its own, until `stop`.
  func follow(_ first: HostLink) {
    var link = first
    while true {
      while let event = link.event() { handle(event) }
      guard handleLoss(of: link) else { return }
      let since = monotonicSeconds()
      while true {
        let away = monotonicSeconds() - since
        pause(seconds: away < Self.patience ? Self.retryIntervals.soon : Self.retryIntervals.later)
        guard !shared.withLock({ $0.isStopped }) else { return }
        do throws(GraphError) {
          guard let new = try HostLink.open(path, patience: 0) else { continue }
          link = new
          break
        } catch {
          // A nearend that cannot be joined, such as another version, has answered; a compatible one may follow.
          continue
        }
      }
      guard rejoin(link, after: monotonicSeconds() - since) else { return }
    }
  }

  // MARK: Loss and return

  /// Returns false if the session has been stopped.
  private func handleLoss(of link: HostLink) -> Bool {
    link.end()
    let lost = shared.withLock { state -> JoinedState? in
      guard !state.isStopped else { return nil }
      defer { state.host = nil }
      return state
    }
    guard let lost else { return false }
    log.add(.warning, "the joined nearend has gone; waiting for it")
    change(.interruptionBegan(.nearendLost))
    events.post(.interruptionBegan, detail: ["reason": .string(Interruption.Reason.nearendLost.rawValue)])
    // The host reported these; on rejoining it reports those that still apply.
    for reason in lost.session.interruptions { change(.interruptionEnded(reason)) }
    lost.host?.voice?.end()
    for output in lost.outputs.values { output.reset() }
    lost.host?.appAudio?.reset()
    return true
  }

  /// Returns false if the session has been stopped.
  private func rejoin(_ link: HostLink, after seconds: Double) -> Bool {
    let old = shared.withLock { state -> JoinedState.HostSettings? in
      guard !state.isStopped else { return nil }
      defer {
        state.host = JoinedState.Host(link: link)
        (state.settings.reported, state.settings.waiting) = (link.welcome.checkedSettings, [:])
      }
      return state.settings
    }
    guard let old else {
      link.end()
      return false
    }
    let due = old.programScoped.merging(old.waiting) { $1 }
    for setting in Setting.allCases { if let value = due[setting] { restore(setting, to: value) } }
    let reported = link.welcome.checkedSettings
    for setting in Setting.allCases where old.reported[setting] != reported[setting] && due[setting] == nil { post(setting) }
    applyHostSettings()
    for reason in link.welcome.interruptions { change(.interruptionBegan(reason)) }
    updateHost()
    let record = records.last { $0.reason == .nearendLost }
    let change = change(.interruptionEnded(.nearendLost))
    log.add(.info, "joined nearend \(link.welcome.nearend) (process \(link.welcome.process)) again, after \(fixed(seconds, 1)) s")
    events.post(
      .interruptionEnded,
      detail: ["reason": .string(Interruption.Reason.nearendLost.rawValue), "duration": .number(record?.duration ?? seconds)])
    if change.effects.contains(.recovered) { requestRecoveryEvent() }
    return true
  }

  /// Runs `body` if the host is still there after a moment: a host that ends unregisters everything first.
  func ifHostStays(_ body: @escaping @Sendable (JoinedSession) -> Void) {
    let link = link
    startThread(name: "nearend-left") { [weak self, weak link] in
      pause(seconds: 0.3)
      if let self, let link, self.link === link { body(self) }
    }
  }

  // MARK: Events

  /// Handles an event of the host, and forwards it with the program's own ids.
  private func handle(_ event: AudioEvent) {
    switch event.kind {
    case .settingChanged: updateSetting(event)
    case .mediaUnregistered: handleUnregistration(event)
    case .interruptionBegan, .interruptionEnded:
      if let reason = event.detail["reason"]?.word(Interruption.Reason.self) {
        change(event.kind == .interruptionBegan ? .interruptionBegan(reason) : .interruptionEnded(reason))
      }
      forward(event)
    case .didRecover where event.detail["program"] != nil: events.post(.didRecover)
    case .didRecover: if state.isUnitRunning { forward(event) }
    default: forward(event)
    }
  }

  private func handleUnregistration(_ event: AudioEvent) {
    guard let name = event.mediaId else { return forward(event) }
    // This session has already posted what the program itself has unregistered, also by stopping.
    if shared.withLock({ $0.isStopped || $0.host?.released.remove(name) != nil }) { return }
    guard let id = ownId(name) else { return forward(event) }
    ifHostStays { session in
      guard session.shared.withLock({ $0.name(of: id) == name }) else { return }
      session.shared.withLock { $0.host?.names[id] = nil }
      session.change(.unregisterMedia(id: id))
    }
  }

  private func updateSetting(_ event: AudioEvent) {
    guard let setting = event.detail["setting"]?.word(Setting.self), let value = event.detail["value"],
      let value = try? setting.checked(value), setting != .manualAudioSessionManagement
    else { return }
    shared.withLock { $0.settings.reported[setting] = value }
    applyHostSettings()
    forward(event)
  }

  private func ownId(_ name: String) -> String? { shared.withLock { $0.host?.ownId(name) } }

  /// Posts the host's event here, except one about another program's media whose id could be taken for this program's own.
  private func forward(_ event: AudioEvent) {
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
