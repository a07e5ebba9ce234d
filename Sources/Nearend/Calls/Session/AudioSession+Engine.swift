import SessionModel

/// The engine below the calls: its observers, and cycles that the program runs itself. [any]
extension AudioSession {
  /// Sets the observers of the engine's life, which may refuse its steps and add stages, in this order. Each session begins with the
  /// current ones. See <doc:EngineObservers>.
  /// - Parameters:
  ///   - observers: called in this order.
  ///   - handlesSession: whether the session is configured, activated and deactivated automatically; false leaves that to the program.
  ///   - mixesAppAudio: whether application audio is mixed into the voice; false refuses it.
  /// - Throws: `SessionRefusal.locked` while a session exists; nothing has changed then.
  public func setEngineObservers(
    _ observers: [any AudioEngineObserver], handlesSession: Bool = true, mixesAppAudio: Bool = true
  ) throws(SessionRefusal) {
    guard owner.set(observers, handlesSession: handlesSession, mixesAppAudio: mixesAppAudio) else {
      throw .locked(setting: "setEngineObservers")
    }
  }

  /// The filter in PipeWire's graph; nil without a session or a daemon, and in a session that is activated manually, before its activation.
  /// Waits for the graph's control thread.
  public var unit: SharedUnit? { owner.unit }

  // MARK: Manual rendering

  /// A Boolean value indicating whether sessions use no device and no daemon. Default false.
  public var isManualRendering: Bool { owner.rendersManually }

  /// Switches manual rendering: sessions then use no device and no daemon, and the program runs their cycles with ``manualRenderer``.
  /// - Parameter on: whether future sessions are rendered manually.
  /// - Throws: `SessionRefusal.locked` while a session exists; nothing has changed then.
  public func setManualRendering(_ on: Bool) throws(SessionRefusal) {
    guard owner.setManualRendering(on) else { throw .locked(setting: "setManualRendering") }
  }

  /// Runs the cycles of the current session; nil without one, and without manual rendering. The session decides whether its voice is
  /// produced.
  public var manualRenderer: ManualRenderer? { owner.manualRenderer }
}
