import Glibc

/// Wakes a thread that waits for a descriptor and for something else at the same time. [any]
package final class WakeSignal: Sendable {
  /// Readable from `raise` until `lower`.
  package let descriptor: Int32
  private let far: Int32

  /// - Throws: `EMFILE`, `ENFILE` without two descriptors.
  package init() throws(SystemError) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0 else {
      throw .last
    }
    (descriptor, far) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(far)
  }

  package func raise() { _ = send(far, [1], 1, Int32(MSG_NOSIGNAL)) }

  package func lower() {
    var bytes: [UInt8] = [0, 0, 0, 0]
    while recv(descriptor, &bytes, bytes.count, 0) > 0 {}
  }
}
