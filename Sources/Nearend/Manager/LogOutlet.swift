import Dispatch
import SessionModel

/// Brings remarks to a program's own log, on a queue of its own: they come from threads, and with locks held, that a program must not wait
/// on. [any]
final class LogOutlet: Sendable {
  private let receive = Callback<@Sendable (LogEntry) -> Void>()
  private let queue = DispatchQueue(label: "nearend.log")

  func set(_ receive: (@Sendable (LogEntry) -> Void)?) { self.receive.set(receive) }

  func tell(_ entry: LogEntry) {
    guard let receive = receive.current else { return }
    queue.async { receive(entry) }
  }
}
