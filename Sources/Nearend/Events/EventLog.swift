import Border
import Foundation
import SessionModel
import Synchronization

/// The most recent log entries for people, oldest first; the bus tells each. [any]
package final class EventLog: Sendable {
  /// Number of entries that are kept.
  package static let capacity = 500

  private let entries = Mutex<[LogEntry]>([])
  private let bus: EventBus

  package init(_ bus: EventBus) { self.bus = bus }

  /// Adds an entry. Messages contain foreign names and reasons, so they are reduced to one printable line.
  package func add(_ level: LogEntry.Level, _ message: String) {
    let entry = LogEntry(
      time: Date().timeIntervalSince1970, level: level, message: message.printable(atMost: String.longestRemark))
    entries.withLock {
      $0.append(entry)
      if $0.count > Self.capacity { $0.removeFirst($0.count - Self.capacity) }
    }
    bus.post(.log(entry))
  }

  package var all: [LogEntry] { entries.withLock { $0 } }
}
