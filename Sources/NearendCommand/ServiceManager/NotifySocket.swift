import Glibc
import Platform

/// The service manager's datagram socket (sd_notify(3)). [any]
final class NotifySocket: Sendable {
  private let descriptor: Int32
  private let address: UnixAddress

  /// `name` is the value of `$NOTIFY_SOCKET`: a path, or `@` and the name of an abstract socket. Returns nil if that is not an address, or
  /// no socket can be created.
  init?(_ name: String) {
    let named: UnixAddress? =
      switch name.first {
      case "@": UnixAddress(abstractName: String(name.dropFirst()))
      case "/": UnixAddress(path: name)
      default: nil
      }
    guard let address = named else { return nil }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
    self.address = address
  }

  deinit { close(descriptor) }

  /// Sends assignments, for example `READY=1`, in one datagram. Never blocks: if the service manager's queue is full they are lost, and
  /// false is returned.
  @discardableResult
  func send(_ assignments: String...) -> Bool {
    address.send(Array(assignments.joined(separator: "\n").utf8), from: descriptor)
  }
}
