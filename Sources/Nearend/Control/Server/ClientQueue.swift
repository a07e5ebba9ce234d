import Dispatch
import Synchronization

/// Clients for whom the system has no thread: they wait for one that is there already. [any]
final class ClientQueue: Sendable {
  private struct State {
    var waiting: [Client] = []
    var hasEnded = false
  }
  struct Client {
    let id: Int
    let connection: ControlConnection
  }
  private let state = Mutex(State())
  private let changes = DispatchSemaphore(value: 0)

  /// Clients that may wait.
  private static let most = 8

  /// Returns false if too many wait already, or after the end.
  func add(_ client: Client) -> Bool {
    let isAdded = state.withLock { state in
      guard !state.hasEnded, state.waiting.count < Self.most else { return false }
      state.waiting.append(client)
      return true
    }
    if isAdded { changes.signal() }
    return isAdded
  }

  /// Waits for the next client; nil once the queue has ended and is empty.
  func next() -> Client? {
    while true {
      let (client, hasEnded) = state.withLock { state in (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.hasEnded) }
      if let client { return client }
      if hasEnded { return nil }
      changes.wait()
    }
  }

  /// Ends the queue. Idempotent.
  func end() {
    state.withLock { $0.hasEnded = true }
    changes.signal()
  }
}
