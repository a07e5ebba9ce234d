import Foundation
import Glibc

/// A client that sends arbitrary bytes and classifies the answer.
final class FuzzClient {
  enum Outcome {
    case status(Int)
    /// The server hung up without an answer.
    case closed
    /// Nothing came in time.
    case silence
  }
  private var descriptor: Int32
  private var bytes: [UInt8] = []

  init?(path: String) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    guard result == 0 else {
      close()
      return nil
    }
  }

  deinit { close() }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  func send(_ bytes: [UInt8]) {
    self.bytes += bytes
    _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// A Boolean value indicating whether it sent only empty lines, which are no request.
  var hasSentNothing: Bool { bytes.allSatisfy { $0 == 10 || $0 == 13 } }
  /// A readable form of what was sent.
  var sent: String { String(decoding: bytes, as: UTF8.self).debugDescription.prefix(400).description }

  func status(timeout: Double) -> Outcome {
    let deadline = Date().timeIntervalSince1970 + timeout
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let lines = String(decoding: received, as: UTF8.self).components(separatedBy: "\r\n")
      // "100 Continue" is not yet an answer.
      for line in lines.dropLast() where line.hasPrefix("HTTP/1.1 ") {
        if let status = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) }), status != 100 { return .status(status) }
      }
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let left = deadline - Date().timeIntervalSince1970
      guard left > 0, poll(&event, 1, Int32(left * 1000)) > 0 else { return .silence }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { return .closed }
      received += buffer.prefix(count)
    }
  }
}
