import PipeWireGraph
import RealtimeCore
import SessionModel

/// Starting a session of this process's own, or joining the nearend that runs. [any]
extension SessionOwner {
  /// Registers media that sends or receives. The first starts the session; a concurrent registration waits for that (L2).
  /// - Returns: false for neither direction, or for a registered id: nothing has changed then.
  func register(id: String, isSend: Bool, isReceive: Bool) throws(GraphError) -> Bool {
    guard isSend || isReceive else { return false }
    try checkThread()
    return try lifecycle.withLock { _ throws(GraphError) in
      // Registering the same media again is ignored.
      guard session.program(id) == nil else { return false }
      var use = hooks.use
      use.isPlayoutEnabled = use.isPlayoutEnabled || isReceive
      use.isRecordingEnabled = use.isRecordingEnabled || isSend
      let driven = try runningSession(use)
      driven.send(.registerMedia(id: id, isSend: isSend, isReceive: isReceive))
      return true
    }
  }

  /// Starts the session if it is to be kept prepared and none runs (S8); stops it if nothing else needs it any more.
  func prepareRecording(_ on: Bool) throws(GraphError) {
    try checkThread()
    try lifecycle.withLock { _ throws(GraphError) in
      if on {
        var use = hooks.use
        use.isRecordingEnabled = true
        _ = try runningSession(use)
      }
      set(.recordingAlwaysPrepared, to: .bool(on))
      leaveWhatIsUnused()
    }
  }

  /// Throws where starting would wait for a thread that may wait for the caller.
  private func checkThread() throws(GraphError) {
    guard SourceTap.isInCallback else { return }
    throw .refused(reason: "a microphone's callback cannot start anything: it must not wait; do it on another thread")
  }

  /// Returns the session, with its engine enabled for the given use.
  private func runningSession(_ asked: EngineUse) throws(GraphError) -> any DrivenSession {
    var use = asked
    // Settings outlive the session: it may begin prepared.
    use.isRecordingEnabled = use.isRecordingEnabled || self[isOn: .recordingAlwaysPrepared]
    do throws(EngineVeto) {
      if let driven {
        // Applications, which observers do not see, may have kept it.
        try hooks.enable(use)
        return driven
      }
    } catch {
      throw .vetoed(error)
    }
    if let joined = try joinedSession(use) { return joined }
    do throws(GraphError) {
      return try begin(try makeService(), use)
    } catch .alreadyRunning(let pid) {
      // A nearend has started meanwhile, and may be about to open its socket.
      guard let joined = try joinedSession(use, patience: Self.joinPatience) else { throw .alreadyRunning(pid: pid) }
      return joined
    }
  }

  /// Seconds to wait for a nearend in the graph to open its socket.
  private static let joinPatience = 0.5

  /// Joins the running nearend; nil if none answers, or if joining is disabled.
  private func joinedSession(_ use: EngineUse, patience: Double = 0) throws(GraphError) -> (any DrivenSession)? {
    let (configuration, rendersManually) = current.withLock { ($0.kept.configuration, $0.rendersManually) }
    guard !rendersManually, let path = configuration.controlSocket else { return nil }
    guard let host = try HostLink.open(path, patience: patience) else { return nil }
    return try begin(JoinedSession(host, log: log, events: bus), use)
  }

  private func makeService() throws(GraphError) -> NearendService {
    let (configuration, rendersManually) = current.withLock { ($0.kept.configuration, $0.rendersManually) }
    var options = configuration.options
    guard rendersManually else { return try NearendService(options, log: log, events: bus, makeGraph: makeGraph) }
    options.controlSocket = nil
    return try NearendService(options, log: log, events: bus) { core, _, listener in ManualGraph(core: core, listener: listener) }
  }

  private func begin(_ driven: any DrivenSession, _ use: EngineUse) throws(GraphError) -> any DrivenSession {
    driven.enableAppAudio(hooks.hasMixer)
    let changed = changing.withLock { _ in
      let kept = current.withLock { $0.kept }
      driven.resume(kept.session)
      driven.begin(with: kept.settings, changed: kept.changed)
      current.withLock { $0.driven = driven }
      return kept.changed
    }
    do throws(GraphError) {
      try start(driven, use)
    } catch {
      leave(driven)
      current.withLock { $0.kept.changed = changed }
      throw error
    }
    return driven
  }

  /// Takes each step in turn; if one fails, those before it are undone.
  private func start(_ driven: any DrivenSession, _ use: EngineUse) throws(GraphError) {
    do throws(EngineVeto) {
      try hooks.create(driven.engine)
      try hooks.enable(use)
      try hooks.start()
    } catch {
      hooks.release()
      driven.stop()
      throw .vetoed(error)
    }
    do throws(GraphError) {
      try driven.start()
    } catch {
      hooks.stopped()
      hooks.release()
      throw error
    }
  }
}
