import SessionModel

/// Stopping the session, and leaving one that was joined. [any]
extension SessionOwner {
  /// Unregisters media with its source and its sink. The last of any owner stops the session (L2, L3). Ignored for an unknown id.
  func unregister(id: String) {
    if isPostponed({ $0.unregister(id: id) }) { return }
    lifecycle.withLock { _ in
      driven?.send(.unregisterMedia(id: id))
      leaveWhatIsUnused()
    }
  }

  /// Ends the session at once, whoever uses it. Ignored without one.
  func shutDown() {
    if isPostponed({ $0.shutDown() }) { return }
    lifecycle.withLock { _ in
      guard let driven else { return }
      driven.end()
      for media in driven.state.media where media.owner == .program { driven.send(.unregisterMedia(id: media.id)) }
      stop(driven)
    }
  }

  /// Stops the session after a change that may have removed its last use.
  func stopNowWhereUnused() {
    if isPostponed({ $0.stopNowWhereUnused() }) { return }
    // A hook may change a setting, but the session cannot end during the hook.
    if hooks.isCalling { return stopSoonWhereUnused() }
    lifecycle.withLock { _ in leaveWhatIsUnused() }
  }

  /// Stops the session if nothing needs it, or disables an unused direction. Call it with the lifecycle's lock held.
  func leaveWhatIsUnused() {
    guard let driven else { return }
    // Atomically: applications and the control socket's clients may come at any time, and must not join a session that ends.
    guard !driven.endIfUnused() else { return stop(driven) }
    hooks.disable(to: EngineUse(driven.state))
  }

  private func stop(_ driven: any DrivenSession) {
    leave(driven)
    driven.stop()
    // Applications lose their devices.
    driven.send(.applications([]))
    hooks.stopped()
    hooks.release()
  }

  /// Saves what outlasts the session; the owner no longer drives it afterwards.
  func leave(_ driven: any DrivenSession) {
    changing.withLock { _ in
      let settings = driven.settingsToKeep
      current.withLock { current in
        current.kept.take(driven.state, settings)
        current.driven = nil
      }
    }
  }
}
