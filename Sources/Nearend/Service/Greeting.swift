import Synchronization

/// The log's first line, with the version: logged once, and not if nearend is refused its place in the graph. [any]
final class Greeting: Sendable {
  private let log: EventLog
  private let isPosted = Mutex(false)

  init(_ log: EventLog) { self.log = log }

  /// Logs the line; called before the graph's first remark, which may come while it is being joined.
  func post() {
    let isFirst = isPosted.withLock { isPosted in
      defer { isPosted = true }
      return !isPosted
    }
    if isFirst { log.add(.info, "nearend \(nearendVersion)") }
  }
}
