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

  /// Ends the thread, and releases the port before it returns. Must not be called from `ended`. Idempotent.
  func stop() {
    socket.wake()
    over.wait()
    over.signal()
  }
}
