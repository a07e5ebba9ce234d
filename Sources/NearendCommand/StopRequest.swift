import Dispatch
import Foundation
import PipeWireGraph
import Platform
import Synchronization

/// A request to end the process, by SIGINT, SIGTERM, SIGHUP or `request`. [any]
final class StopRequest: Sendable {
  private struct State {
    var isRequested = false
    var failure: GraphError?
    var handlers: [@Sendable () -> Void] = []
  }
  private let state = Mutex(State())
  private let semaphore = DispatchSemaphore(value: 0)

  /// Takes the signals over; once per process, before anything exists that must be cleaned up, and before any other thread.
  static func onSignals() -> StopRequest {
    let request = StopRequest()
    // Blocked in every thread from now on, and waited for by one that is there before the system may have none to spare.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      sigaddset(&signals, number)
      // An ignored one would never arrive.
      signal(number, SIG_DFL)
    }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let hasThread = startThread(name: "nearend.signals") { [signals] in
      var (signals, number) = (signals, Int32(0))
      while true { if sigwait(&signals, &number) == 0 { request.request() } }
    }
    if !hasThread { fail("it cannot start: \(Shortage.threads.advice)", .failure) }
    return request
  }

  func request() {
    let handlers = state.withLock { state in
      state.isRequested = true
      defer { state.handlers = [] }
      return state.handlers
    }
    for handler in handlers { handler() }
    semaphore.signal()
  }

  /// Requests a stop because the process cannot do its work.
  func request(after failure: GraphError) {
    state.withLock { $0.failure = failure }
    request()
  }

  /// Why the process cannot do its work; nil if it could.
  var failure: GraphError? { state.withLock { $0.failure } }

  var isRequested: Bool { state.withLock { $0.isRequested } }

  /// Calls `handler` when a stop is requested, or now if it was.
  func whenRequested(_ handler: @escaping @Sendable () -> Void) {
    let isRequested = state.withLock {
      if !$0.isRequested { $0.handlers.append(handler) }
      return $0.isRequested
    }
    if isRequested { handler() }
  }

  /// Waits until a stop is requested, or for `seconds`.
  func wait(seconds: Double?) {
    let outcome = seconds.map { semaphore.wait(timeout: .now() + $0) }
    if outcome == nil { semaphore.wait() }
  }
}
