import PipeWireClient
import RealtimeCore

/// Detects that the graph is frozen, and has the filter rebuilt, with exponential backoff, once the daemon answers (I5). [control]
final class FreezeRecovery {
  /// Callbacks to the owner.
  struct Hooks {
    var connection: () -> Connection?
    var froze: () -> Void
    /// Rebuilds the filter; nothing else may change.
    var rebuild: () -> Void
    /// Called when cycles come again, or nothing should run any more.
    var over: () -> Void
  }
  private let core: AudioCore
  private let hooks: Hooks
  private var watch = FreezeWatch()
  private var timer: LoopTimer!
  private var isAsked = false
  private var hasAnswer = false
  private var isWaiting = false
  private var hasRebuilt = false
  /// A Boolean value indicating whether the session demands sound.
  private var isDemanded = false

  private static let interval = 0.1

  init(loop: ThreadLoop, core: AudioCore, hooks: Hooks) {
    self.core = core
    self.hooks = hooks
    timer = LoopTimer(loop: loop) { [unowned self] in look(isDemanded: isDemanded, isStarted: false) }
  }

  /// Stops checking until it is used again.
  func pause() { timer.pause() }

  func cancel() { timer.cancel() }

  /// Checks the cycles; call it ten times a second while the daemon has the filter started.
  func look(isDemanded: Bool, isStarted: Bool) {
    self.isDemanded = isDemanded
    let meters = core.cycleMeters
    let length = meters.rate > 0 ? Double(meters.quantum) / Double(meters.rate) : 0
    switch watch.look(cycles: meters.cycles, shouldRun: isDemanded && isStarted, cycleLength: length, at: monotonicSeconds()) {
    case .frozen:
      timer.schedule(after: Self.interval, every: Self.interval)
      hooks.froze()
    case .rebuild: tryRebuild()
    case .thawed: end()
    case nil: break
    }
  }

  /// Requests a rebuild on the session's behalf.
  func ask() { isAsked = true }

  /// Takes whether the session demands sound.
  func use(isDemanded: Bool) {
    self.isDemanded = isDemanded
    if hasRebuilt { endIfPointless() }
  }

  /// Reports that the daemon has stopped the filter: no cycle is due.
  func rest() { watch.rest() }

  /// Reports that the daemon went away, which supersedes a freeze.
  func lost() {
    let wasFrozen = watch.isFrozen
    watch.reset()
    if wasFrozen { end() }
    isWaiting = false
  }

  /// Pings the daemon first, because one that does not answer cannot make anything, and leaves alone what runs again meanwhile.
  private func tryRebuild() {
    guard isAsked else { return endIfPointless() }
    guard let connection = hooks.connection() else { return }
    guard hasAnswer else {
      guard !isWaiting else { return }
      isWaiting = true
      return connection.ping { [weak self] in
        self?.isWaiting = false
        self?.hasAnswer = true
      }
    }
    hasAnswer = false
    hooks.rebuild()
    watch.rebuilt(at: monotonicSeconds())
    hasRebuilt = true
    endIfPointless()
  }

  /// Ends the freeze if nothing is demanded: nothing would run to show whether a rebuild helped.
  private func endIfPointless() {
    guard watch.isFrozen, !isDemanded else { return }
    watch.reset()
    end()
  }

  private func end() {
    timer.pause()
    isAsked = false
    hasAnswer = false
    hasRebuilt = false
    hooks.over()
  }
}
