import SessionModel
import Synchronization

/// Counts posted events. [any]
final class EventTally: Sendable {
  private struct State {
    var counts = EventCounts()
    var subscription: EventBus.Subscription?
  }
  private let state = Mutex(State())

  /// Subscribes; call it once, before the first event.
  func listen(to bus: EventBus) {
    let subscription = bus.subscribe { [weak self] news in
      if case .event(let event) = news { self?.state.withLock { $0.counts.count(event) } }
    }
    state.withLock { $0.subscription = subscription }
  }

  var counts: EventCounts { state.withLock { $0.counts } }
}
