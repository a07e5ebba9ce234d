/// Passes events on to a receiver that may not be whole yet, and may be gone: until it is connected, and after its end, they are dropped.
/// [control]
final class EventSender<Event> {
  private var receive: (Event) -> Void = { _ in }

  /// Passes events to `handle` of `receiver`, for as long as that exists.
  func connect<Receiver: AnyObject>(to receiver: Receiver, _ handle: @escaping (Receiver, Event) -> Void) {
    receive = { [weak receiver] event in if let receiver { handle(receiver, event) } }
  }

  func send(_ event: Event) { receive(event) }
}
