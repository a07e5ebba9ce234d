import PipeWireClient
import RealtimeCore

/// Reports once after each recovery that sound can pass (S4): every wanted link exists and, where one is due, a cycle has run since.
/// [control]
///
/// Streams of applications alone may idle at any time; then only the links can be waited for.
final class RecoveryWatch {
  private enum Stage {
    case none
    /// Requested; the next reconciliation is the first that knows what is wanted.
    case requested
    case linked(cycles: UInt64)
  }
  private let core: AudioCore
  private let soundPasses: () -> Void
  private var stage = Stage.none
  private let timer: LoopTimer

  /// Seconds between checks of the cycles.
  private static let interval = 0.01

  init(loop: ThreadLoop, core: AudioCore, soundPasses: @escaping () -> Void) {
    self.core = core
    self.soundPasses = soundPasses
    timer = LoopTimer(loop: loop)
    timer.connect(to: self) { $0.poll() }
  }

  func request() { stage = .requested }

  /// Evaluates the result of a reconciliation.
  func reconciled(isLinked: Bool, needsCycles: Bool) {
    switch stage {
    case .none: return
    case .requested, .linked:
      guard isLinked else {
        stage = .requested
        return timer.pause()
      }
      guard needsCycles else { return finish() }
      if case .linked = stage { return }
      stage = .linked(cycles: core.cycleMeters.cycles)
      timer.schedule(after: Self.interval, every: Self.interval)
    }
  }

  private func poll() {
    if case .linked(let cycles) = stage, core.cycleMeters.cycles > cycles { finish() }
  }

  private func finish() {
    pause()
    soundPasses()
  }

  func pause() {
    stage = .none
    timer.pause()
  }

  func cancel() { timer.cancel() }
}
