import SessionModel
import Synchronization

extension AudioSession {
  /// The events of a session from the sequence's making on. [any]
  ///
  /// It holds 256 events that nobody has taken; then the oldest are lost, and the next one that is taken says how many. It ends with the
  /// task that awaits it, never by itself: events go on with the next session. Several tasks share its events.
  public struct Events: AsyncSequence, Sendable {
    public typealias Element = Event
    public typealias Failure = Never

    /// How many events wait at most.
    public static let capacity = 256

    private let events: AsyncStream<AudioEvent>
    private let lost = LostEvents()

    init(_ bus: EventBus) {
      let lost = lost
      events = AsyncStream(bufferingPolicy: .bufferingNewest(Self.capacity)) { continuation in
        let subscription = bus.subscribe { if case .dropped = continuation.yield($0) { lost.add() } }
        continuation.onTermination = { _ in subscription.cancel() }
      }
    }

    /// Makes an iterator over the events that nobody has taken yet: several share them, each event goes to one.
    public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator(), lost: lost) }

    /// Takes events out of the sequence, one task at a time.
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

/// Counts what a slow consumer has lost.
private final class LostEvents: Sendable {
  private let count = Atomic(0)

  func add() { count.add(1, ordering: .relaxed) }
  func take() -> Int { count.exchange(0, ordering: .relaxed) }
}
