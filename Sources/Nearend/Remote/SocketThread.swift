import Dispatch
import Platform
import RTP

/// A socket and the one thread that uses it. [any]
final class SocketThread: Sendable {
  let socket: DatagramSocket
  private let over = DispatchSemaphore(value: 0)

  init(_ socket: DatagramSocket) { self.socket = socket }

  /// Starts the thread, once.
  /// - Parameters:
  ///   - stackSize: bytes.
  ///   - run: the thread's work, until `socket.wait` returns false.
  ///   - ended: called on the thread after that, when the port is free.
  func start(name: String, stackSize: Int, run: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void = {}) {
    startThread(name: name, stackSize: stackSize) { [self] in
      run()
      socket.close()
      ended()
      over.signal()
    }
  }

  /// Seconds that `stop` waits for the thread: longer than any thread needs that gets its turn.
  private static let patience = 2.0

  /// Ends the thread, and releases the port before it returns; a thread that hangs, or has never begun, is waited for until `deadline` and
  /// then left to itself. Must not be called from `ended`. Idempotent.
  func stop(until deadline: DispatchTime = .now() + patience) {
    socket.wake()
    if over.wait(timeout: deadline) == .success { over.signal() }
  }
}
