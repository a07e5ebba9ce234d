import PipeWireGraph

/// Sessions without a device or a daemon (S9). [any]
extension AudioSessionManager {
  /// True: sessions touch no device and no daemon, and open no control socket; the program runs their cycles with `manualRenderer`, and plays what comes out
  /// itself. Media, microphone input, speaker outputs, mixer, settings, observers and engine observers are as in any session. Default false. LiveKit:
  /// `setManualRenderingMode`.
  /// - Throws: `GraphError.refused` while a session exists; nothing has changed then.
  public func setManualRenderingMode(_ on: Bool) throws(GraphError) {
    let isLocked = changing.withLock { _ in
      current.withLock { current in
        guard current.service == nil else { return current.rendersManually != on }
        current.rendersManually = on
        return false
      }
    }
    if isLocked { throw .refused(reason: "manual rendering cannot be switched while a session exists; unregister its media first") }
  }

  /// As `setManualRenderingMode` left it.
  public var isManualRenderingMode: Bool { current.withLock { $0.rendersManually } }

  /// Runs the cycles of the session that there is; nil without one, and outside manual rendering mode. The session says whether its voice is made
  /// (`isSending`). With `configuration.reference` `.everything` each cycle is given what the program's speaker plays; `.mix` takes the mix itself.
  public var manualRenderer: ManualRenderer? { (service?.graph as? ManualGraph)?.renderer }
}
