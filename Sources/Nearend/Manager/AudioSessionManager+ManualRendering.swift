import PipeWireGraph

/// Sessions without a device or a daemon (S9). [any]
extension AudioSessionManager {
  /// Switches manual rendering. With true, sessions use no device and no daemon, and open no control socket; the program runs their cycles
  /// with `manualRenderer`, and plays the output itself. Media, microphone input, speaker outputs, mixer, settings, observers and engine
  /// observers work as in any session. Default false. LiveKit: `setManualRenderingMode`.
  /// - Throws: `GraphError.refused` while a session exists; nothing has changed then.
  public func setManualRenderingMode(_ on: Bool) throws(GraphError) {
    guard !owner.setManualRendering(on) else { return }
    throw .refused(reason: "manual rendering cannot be switched while a session exists; unregister its media first")
  }

  /// A Boolean value indicating whether manual rendering is on.
  public var isManualRenderingMode: Bool { owner.rendersManually }

  /// Runs the cycles of the current session; nil without one, and outside manual rendering mode. The session decides whether its voice is
  /// produced (`isSending`). With `configuration.reference` `.everything` each cycle takes what the program's speaker plays; `.mix` uses
  /// the mix itself.
  public var manualRenderer: ManualRenderer? { owner.manualRenderer }
}
