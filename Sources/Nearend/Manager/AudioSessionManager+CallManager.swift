import SessionModel

/// The session as a call manager sees it (S1, S2, S7). [any]
extension AudioSessionManager {
  /// A Boolean value indicating whether the session is configured and activated, so that sound can be captured and played. LiveSwitch:
  /// `isSessionActive`.
  public var isSessionActive: Bool { owner.session.isActive }

  /// The filter in PipeWire's graph; nil without a session or daemon, and in manual mode before the call manager's activation and from an
  /// interruption until the next activation. Waits for the control thread, and for a node that is just being made. LiveSwitch:
  /// `getSharedVPIOUnit`.
  public func getSharedUnit() -> SharedUnit? { owner.unit }

  /// Reports that the call manager has granted audio, in manual mode. Present and future registrations are linked; if something was
  /// waiting, `didRecover` is posted once sound can pass. Remembered before the first registration. In default mode it is ignored and logs
  /// a warning.
  ///
  /// LiveSwitch: `audioSessionDidActivateExternally`.
  public func audioSessionDidActivateExternally() { owner.send(.activatedExternally) }

  /// Reports that the call manager has revoked audio, in manual mode. No real device stays linked, and buffered audio of speaker outputs is
  /// discarded; registrations stay. In default mode it is ignored and logs a warning.
  ///
  /// LiveSwitch: `audioSessionDidDeactivateExternally`.
  public func audioSessionDidDeactivateExternally() { owner.send(.deactivatedExternally) }
}
