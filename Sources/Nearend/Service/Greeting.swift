import RealtimeCore
import Synchronization

/// The log's first line, of which library and version this is: said once, and not by a nearend that is refused its place in the graph. [any]
final class Greeting: Sendable {
  private let log: EventLog
  private let isSaid = Mutex(false)

  init(_ log: EventLog) { self.log = log }

  /// Before the first remark of the graph, which may come while it is being joined.
  func say() {
    let isFirst = isSaid.withLock { isSaid in
      defer { isSaid = true }
      return !isSaid
    }
    if isFirst { log.add(.info, "nearend \(nearendVersion) with \(CapturePath.library)") }
  }
}
