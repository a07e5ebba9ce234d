import PipeWireGraph
import RealtimeCore
import SessionModel

/// Takes part in the life of the engine: hears of each step, may refuse one, and may put stages of its own into the chains (S6). LiveKit:
/// `AudioEngineObserver`.
///
///     didCreate ─▶ willEnable ─▶ willConnectInput, willConnectOutput ─▶ willStart ─▶ … ─▶ didStop ─▶ didDisable ─▶ willRelease
///
/// Hooks are called one after another, in the order of the chain, inside the call that causes the step: never on the audio thread, and with a lock held
/// that starting and stopping take. A hook must not register or unregister media, prepare recording, nor shut the manager down. Those that throw veto the step: the registration
/// throws `GraphError.vetoed` with the hook's own error in it, observers that had agreed hear the opposite step, and nothing has changed.
///
/// Hooks are about media that a program registers; applications that use nearend's devices come and go without them.
public protocol AudioEngineObserver: Sendable {
  /// The engine is there, and no node in the graph yet: before the first registration takes effect.
  func engineDidCreate(_ engine: AudioEngine) throws
  /// A direction is to be used that was not.
  func engineWillEnable(_ engine: AudioEngine, use: EngineUse) throws
  /// The microphone's side is to be connected: the moment to put a stage into `captureStages`.
  func engineWillConnectInput(_ engine: AudioEngine) throws
  /// The speaker's side is to be connected: the moment to put a stage into `renderStages`.
  func engineWillConnectOutput(_ engine: AudioEngine) throws
  /// It is to join the graph.
  func engineWillStart(_ engine: AudioEngine, use: EngineUse) throws
  /// It has left the graph.
  func engineDidStop(_ engine: AudioEngine, use: EngineUse)
  /// A direction is no longer used.
  func engineDidDisable(_ engine: AudioEngine, use: EngineUse)
  /// It is about to go, and its stages with it.
  func engineWillRelease(_ engine: AudioEngine)
}

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

/// Which directions a program's media use. [any]
public struct EngineUse: Sendable, Equatable {
  /// Some of it receives. LiveKit: `isPlayoutEnabled`.
  public var isPlayoutEnabled: Bool
  /// Some of it sends, or recording is kept prepared. LiveKit: `isRecordingEnabled`.
  public var isRecordingEnabled: Bool

  public init(isPlayoutEnabled: Bool = false, isRecordingEnabled: Bool = false) {
    self.isPlayoutEnabled = isPlayoutEnabled
    self.isRecordingEnabled = isRecordingEnabled
  }

  /// What a program uses: its media, and recording that is always prepared (S8); applications' media is not counted.
  init(_ session: SessionState) {
    let own = session.media.filter { $0.owner == .program }
    self.init(
      isPlayoutEnabled: own.contains(where: \.isReceive),
      isRecordingEnabled: session.settings.isRecordingAlwaysPrepared || own.contains(where: \.isSend))
  }
}

/// What processes a session's audio, as its observers see it: one for each session, from the first registration to the last unregistration. [any]
public struct AudioEngine: Sendable {
  /// Stages on the voice, mono, behind voice processing and before mute; they run while bypassed, too, and only while somebody takes the voice.
  public let captureStages: StageChain
  /// Stages on the mix of everything that nearend plays, before its volume and the limiter.
  public let renderStages: StageChain

  /// Of a service that runs by itself, without a manager.
  public init(of service: NearendService) { self.init(service.core) }

  init(_ core: AudioCore) {
    captureStages = core.captureStages
    renderStages = core.mixer.stages
  }
}
