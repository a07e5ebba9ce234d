import Dispatch
import Synchronization

/// Threads that the system had none to spare for, until it has: made by a thread that is there since the first one was asked for, because
/// a dispatch queue would need one, too. [any]
final class ThreadRetries: Sendable {
  struct Request: Sendable {
    let name: String
    let stackSize: Int?
    let body: @Sendable () -> Void
  }
  private struct State {
    var requests: [Request] = []
    var hasThread = false
  }
  static let shared = ThreadRetries()
  private let state = Mutex(State())
  private let changes = DispatchSemaphore(value: 0)

  /// Seconds between attempts.
  private static let interval = 0.25
  /// Bytes.
  private static let stackSize = 128 << 10

  /// Makes the thread that retries, where there is none yet. Called before each other thread is made.
  func prepare() {
    state.withLock { state in
      guard !state.hasThread else { return }
      state.hasThread = (try? startThreadNow(name: "nearend.threads", stackSize: Self.stackSize) { [self] in run() }) != nil
    }
  }

  func add(_ request: Request) {
    state.withLock { $0.requests.append(request) }
    changes.signal()
  }

  private func run() {
    while true {
      let requests = state.withLock { state in
        defer { state.requests = [] }
        return state.requests
      }
      let refused = requests.filter { (try? startThreadNow(name: $0.name, stackSize: $0.stackSize, $0.body)) == nil }
      state.withLock { $0.requests = refused + $0.requests }
      if requests.isEmpty { changes.wait() } else if !refused.isEmpty { pause(seconds: Self.interval) }
    }
  }
}
