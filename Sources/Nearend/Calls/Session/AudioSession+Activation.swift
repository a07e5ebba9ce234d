import SessionModel

/// What the session does by itself, and what is left to a call manager or to the program. [any]
extension AudioSession {
  /// A Boolean value indicating whether a call manager activates the session: `set(.manualAudioSessionManagement(true))`. Default false.
  public var isManuallyActivated: Bool { owner.session.settings.isManual }

  /// Reports that the call manager has granted audio: present and future calls are linked. Remembered before the first call.
  /// - Throws: `SessionRefusal.notManual` for a session that manages itself; nothing has changed then.
  public func activate() throws(SessionRefusal) { try tell(.activatedExternally) }

  /// Reports that the call manager has revoked audio: no real device stays linked, and buffered audio is discarded. Calls stay.
  /// - Throws: `SessionRefusal.notManual` for a session that manages itself; nothing has changed then.
  public func deactivate() throws(SessionRefusal) { try tell(.deactivatedExternally) }

  private func tell(_ event: SessionEvent) throws(SessionRefusal) {
    guard isManuallyActivated else { throw .notManual }
    if let refusal = owner.send(event) { throw refusal }
  }

  /// A Boolean value indicating whether nearend links the real devices; otherwise the program does. Default true. See
  /// <doc:AutomaticConfiguration>.
  public var isAutomaticConfigurationEnabled: Bool {
    get { owner.isAutomaticConfigurationEnabled }
    set { owner.isAutomaticConfigurationEnabled = newValue }
  }

  /// A Boolean value indicating whether the session ends with the last call. Default true. See <doc:AutomaticConfiguration>.
  public var isAutomaticDeactivationEnabled: Bool {
    get { owner.isAutomaticDeactivationEnabled }
    set { owner.isAutomaticDeactivationEnabled = newValue }
  }

  // MARK: Unplugged headphones

  /// A Boolean value indicating whether playback is paused because headphones were unplugged. Waits for the graph's control thread, never
  /// for audio.
  public var isPausedAfterUnplug: Bool { owner.route?.isPausedAfterUnplug ?? false }

  /// Resumes, in the room, what was paused when headphones were unplugged. Ignored if nothing is paused.
  public func resumeAfterUnplug() { owner.resumeAfterUnplug() }
}
