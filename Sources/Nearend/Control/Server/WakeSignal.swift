import Glibc

/// Wakes a thread that waits for its client and for something else at the same time. [any]
final class WakeSignal: Sendable {
  /// Readable from `raise` until `lower`.
  let descriptor: Int32
  private let far: Int32

  init() throws(RequestFailure) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0 else {
      throw RequestFailure(503, "nearend has run out of descriptors: \(lastError()); end other clients first")
    }
    (descriptor, far) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(far)
  }

  func raise() { _ = send(far, [1], 1, Int32(MSG_NOSIGNAL)) }

  func lower() {
    var bytes: [UInt8] = [0, 0, 0, 0]
    while recv(descriptor, &bytes, bytes.count, 0) > 0 {}
  }
}
