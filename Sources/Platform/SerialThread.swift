import Dispatch
import Synchronization

/// Runs closures one after another, on a thread of its own that is there from the beginning. Adding one never waits, where a dispatch queue
/// waits as long as the system has no thread to spare. [any]
package final class SerialThread: Sendable {
  private final class Work: Sendable {
    struct State {
      var bodies: [@Sendable () -> Void] = []
      /// Closures that are not due yet, the earliest first; times are CLOCK_MONOTONIC in s.
      var later: [(due: Double, body: @Sendable () -> Void)] = []
      var hasThread = false
      var hasEnded = false

      /// The next closure that is due; nil for none.
      mutating func next() -> (@Sendable () -> Void)? {
        if !later.isEmpty {
          let now = monotonicSeconds()
          while let first = later.first, first.due <= now {
            bodies.append(first.body)
            later.removeFirst()
          }
        }
        return bodies.isEmpty ? nil : bodies.removeFirst()
      }
    }
    let state = Mutex(State())
    let changes = DispatchSemaphore(value: 0)
    /// Held while a closure runs.
    let turn = Lock()

    func add(_ body: @escaping @Sendable () -> Void, after seconds: Double? = nil) {
      let due = seconds.map { monotonicSeconds() + $0 }
      state.withLock { state in
        guard let due else { return state.bodies.append(body) }
        state.later.insert((due, body), at: state.later.firstIndex { $0.due > due } ?? state.later.count)
      }
      changes.signal()
    }

    /// Runs what waits, and what comes until the end.
    func run() {
      state.withLock { $0.hasThread = true }
      while true {
        if runNext() { continue }
        let (due, hasEnded) = state.withLock { ($0.later.first?.due, $0.hasEnded && $0.bodies.isEmpty) }
        if hasEnded { return }
        _ = changes.wait(timeout: due.map { .now() + max($0 - monotonicSeconds(), 0) } ?? .distantFuture)
      }
    }

    /// Returns whether there was one to run.
    func runNext() -> Bool {
      turn.withLock {
        guard let body = state.withLock({ $0.next() }) else { return false }
        body()
        return true
      }
    }

    /// Runs what waits, as long as there is no thread for it.
    func runThreadless() { while !state.withLock({ $0.hasThread }), runNext() {} }
  }
  private let work = Work()

  private static let stackSize = 512 << 10

  /// - Parameters:
  ///   - name: the name that tools show, at most 15 bytes.
  ///   - callsOthers: whether closures call code of programs or plug-ins, which may rely on the process's own, larger stack.
  package init(name: String, callsOthers: Bool = false) {
    let isThere = startThread(name: name, stackSize: callsOthers ? nil : Self.stackSize) { [work] in work.run() }
    if isThere { work.state.withLock { $0.hasThread = true } }
  }

  /// What waits and is due is still run.
  deinit {
    work.state.withLock { $0.hasEnded = true }
    work.changes.signal()
  }

  /// Adds a closure, without waiting.
  package func async(_ body: @escaping @Sendable () -> Void) { work.add(body) }

  /// Adds a closure that is run in `seconds`, without waiting.
  package func async(after seconds: Double, _ body: @escaping @Sendable () -> Void) { work.add(body, after: seconds) }

  /// Runs a closure on the calling thread, after everything added so far; needs no other thread. Not from one of the closures.
  package func sync<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    try work.turn.withLock { () throws(Failure) in
      while let earlier = work.state.withLock({ $0.next() }) { earlier() }
      return try body()
    }
  }

  /// Waits until everything added so far has run, at most `timeout` seconds if given; runs it itself where the system had no thread for it.
  /// Not from one of the closures.
  package func flush(timeout: Double? = nil) {
    let done = DispatchSemaphore(value: 0)
    async { done.signal() }
    work.runThreadless()
    _ = done.wait(timeout: timeout.map { .now() + $0 } ?? .distantFuture)
  }
}
