import Foundation
import Glibc
import SimulatedHardware

/// A client of a Unix socket that sends arbitrary bytes.
package final class RawClient {
  package enum Failure: Error { case system(String), timedOut(String) }

  private var descriptor: Int32
  package private(set) var received: [UInt8] = []

  package init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    guard result == 0 else {
      let reason = String(cString: strerror(errno))
      Glibc.close(descriptor)
      throw Failure.system("connect \(path): \(reason)")
    }
  }

  deinit { close() }

  package func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Returns false if the server has hung up.
  @discardableResult
  package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL)) }
      if count < 0 { return false }
      sent += count
    }
    return true
  }

  /// Sends as much as the socket accepts at once.
  package func sendSome(_ bytes: [UInt8]) -> Int {
    max(0, bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress!, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) })
  }

  package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Returns everything received, once it satisfies `isEnough` or the server has hung up.
  @discardableResult
  package func receive(timeout: Double = factTimeout, until isEnough: (String) -> Bool = { _ in false }) throws -> String {
    let deadline = Date().timeIntervalSince1970 + timeout
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isEnough(text) {
      let left = deadline - Date().timeIntervalSince1970
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&event, 1, Int32(left * 1000)) > 0 else { throw Failure.timedOut(text) }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { break }
      received += buffer.prefix(count)
    }
    return text
  }

  package var text: String { String(decoding: received, as: UTF8.self) }

  /// Returns the status of the first answer.
  package func status(timeout: Double = factTimeout) throws -> Int? {
    let text = try receive(timeout: timeout) { $0.contains("\r\n\r\n") }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }
}
