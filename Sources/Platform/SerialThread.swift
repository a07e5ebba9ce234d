import Dispatch
import Synchronization

/// Runs closures one after another, on a thread of its own that is there from the beginning. Adding one never waits, where a dispatch queue
/// waits as long as the system has no thread to spare. [any]
package final class SerialThread: Sendable {
  private final class Work: Sendable {
    struct State {
      var bodies: [@Sendable () -> Void] = []
      var hasThread = false
      var hasEnded = false
    }
    let state = Mutex(State())
    let changes = DispatchSemaphore(value: 0)

    func add(_ body: @escaping @Sendable () -> Void) {
      state.withLock { $0.bodies.append(body) }
      changes.signal()
    }

    /// Runs what waits, and what comes until the end.
    func run() {
      state.withLock { $0.hasThread = true }
      while true {
        let (body, hasEnded) = state.withLock { state in (state.bodies.isEmpty ? nil : state.bodies.removeFirst(), state.hasEnded) }
        if let body { body() } else if hasEnded { return } else { changes.wait() }
      }
    }

    /// Runs what waits, as long as there is no thread for it.
    func runThreadless() {
      while let body = state.withLock({ $0.hasThread || $0.bodies.isEmpty ? nil : $0.bodies.removeFirst() }) { body() }
    }
  }
  private let work = Work()

  private static let stackSize = 512 << 10

  /// - Parameter name: the name that tools show, at most 15 bytes.
  package init(name: String) {
    do throws(SystemError) {
      try startThreadNow(name: name, stackSize: Self.stackSize) { [work] in work.run() }
      work.state.withLock { $0.hasThread = true }
    } catch {
      startThread(name: name, stackSize: Self.stackSize) { [work] in work.run() }
    }
  }

  /// What waits is still run.
  deinit {
    work.state.withLock { $0.hasEnded = true }
    work.changes.signal()
  }

  /// Adds a closure, without waiting.
  package func async(_ body: @escaping @Sendable () -> Void) { work.add(body) }

  /// Waits until everything added so far has run, at most `timeout` seconds if given; runs it itself where the system had no thread for it.
  /// Not from one of the closures.
  package func flush(timeout: Double? = nil) {
    let done = DispatchSemaphore(value: 0)
    work.add { done.signal() }
    work.runThreadless()
    _ = done.wait(timeout: timeout.map { .now() + $0 } ?? .distantFuture)
  }
}
