import PipeWireGraph
import RealtimeCore
import SessionModel

/// Takes part in the life of the engine: observes each step, may refuse some, and may put stages of its own into the chains (S6).
///
///     didCreate ─▶ willEnable ─▶ willConnectInput, willConnectOutput ─▶ willStart ─▶ … ─▶ didStop ─▶ didDisable ─▶ willRelease
///
/// Hooks are called one after another, in the order of the chain, inside the call that causes the step: never on the audio thread, and with
/// the lock for starting and stopping held. A hook must not register or unregister media, prepare recording, or shut the session down. A
/// throwing hook vetoes the step: the registration throws `GraphError.vetoed` with the hook's own error, observers that had agreed are
/// called for the opposite step, and nothing has changed.
///
/// Hooks concern media that a program registers; applications that use nearend's devices come and go without them.
public protocol AudioEngineObserver: Sendable {
  /// The engine exists, without a node in the graph: before the first registration takes effect.
  func engineDidCreate(_ engine: AudioEngine) throws
  /// A direction is about to be used for the first time.
  func engineWillEnable(_ engine: AudioEngine, use: EngineUse) throws
  /// The microphone's side is about to be connected: the moment to put a stage into `captureStages`.
  func engineWillConnectInput(_ engine: AudioEngine) throws
  /// The speaker's side is about to be connected: the moment to put a stage into `renderStages`.
  func engineWillConnectOutput(_ engine: AudioEngine) throws
  /// The engine is about to join the graph.
  func engineWillStart(_ engine: AudioEngine, use: EngineUse) throws
  /// The engine has left the graph.
  func engineDidStop(_ engine: AudioEngine, use: EngineUse)
  /// A direction is no longer used.
  func engineDidDisable(_ engine: AudioEngine, use: EngineUse)
  /// The engine is about to be released, together with its stages.
  func engineWillRelease(_ engine: AudioEngine)
}

/// Defaults: each hook does nothing and refuses nothing, so that an observer implements only those that it needs.
extension AudioEngineObserver {
  public func engineDidCreate(_ engine: AudioEngine) throws {}
  public func engineWillEnable(_ engine: AudioEngine, use: EngineUse) throws {}
  public func engineWillConnectInput(_ engine: AudioEngine) throws {}
  public func engineWillConnectOutput(_ engine: AudioEngine) throws {}
  public func engineWillStart(_ engine: AudioEngine, use: EngineUse) throws {}
  public func engineDidStop(_ engine: AudioEngine, use: EngineUse) {}
  public func engineDidDisable(_ engine: AudioEngine, use: EngineUse) {}
  public func engineWillRelease(_ engine: AudioEngine) {}
}

/// The directions that a program's media use. [any]
public struct EngineUse: Sendable, Equatable {
  /// A Boolean value indicating whether any media receives.
  public var isPlayoutEnabled: Bool
  /// A Boolean value indicating whether any media sends, or recording is prepared.
  public var isRecordingEnabled: Bool

  /// Creates a use of neither direction, or of those that are given.
  public init(isPlayoutEnabled: Bool = false, isRecordingEnabled: Bool = false) {
    self.isPlayoutEnabled = isPlayoutEnabled
    self.isRecordingEnabled = isRecordingEnabled
  }

  /// The use by a program's media, and by prepared recording (S8); applications' media does not count.
  init(_ session: SessionState) {
    let own = session.media.filter { $0.owner == .program }
    self.init(
      isPlayoutEnabled: own.contains(where: \.isReceive),
      isRecordingEnabled: session.settings.isRecordingAlwaysPrepared || own.contains(where: \.isSend))
  }
}

/// A session's audio processing, as its observers see it: one per session, from the first registration to the last unregistration. [any]
public struct AudioEngine: Sendable {
  /// Stages on the voice, after voice processing and before mute. They run while bypassed, too, and only while the voice has a consumer.
  /// They get its right side only while it has two channels, which somebody has asked for.
  public let captureStages: StageChain
  /// Stages on the mix of everything that nearend plays, before its volume and the limiter.
  public let renderStages: StageChain

  /// LADSPA plug-ins among these stages; they are loaded into this process untried.
  public let plugIns: PlugInRack

  /// The engine of a service that runs without an owner.
  package init(of service: NearendService) { self.init(service.core) }

  /// An engine in another process: its stages are never run.
  static var elsewhere: AudioEngine { AudioEngine(captureStages: StageChain(), renderStages: StageChain()) }

  private init(captureStages: StageChain, renderStages: StageChain) {
    (self.captureStages, self.renderStages) = (captureStages, renderStages)
    plugIns = PlugInRack(capture: captureStages, render: renderStages)
  }

  init(_ core: AudioCore) {
    captureStages = core.captureStages
    renderStages = core.mixer.stages
    plugIns = core.plugIns
  }
}
