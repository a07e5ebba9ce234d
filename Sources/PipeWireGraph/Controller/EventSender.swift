/// Passes events on to a receiver that may not be fully initialised yet, or may be gone: events before it is connected and after it is gone
/// are dropped. [control]
final class EventSender<Event> {
  private var receive: (Event) -> Void = { _ in }

  /// Passes events to `handle` of `receiver`, for as long as the receiver exists.
  func connect<Receiver: AnyObject>(to receiver: Receiver, _ handle: @escaping (Receiver, Event) -> Void) {
    receive = { [weak receiver] event in if let receiver { handle(receiver, event) } }
  }

  func send(_ event: Event) { receive(event) }
}
