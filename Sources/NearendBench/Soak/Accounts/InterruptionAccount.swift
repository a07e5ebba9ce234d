import Nearend
import SessionModel
import Synchronization

/// Counts interruptions by their events: each that began must end, and none twice.
final class InterruptionAccount: Sendable {
  private struct State {
    /// By reason, the interruptions in progress.
    var open: [String: Int] = [:]
    var counts: [String: Int] = [:]
    var problems: [String] = []
  }
  private let state = Mutex(State())
  private let subscription = Mutex<EventBus.Subscription?>(nil)

  init(_ service: NearendService) {
    let subscription = service.events.subscribe { [weak self] in if case .event(let event) = $0 { self?.note(event) } }
    self.subscription.withLock { $0 = subscription }
  }

  /// The number of interruptions by reason.
  var counts: [String: Int] { state.withLock { $0.counts } }

  /// Errors, and interruptions in progress although there should be none.
  var problems: [String] {
    state.withLock { state in
      state.problems + state.open.filter { $0.value != 0 }.keys.sorted().map { "the interruption '\($0)' never ended" }
    }
  }

  private func note(_ event: AudioEvent) {
    guard event.kind == .interruptionBegan || event.kind == .interruptionEnded else { return }
    guard case .string(let reason)? = event.detail["reason"] else { return }
    state.withLock { state in
      let change = event.kind == .interruptionBegan ? 1 : -1
      state.open[reason, default: 0] += change
      if change > 0 { state.counts[reason, default: 0] += 1 }
      if !(0...1).contains(state.open[reason, default: 0]) { state.problems.append("'\(event.kind)' for '\(reason)' came once too often") }
    }
  }
}
