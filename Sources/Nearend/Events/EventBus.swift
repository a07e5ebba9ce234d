import Foundation
import SessionModel
import Synchronization

/// Delivers each event to its subscribers: observers, the control socket, telemetry. [any]
package final class EventBus: Sendable {
  private struct State {
    var nextId = 0
    var subscribers: [Int: @Sendable (AudioEvent) -> Void] = [:]
    var sourceHadAudio = false
  }
  private let state = Mutex(State())

  package init() {}

  /// A subscription. Ends with the last reference to it, or when cancelled. [any]
  package final class Subscription: Sendable {
    private let bus: EventBus
    private let id: Int

    fileprivate init(bus: EventBus, id: Int) {
      self.bus = bus
      self.id = id
    }

    deinit { cancel() }

    /// Stops the delivery of later events. [any]
    package func cancel() {
      // Released outside the lock: its deinitializer may post.
      let subscriber = bus.state.withLock { $0.subscribers.removeValue(forKey: id) }
      withExtendedLifetime(subscriber) {}
    }
  }

  /// Subscribes. `receive` is called on whatever thread an event comes from, and must not block or take long. [any]
  package func subscribe(_ receive: @escaping @Sendable (AudioEvent) -> Void) -> Subscription {
    state.withLock { state in
      state.nextId += 1
      state.subscribers[state.nextId] = receive
      return Subscription(bus: self, id: state.nextId)
    }
  }

  /// Posts an event. [any], never the audio thread.
  /// - Parameter hadAudio: the event's `sourceHadAudio`; nil for that of the registered source.
  package func post(
    _ kind: AudioEvent.Kind, mediaId: String? = nil, detail: [String: EventValue] = [:], route: RouteChange? = nil, hadAudio: Bool? = nil
  ) {
    forward(AudioEvent(kind, time: Date().timeIntervalSince1970, mediaId: mediaId, detail: detail, routeChange: route), hadAudio: hadAudio)
  }

  /// Posts an event unchanged, such as one that another nearend has posted. [any]
  func forward(_ event: AudioEvent, hadAudio: Bool? = nil) {
    var event = event
    let subscribers = state.withLock { state in
      event.detail["sourceHadAudio"] = .bool(hadAudio ?? state.sourceHadAudio)
      return Array(state.subscribers.values)
    }
    for receive in subscribers { receive(event) }
  }

  /// Whether the registered source has had audio other than silence; part of every event (T4). [any]
  package var sourceHadAudio: Bool {
    get { state.withLock { $0.sourceHadAudio } }
    set { state.withLock { $0.sourceHadAudio = newValue } }
  }
}
