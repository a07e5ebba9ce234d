import Glibc
import Platform
import SessionModel

/// Delivers log entries to a program on a thread of its own: they come from threads, and with locks held, that must not wait for a program.
/// Where the program takes none, warnings and errors go to standard error. [any]
final class LogOutlet: Sendable {
  typealias Receive = @Sendable (LogEntry) -> Void
  private let receive = Callback<Receive>()
  private let otherwise: Receive
  private let thread = SerialThread(name: "nearend.log")

  /// - Parameter otherwise: called with the warnings and errors that no program takes.
  init(otherwise: @escaping Receive = LogOutlet.writeToStandardError) { self.otherwise = otherwise }

  func set(_ receive: Receive?) { self.receive.set(receive) }

  func tell(_ entry: LogEntry) {
    let receive = receive.current
    guard receive != nil || entry.level != .info else { return }
    thread.async { [otherwise] in (receive ?? otherwise)(entry) }
  }

  static let writeToStandardError: Receive = { entry in
    let line = "nearend: \(entry.level.rawValue): \(entry.message)\n"
    _ = Array(line.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
