import Foundation
internal import Glibc

/// This process's end of a connected pair of stream sockets; a child has the other. [any]
final class ChildSocket: Sendable {
  let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Makes a pair that no other child inherits, not even one that another thread is starting, and lends the child's end to `start`.
  static func make<Result>(_ start: (Int32) throws -> Result) throws -> (socket: ChildSocket, result: Result) {
    let (here, there) = try pair()
    let socket = ChildSocket(descriptor: here)
    defer { close(there) }
    return (socket, try start(there))
  }

  /// Returns a connected pair that no child inherits; the caller must close both.
  static func pair() throws -> (here: Int32, there: Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SessionError.system("making a pair of sockets", errno)
    }
    return (ends[0], ends[1])
  }

  /// Sends all of `text`; ignored if the peer is gone.
  func send(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Waits for data; empty if the other end is closed.
  func receive() -> Data {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      return Data(buffer.prefix(max(0, count)))
    }
  }

  /// Calls `body` with every line until the other end is closed.
  func lines(_ body: (Data) -> Void) {
    var buffer = Data()
    while case let data = receive(), !data.isEmpty {
      buffer += data
      while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        body(buffer[buffer.startIndex..<end])
        buffer = Data(buffer[buffer.index(after: end)...])
      }
    }
  }
}
