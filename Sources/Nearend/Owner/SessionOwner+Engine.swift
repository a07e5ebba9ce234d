import SessionModel

/// Engine observers (S6), and sessions without a device or a daemon (S9). [any]
extension SessionOwner {
  /// Sets the engine's observers from the next session on; returns false, with nothing changed, while a session exists.
  /// - Parameters:
  ///   - handlesSession: whether the session is configured, activated and deactivated automatically.
  ///   - mixesAppAudio: whether application audio is mixed into the voice.
  func set(_ observers: [any AudioEngineObserver], handlesSession: Bool, mixesAppAudio: Bool) -> Bool {
    var former: [any AudioEngineObserver] = []
    guard changeWhileAtRest({ _ in former = hooks.set(observers, hasMixer: mixesAppAudio) }) else { return false }
    // Released here, without a lock: their `deinit` may call anything.
    withExtendedLifetime(former) {}
    send(.setSessionHandling(handlesSession))
    return true
  }

  /// Switches manual rendering; returns false, with nothing changed, while a session of the other kind exists.
  func setManualRendering(_ on: Bool) -> Bool { changeWhileAtRest { $0.rendersManually = on } || rendersManually == on }

  var rendersManually: Bool { current.withLock { $0.rendersManually } }

  /// Runs the cycles of the current session; nil without one, and without manual rendering.
  var manualRenderer: ManualRenderer? { (service?.graph as? ManualGraph)?.renderer }
}
