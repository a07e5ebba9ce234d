import SessionModel
import Synchronization

extension AudioSession {
  /// The events of a session from the creation of the sequence on. [any]
  ///
  /// It buffers 256 events; then the oldest are dropped, and the next one received says how many. It ends when the task that awaits it is
  /// cancelled, never by itself: events continue with the next session. Several tasks share its events.
  public struct Events: AsyncSequence, Sendable {
    public typealias Element = Event
    public typealias Failure = Never

    /// The maximum number of buffered events.
    public static let capacity = 256

    private let events: AsyncStream<AudioEvent>
    private let lost = LostEvents()

    init(_ bus: EventBus) {
      let lost = lost
      events = AsyncStream(bufferingPolicy: .bufferingNewest(Self.capacity)) { continuation in
        let subscription = bus.subscribe { if case .event(let event) = $0, case .dropped = continuation.yield(event) { lost.add() } }
        continuation.onTermination = { _ in subscription.cancel() }
      }
    }

    /// Returns an iterator over the events not consumed yet: several iterators share them, each event goes to one.
    public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator(), lost: lost) }

    /// Consumes events, one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var events: AsyncStream<AudioEvent>.Iterator
      fileprivate let lost: LostEvents

      /// Returns the next event; nil once the task is cancelled.
      public mutating func next() async -> Event? {
        guard let event = await events.next() else { return nil }
        return Event(event, missed: lost.take())
      }
    }
  }
}

/// Counts the events that a slow consumer has lost.
private final class LostEvents: Sendable {
  private let count = Atomic(0)

  func add() { count.add(1, ordering: .relaxed) }
  func take() -> Int { count.exchange(0, ordering: .relaxed) }
}
