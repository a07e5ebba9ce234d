import PipeWireClient
import Platform
import RealtimeCore

/// Detects that the graph is frozen, and requests rebuilds of the filter, with exponential backoff, once the daemon answers (I5). [control]
final class FreezeRecovery {
  /// The daemon to ping before a rebuild; nil if there is none, or if it has gone.
  weak var connection: Connection?

  private let core: AudioCore
  private let events: EventSender<ControllerEvent>
  private let timer: LoopTimer
  private var watch = FreezeWatch()
  private var isRequested = false
  private var hasAnswer = false
  private var isWaiting = false
  private var hasRebuilt = false
  /// Whether the session demands sound.
  private var isDemanded = false

  private static let interval = 0.1

  init(loop: ThreadLoop, core: AudioCore, events: EventSender<ControllerEvent>) {
    self.core = core
    self.events = events
    timer = LoopTimer(loop: loop)
    timer.connect(to: self) { $0.poll(isStarted: false) }
  }

  /// Stops checking until it is used again.
  func pause() { timer.pause() }

  func cancel() { timer.cancel() }

  /// Checks the cycles; call this five times a second while the daemon has the filter started.
  func poll(isStarted: Bool) {
    let meters = core.cycleMeters
    switch watch.update(
      cycles: meters.cycles, shouldRun: isDemanded && isStarted, cycleLength: meters.cycleLength, at: monotonicSeconds())
    {
    case .frozen:
      timer.schedule(after: Self.interval, every: Self.interval)
      events.send(.froze)
    case .rebuild: tryRebuild()
    case .thawed: end()
    case nil: break
    }
  }

  /// Requests a rebuild on the session's behalf.
  func requestRebuild() { isRequested = true }

  /// Updates with whether the session demands sound.
  func update(isDemanded: Bool) {
    self.isDemanded = isDemanded
    if hasRebuilt { endUnlessDemanded() }
  }

  /// Reports that the daemon has stopped the filter: no cycle is due.
  func noCycleDue() { watch.noCycleDue() }

  /// Reports that the daemon went away, which supersedes a freeze.
  func lost() {
    connection = nil
    let wasFrozen = watch.isFrozen
    watch.reset()
    if wasFrozen { end() }
    isWaiting = false
  }

  /// Pings the daemon first, because a daemon that does not answer cannot make anything, and does nothing if cycles run again meanwhile.
  private func tryRebuild() {
    guard isRequested else { return endUnlessDemanded() }
    guard let connection else { return }
    guard hasAnswer else {
      guard !isWaiting else { return }
      isWaiting = true
      return connection.ping { [weak self] in
        self?.isWaiting = false
        self?.hasAnswer = true
      }
    }
    hasAnswer = false
    events.send(.rebuild)
    watch.rebuilt(at: monotonicSeconds())
    hasRebuilt = true
    endUnlessDemanded()
  }

  /// Ends the freeze if nothing is demanded: nothing would run to show whether a rebuild helped.
  private func endUnlessDemanded() {
    guard watch.isFrozen, !isDemanded else { return }
    watch.reset()
    end()
  }

  private func end() {
    timer.pause()
    isRequested = false
    hasAnswer = false
    hasRebuilt = false
    events.send(.thawed)
  }
}

extension CycleMeters {
  /// Seconds from one cycle to the next; 0 before the first.
  var cycleLength: Double { rate > 0 ? Double(quantum) / Double(rate) : 0 }
}
