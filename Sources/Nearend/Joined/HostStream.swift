import Foundation
import Glibc
import Synchronization

/// Why the host does not do what a joined program requests. [any]
enum HostError: Error, Equatable {
  /// Nothing answers at the socket, or the connection broke.
  case nobody
  /// The answer's status, and the reason in the host's words.
  case refused(status: Int, reason: String)
}

/// A connection to the control socket that has left HTTP: bytes in both directions (see `HostProtocol`). [any]
///
/// One thread reads. The descriptor stays open until the last reference is gone, so that no thread uses one that has been reassigned.
final class HostStream: Sendable {
  let descriptor: Int32
  /// Bytes that have been read and not yet taken.
  private let input: Mutex<[UInt8]>

  private static let longestHead = 16 << 10
  private static let longestReason = 64 << 10
  /// Seconds that the host has to answer.
  private static let patience = 5
  private static let endOfHead = Array("\r\n\r\n".utf8)

  /// - Parameter target: path and query, percent-encoded.
  init(path: String, target: String) throws(HostError) {
    guard let descriptor = ControlSocket.connection(to: path) else { throw .nobody }
    do throws(HostError) {
      input = Mutex(try Self.upgrade(descriptor, target))
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Shuts the stream down: pending reads and writes return as at its end. Idempotent.
  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  // MARK: Opening

  /// Switches the connection to the stream protocol. Returns the bytes received after the answer's head.
  private static func upgrade(_ descriptor: Int32, _ target: String) throws(HostError) -> [UInt8] {
    setTimeout(descriptor, seconds: patience)
    let head =
      "GET \(target) HTTP/1.1\r\nHost: nearend\r\nConnection: Upgrade\r\nUpgrade: \(HostProtocol.name)\r\n\r\n"
    guard write(Array(head.utf8), to: descriptor) else { throw .nobody }
    var bytes: [UInt8] = []
    var end: Int?
    while end == nil {
      guard bytes.count < longestHead, let more = receive(descriptor, atMost: 4_096) else { throw .nobody }
      let from = max(0, bytes.count - endOfHead.count)
      bytes += more
      end = (from..<bytes.count).first { bytes[$0...].starts(with: endOfHead) }
    }
    guard let end else { throw .nobody }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(whereSeparator: \.isNewline)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else { throw .nobody }
    var rest = Array(bytes[(end + endOfHead.count)...])
    guard status != 101 else {
      setTimeout(descriptor, seconds: 0)
      return rest
    }
    // A refusal's body ends with a line feed or the connection.
    while rest.last != 10, rest.count < longestReason, let more = receive(descriptor, atMost: 4_096) { rest += more }
    let reason = (try? JSONDecoder().decode([String: String].self, from: Data(rest)))?["error"]
    throw .refused(status: status, reason: reason ?? "status \(status)")
  }

  private static func setTimeout(_ descriptor: Int32, seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Returns nil at the end, or after the timeout.
  private static func receive(_ descriptor: Int32, atMost limit: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: limit)
    while true {
      let count = recv(descriptor, &bytes, limit, 0)
      if count < 0, errno == EINTR { continue }
      return count > 0 ? Array(bytes.prefix(count)) : nil
    }
  }

  // MARK: Reading

  /// Whether bytes have been read and not yet taken: polling the descriptor does not reveal these.
  var hasInput: Bool { input.withLock { !$0.isEmpty } }

  /// Waits for exactly `count` bytes; nil at the end.
  func read(_ count: Int) -> [UInt8]? {
    input.withLock { input in
      while input.count < count {
        guard let more = Self.receive(descriptor, atMost: 64 << 10) else { return nil }
        input += more
      }
      defer { input.removeFirst(count) }
      return Array(input.prefix(count))
    }
  }

  /// Waits for a line, without its end; nil at the end, or if it is too long.
  func line() -> [UInt8]? {
    input.withLock { input in
      var searched = 0
      while true {
        if let end = input[searched...].firstIndex(of: 10) {
          defer { input.removeFirst(end + 1) }
          return Array(input[..<end])
        }
        searched = input.count
        guard input.count <= HostProtocol.longestLine, let more = Self.receive(descriptor, atMost: 16 << 10) else { return nil }
        input += more
      }
    }
  }
}
