import Border
import Foundation
import SessionModel
import Synchronization

/// The last remarks for people, oldest first. [any]
public final class EventLog: Sendable {
  /// Entries kept; older ones go.
  public static let capacity = 500

  private let entries = Mutex<[LogEntry]>([])
  private let echo: (@Sendable (LogEntry) -> Void)?

  /// - Parameter echo: called with each entry as it comes, on the thread that brings it.
  public init(echo: (@Sendable (LogEntry) -> Void)? = nil) { self.echo = echo }

  /// Names and reasons in a message are others': what is kept, and shown, is one printable line.
  public func add(_ level: LogEntry.Level, _ message: String) {
    let entry = LogEntry(
      time: Date().timeIntervalSince1970, level: level, message: message.printable(atMost: String.longestRemark))
    entries.withLock {
      $0.append(entry)
      if $0.count > Self.capacity { $0.removeFirst($0.count - Self.capacity) }
    }
    echo?(entry)
  }

  public var all: [LogEntry] { entries.withLock { $0 } }
}
