import Foundation
import PipeWireGraph
import SessionModel
import Synchronization

/// Tells programs what happens inside: observers, the control socket, telemetry, the log's outlets, keepers of preferences. [any]
///
/// Whatever happens is news, told once, to everyone who has subscribed. What is asked and answered is no news: a request is a function
/// that returns, or a handler that is called once.
package final class EventBus: Sendable {
  /// What a subscriber is told.
  package enum News: Sendable {
    /// An event for programs, operators or telemetry.
    case event(AudioEvent)
    /// A line of the log, which `EventLog` keeps.
    case log(LogEntry)
    /// What happened to the participant of that id.
    case participant(String, ParticipantChange)
    /// What the service was started for can never be done: it is to be stopped, by another thread.
    case failed(GraphError)
  }
  package typealias Receive = @Sendable (News) -> Void

  private struct Subscriber {
    let id: Int
    let receive: Receive
  }
  private struct State {
    var nextId = 1
    /// In the order in which they subscribed.
    var subscribers: [Subscriber] = []
    var sourceHadAudio = false
  }
  private let state: Mutex<State>

  /// - Parameter receive: subscribed first, for as long as the bus exists.
  package init(_ receive: Receive? = nil) {
    state = Mutex(State(subscribers: receive.map { [Subscriber(id: 0, receive: $0)] } ?? []))
  }

  /// A subscription. Ends with the last reference to it, or when cancelled. [any]
  package final class Subscription: Sendable {
    private let bus: EventBus
    private let id: Int

    fileprivate init(bus: EventBus, id: Int) {
      self.bus = bus
      self.id = id
    }

    deinit { cancel() }

    /// Stops the delivery of later news, without waiting for one under way. [any]
    package func cancel() {
      // Released outside the lock: its deinitializer may post.
      let subscriber = bus.state.withLock { state in
        state.subscribers.firstIndex { $0.id == id }.map { state.subscribers.remove(at: $0) }
      }
      withExtendedLifetime(subscriber) {}
    }
  }

  /// Subscribes. `receive` is called on whatever thread the news come from, which may hold locks, and must not block or take long. It may
  /// subscribe, cancel, and post: what it posts is told at once, before those who come after it hear what it was told itself. [any]
  package func subscribe(_ receive: @escaping Receive) -> Subscription {
    state.withLock { state in
      defer { state.nextId += 1 }
      state.subscribers.append(Subscriber(id: state.nextId, receive: receive))
      return Subscription(bus: self, id: state.nextId)
    }
  }

  /// Tells every subscriber, and returns once each has received it: a thread's news arrive in its order. [any], never the audio thread.
  func post(_ news: News) {
    let subscribers = state.withLock { $0.subscribers }
    for subscriber in subscribers { subscriber.receive(news) }
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
    event.detail["sourceHadAudio"] = .bool(hadAudio ?? sourceHadAudio)
    post(.event(event))
  }

  /// Whether the registered source has had audio other than silence; part of every event (T4). [any]
  package var sourceHadAudio: Bool {
    get { state.withLock { $0.sourceHadAudio } }
    set { state.withLock { $0.sourceHadAudio = newValue } }
  }
}
