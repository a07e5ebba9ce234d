import Foundation
import Synchronization

@testable import SimulatedHardware

/// The service manager's end of `$NOTIFY_SOCKET`: records each datagram with its time of arrival.
final class NotifyReceiver: Sendable {
  struct Message: Sendable {
    var text: String
    /// Seconds of CLOCK_MONOTONIC.
    var time: Double

    func has(_ assignment: String) -> Bool { text.split(separator: "\n").contains { $0 == assignment } }
    var status: String? { text.split(separator: "\n").first { $0.hasPrefix("STATUS=") }.map { String($0.dropFirst(7)) } }
  }
  private let descriptor: Int32
  private let received = Mutex<[Message]>([])
  /// The value of `$NOTIFY_SOCKET`.
  let name: String

  /// - Parameters:
  ///   - name: a path, or `@` and an abstract name.
  ///   - isReading: false to read nothing by itself.
  init(_ name: String, isReading: Bool = true) throws {
    self.name = name
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isAbstract = name.hasPrefix("@")
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: name.utf8)
      if isAbstract { $0[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count + (isAbstract ? 0 : 1))
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard result == 0 else { throw SessionError.system("binding \(name)", errno) }
    guard isReading else { return }
    Thread.detachNewThread { [weak self, descriptor] in
      var buffer = [UInt8](repeating: 0, count: 8_192)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        // `deinit` shuts the socket down, which reads as zero bytes.
        guard count > 0, let self else { return }
        let message = Message(text: String(decoding: buffer.prefix(count), as: UTF8.self), time: monotonicSeconds())
        received.withLock { $0.append(message) }
      }
    }
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  var messages: [Message] { received.withLock { $0 } }

  func count(_ assignment: String) -> Int { messages.count { $0.has(assignment) } }

  /// Waits for a message; nil after 60 s.
  func wait(for isWanted: (Message) -> Bool) -> Message? { poll { messages.first(where: isWanted) } }
  func wait(for assignment: String) -> Message? { wait { $0.has(assignment) } }
  func wait(forStatus words: String) -> Message? { wait { $0.status?.contains(words) ?? false } }
}
