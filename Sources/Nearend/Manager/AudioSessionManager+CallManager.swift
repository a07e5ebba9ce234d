import SessionModel

/// The session as a call manager sees it (S1, S2, S7). [any]
extension AudioSessionManager {
  /// Whether the session is configured and activated: sound can be captured and played. Seed: `isSessionActive`.
  public var isSessionActive: Bool { session.isActive }

  /// The filter in PipeWire's graph; nil where there is none, or the daemon is away, and in manual mode before the call manager's activation, and after an
  /// interruption until the next. Waits for the control thread. Seed: `getSharedVPIOUnit`.
  public func getSharedUnit() -> SharedUnit? {
    guard let service, service.session.current.isUnitInitialised, let nodeId = service.graph.report.graph.nodeId else { return nil }
    let status = SessionStatus(service.session.current, interruption: service.session.interruption, isMicrophoneMuted: isMicrophoneMuted)
    return SharedUnit(nodeId: nodeId, state: status.state)
  }

  /// Manual mode: the call manager has granted audio. What is registered, or will be, is linked; `didRecover` is posted where something was
  /// waiting, once sound can pass. In default mode it has no effect and logs a warning. Before the first registration it is remembered.
  ///
  /// Seed: `audioSessionDidActivateExternally`.
  public func audioSessionDidActivateExternally() { send(.activatedExternally) }

  /// Manual mode: the call manager has revoked audio. Nothing real stays linked, and what speaker outputs have buffered is thrown away;
  /// registrations stay. In default mode it has no effect and logs a warning.
  ///
  /// Seed: `audioSessionDidDeactivateExternally`.
  public func audioSessionDidDeactivateExternally() { send(.deactivatedExternally) }

  /// The session as it is now, whoever keeps it.
  var session: SessionState {
    let (service, atRest) = current.withLock { ($0.service, $0.session) }
    return service?.session.current ?? atRest
  }

  /// Lets something happen to the session, whoever keeps it. Returns why not, where it is refused.
  @discardableResult
  func send(_ event: SessionEvent) -> SessionRefusal? {
    changing.withLock { _ in
      if let service { return service.session.send(event) }
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

/// The one filter node, read-only. [any]
public struct SharedUnit: Sendable, Equatable {
  /// Its id in PipeWire's graph, as `pw-cli info <id>` takes it.
  public let nodeId: UInt32
  public let state: SessionStatus.State
}
