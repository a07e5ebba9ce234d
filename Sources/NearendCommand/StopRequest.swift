import Dispatch
import Foundation
import PipeWireGraph
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
  // Kept for the lifetime of the process: a released source receives nothing.
  nonisolated(unsafe) private static var sources: [DispatchSourceSignal] = []

  /// Takes the signals over; once per process, before anything exists that must be cleaned up.
  static func onSignals() -> StopRequest {
    let request = StopRequest()
    // A queue of its own, because work that hangs may occupy every thread of the global one.
    let queue = DispatchQueue(label: "nearend.stop-signals")
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { request.request() }
      source.resume()
      sources.append(source)
    }
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
