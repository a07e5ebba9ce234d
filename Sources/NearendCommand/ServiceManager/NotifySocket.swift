import Glibc

/// The service manager's datagram socket (sd_notify(3)). [any]
final class NotifySocket: Sendable {
  private let descriptor: Int32
  private let address: sockaddr_un
  private let length: socklen_t

  /// `name` is the value of `$NOTIFY_SOCKET`: a path, or `@` and the name of an abstract socket. Returns nil if that is not an address, or
  /// no socket can be created.
  init?(_ name: String) {
    let bytes = Array(name.utf8)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isAbstract = bytes.first == UInt8(ascii: "@")
    guard isAbstract ? bytes.count > 1 : bytes.first == UInt8(ascii: "/"), bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      return nil
    }
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: bytes)
      if isAbstract { $0[0] = 0 }
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
    self.address = address
    // An abstract name is as long as the address says; a path ends with its 0.
    length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count + (isAbstract ? 0 : 1))
  }

  deinit { close(descriptor) }

  /// Sends assignments, for example `READY=1`, in one datagram. Never blocks: if the service manager's queue is full they are lost, and
  /// false is returned.
  @discardableResult
  func send(_ assignments: String...) -> Bool {
    let text = Array(assignments.joined(separator: "\n").utf8)
    return withUnsafePointer(to: address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, text, text.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL), $0, length) == text.count
      }
    }
  }
}
