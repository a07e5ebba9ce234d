import Dispatch
import SessionModel

/// Delivers log entries to a program on a queue of its own: they come from threads, and with locks held, that must not wait for a program.
/// [any]
final class LogOutlet: Sendable {
  private let receive = Callback<@Sendable (LogEntry) -> Void>()
  private let queue = DispatchQueue(label: "nearend.log")

  func set(_ receive: (@Sendable (LogEntry) -> Void)?) { self.receive.set(receive) }

  func tell(_ entry: LogEntry) {
    guard let receive = receive.current else { return }
    queue.async { receive(entry) }
  }
}
