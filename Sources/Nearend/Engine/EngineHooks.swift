import Glibc
import PipeWireGraph
import Synchronization

/// Calls the engine observers' hooks, one step after another. Every method is called with the owner's `lifecycle` lock held.
final class EngineHooks: Sendable {
  private struct State {
    var chain: [any AudioEngineObserver] = []
    var hasMixer = true
    var engine: AudioEngine?
    var use = EngineUse()
    /// The thread that is running a hook.
    var caller: pthread_t?
  }
  private let state = Mutex(State())

  /// The directions that observers believe to be in use.
  var use: EngineUse { state.withLock { $0.use } }

  /// Whether application audio is mixed in (S6).
  var hasMixer: Bool { state.withLock { $0.hasMixer } }

  /// Sets the chain from the next `create` on, and whether application audio is mixed in.
  /// Returns the former chain: to be released by the caller, without a lock held.
  func set(_ chain: [any AudioEngineObserver], hasMixer: Bool) -> [any AudioEngineObserver] {
    state.withLock { state in
      defer { (state.chain, state.hasMixer) = (chain, hasMixer) }
      return state.chain
    }
  }

  // MARK: Steps that may be vetoed, which then change nothing

  func create(_ engine: AudioEngine) throws(EngineVeto) {
    try propose(.didCreate, { try $0.engineDidCreate(engine) }, undo: { $0.engineWillRelease(engine) })
    state.withLock { $0.engine = engine }
  }

  func enable(_ new: EngineUse) throws(EngineVeto) {
    guard let engine = state.withLock({ $0.engine }), new != use else { return }
    let old = use
    let (addsInput, addsOutput) = (new.isRecordingEnabled && !old.isRecordingEnabled, new.isPlayoutEnabled && !old.isPlayoutEnabled)
    guard addsInput || addsOutput else { return disable(to: new) }
    try propose(.willEnable, { try $0.engineWillEnable(engine, use: new) }, undo: { $0.engineDidDisable(engine, use: old) })
    do throws(EngineVeto) {
      if addsInput { try propose(.willConnectInput, { try $0.engineWillConnectInput(engine) }, undo: { _ in }) }
      if addsOutput { try propose(.willConnectOutput, { try $0.engineWillConnectOutput(engine) }, undo: { _ in }) }
    } catch {
      notify { $0.engineDidDisable(engine, use: old) }
      throw error
    }
    state.withLock { $0.use = new }
  }

  func start() throws(EngineVeto) {
    guard let engine = state.withLock({ $0.engine }) else { return }
    let use = use
    try propose(.willStart, { try $0.engineWillStart(engine, use: use) }, undo: { $0.engineDidStop(engine, use: use) })
  }

  // MARK: Steps that have happened

  func stopped() {
    guard let engine = state.withLock({ $0.engine }) else { return }
    let use = use
    notify { $0.engineDidStop(engine, use: use) }
  }

  /// Disables only what observers know to be enabled; never enables.
  func disable(to left: EngineUse) {
    let old = use
    let new = EngineUse(
      isPlayoutEnabled: old.isPlayoutEnabled && left.isPlayoutEnabled, isRecordingEnabled: old.isRecordingEnabled && left.isRecordingEnabled
    )
    guard let engine = state.withLock({ $0.engine }), new != old else { return }
    state.withLock { $0.use = new }
    notify { $0.engineDidDisable(engine, use: new) }
  }

  func release() {
    disable(to: EngineUse())
    guard let engine = state.withLock({ $0.engine }) else { return }
    notify { $0.engineWillRelease(engine) }
    state.withLock { $0.engine = nil }
  }

  // MARK: The chain

  private var chain: [any AudioEngineObserver] { state.withLock { $0.chain } }

  /// Whether this thread is inside a hook, and so holds the `lifecycle` lock.
  var isCalling: Bool { state.withLock { $0.caller } == pthread_self() }

  private func mark(_ caller: pthread_t?) { state.withLock { $0.caller = caller } }

  private func notify(_ body: (any AudioEngineObserver) -> Void) {
    mark(pthread_self())
    defer { mark(nil) }
    for observer in chain { body(observer) }
  }

  /// Asks each observer; if one refuses, those that had agreed are called for the opposite step, the last first.
  private func propose(
    _ hook: EngineVeto.Hook, _ body: (any AudioEngineObserver) throws -> Void, undo: (any AudioEngineObserver) -> Void
  ) throws(EngineVeto) {
    mark(pthread_self())
    defer { mark(nil) }
    var agreed: [any AudioEngineObserver] = []
    for observer in chain {
      do {
        try body(observer)
      } catch {
        for observer in agreed.reversed() { undo(observer) }
        throw EngineVeto(hook: hook, error: error)
      }
      agreed.append(observer)
    }
  }
}
