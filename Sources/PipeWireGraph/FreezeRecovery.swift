import PipeWireClient
import RealtimeCore

/// Notices that the graph is frozen, and has the filter made anew, as often as makes sense, once the daemon answers (I5). [control]
final class FreezeRecovery {
  /// What it asks, and what it has done.
  struct Hooks {
    var connection: () -> Connection?
    var froze: () -> Void
    /// Makes the filter anew; nothing else may have changed.
    var rebuild: () -> Void
    /// Cycles come again, or nothing should run any more.
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
  /// Whether the session demands sound.
  private var isDemanded = false

  private static let interval = 0.1

  init(loop: ThreadLoop, core: AudioCore, hooks: Hooks) {
    self.core = core
    self.hooks = hooks
    timer = LoopTimer(loop: loop) { [unowned self] in look(isDemanded: isDemanded, isStarted: false) }
  }

  /// Looks no more until it is used again.
  func pause() { timer.pause() }

  func cancel() { timer.cancel() }

  /// Ten times a second while the daemon has the filter started.
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

  /// The session wants the filter made anew.
  func ask() { isAsked = true }

  /// The session demands sound, or no longer does.
  func use(isDemanded: Bool) {
    self.isDemanded = isDemanded
    if hasRebuilt { endIfPointless() }
  }

  /// The daemon has stopped the filter: no cycle is due.
  func rest() { watch.rest() }

  /// The daemon went away, which is more than being frozen.
  func lost() {
    let wasFrozen = watch.isFrozen
    watch.reset()
    if wasFrozen { end() }
    isWaiting = false
  }

  /// A daemon that does not answer can make nothing: it is asked first, and what has begun to run meanwhile is left alone.
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

  /// Where nothing is demanded, nothing will run that could show whether it helped.
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
