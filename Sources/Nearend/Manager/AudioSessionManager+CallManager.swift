import SessionModel

/// The session as a call manager sees it (S1, S2, S7). [any]
extension AudioSessionManager {
  /// A Boolean value indicating whether the session is configured and activated, so that sound can be captured and played. LiveSwitch:
  /// `isSessionActive`.
  public var isSessionActive: Bool { session.isActive }

  /// The filter in PipeWire's graph; nil without a session or daemon, and in manual mode before the call manager's activation and from an
  /// interruption until the next activation. Waits for the control thread. LiveSwitch: `getSharedVPIOUnit`.
  public func getSharedUnit() -> SharedUnit? {
    guard let driven, driven.state.isUnitInitialised, let nodeId = driven.nodeId else { return nil }
    let status = SessionStatus(driven.state, interruption: driven.interruption, isMicrophoneMuted: isMicrophoneMuted)
    return SharedUnit(nodeId: nodeId, state: status.state)
  }

  /// Reports that the call manager has granted audio, in manual mode. Present and future registrations are linked; if something was
  /// waiting, `didRecover` is posted once sound can pass. Remembered before the first registration. In default mode it is ignored and logs
  /// a warning.
  ///
  /// LiveSwitch: `audioSessionDidActivateExternally`.
  public func audioSessionDidActivateExternally() { send(.activatedExternally) }

  /// Reports that the call manager has revoked audio, in manual mode. No real device stays linked, and buffered audio of speaker outputs is
  /// discarded; registrations stay. In default mode it is ignored and logs a warning.
  ///
  /// LiveSwitch: `audioSessionDidDeactivateExternally`.
  public func audioSessionDidDeactivateExternally() { send(.deactivatedExternally) }

  /// The current session, with or without a service.
  var session: SessionState {
    let (driven, atRest) = current.withLock { ($0.driven, $0.session) }
    return driven?.state ?? atRest
  }

  /// Sends an event to the session, with or without a service. Returns the reason if it is refused.
  @discardableResult
  func send(_ event: SessionEvent) -> SessionRefusal? {
    changing.withLock { _ in
      if let driven { return driven.send(event) }
      let effects = current.withLock { current in
        let (next, effects) = reduce(current.session, event)
        current.session = next
        return effects
      }
      var refusal: SessionRefusal?
      for effect in effects {
        switch effect {
        case .refused(let why): refusal = why
        case .warn(let text): log.add(.warning, text)
        // The next service begins with the whole state.
        default: break
        }
      }
      return refusal
    }
  }
}

/// The filter node, read-only. [any]
public struct SharedUnit: Sendable, Equatable {
  /// Its id in PipeWire's graph, for `pw-cli info <id>`.
  public let nodeId: UInt32
  /// The session's phase when the unit was requested; it does not follow the session.
  public let state: SessionStatus.State
}
