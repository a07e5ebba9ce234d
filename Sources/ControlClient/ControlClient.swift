import Foundation
internal import Glibc

/// A client of a running nearend's control socket: one request after another, on one thread at a time. [control]
package final class ControlClient {
  /// The path of the socket.
  package let path: String
  private let transfer = Transfer()

  /// Timeout in seconds of requests other than uploads and downloads.
  private static let timeout = 10.0

  /// Creates a client of the socket at `path`; the first request connects, and the connection is kept for the next.
  package init(path: String) { self.path = path }

  /// Sends a request, and waits for the answer.
  /// - Parameters:
  ///   - target: path and query, percent-encoded (see `escaped`).
  ///   - json: the body.
  package func request(_ method: String, _ target: String, json: Data? = nil) throws(TransferError) -> HTTPAnswer {
    var request = request(method, target)
    request.timeout = Self.timeout
    if let json {
      request.body = json
      request.headers = ["Content-Type: application/json"]
    }
    return try transfer.answer(to: request)
  }

  /// Sends data from a file or a pipe as it arrives, and waits for the answer; nil if nearend hung up before the end.
  package func upload(_ method: String, _ target: String, from input: Int32) throws(TransferError) -> HTTPAnswer? {
    var request = request(method, target)
    request.headers = ["Content-Type: application/octet-stream", "Transfer-Encoding: chunked"]
    request.upload = { [transfer] in Self.read(input, into: $0, whileOpen: transfer.socket) }
    return try transfer.perform(request)
  }

  /// Waits for input, or for the server to hang up; returns nil then, or on a read error.
  private static func read(_ input: Int32, into buffer: UnsafeMutableRawBufferPointer, whileOpen socket: Int32) -> Int? {
    while true {
      var events = [pollfd(fd: input, events: Int16(POLLIN), revents: 0), pollfd(fd: socket, events: 0, revents: 0)]
      if poll(&events, 2, -1) < 0, errno != EINTR { return nil }
      if events[1].revents != 0 { return nil }
      guard events[0].revents != 0 else { continue }
      let count = Glibc.read(input, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR, errno != EAGAIN { return nil }
    }
  }

  /// Passes the body of a successful answer on as it arrives; nil if `write` returned false. The body of any other answer is returned.
  package func download(_ target: String, write: @escaping (UnsafeRawBufferPointer) -> Bool) throws(TransferError) -> HTTPAnswer? {
    var request = request("GET", target)
    request.download = write
    return try transfer.perform(request)
  }

  private func request(_ method: String, _ target: String) -> Transfer.Request {
    Transfer.Request(method: method, url: "http://nearend\(target)", socket: path)
  }

  /// Percent-encodes a path component or a query value.
  package static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      if isPlain || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~") {
        return String(UnicodeScalar(byte))
      }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}

extension HTTPAnswer {
  /// The error message in nearend's words.
  package var reason: String {
    let document = try? JSONDecoder().decode([String: String].self, from: body)
    return document?["error"] ?? (try? JSONDecoder().decode(Refusal.self, from: body))?.error ?? "status \(status)"
  }

  /// The kind of error, a stable word; nil for most errors, which programs cannot handle.
  package var code: String? { (try? JSONDecoder().decode(Refusal.self, from: body))?.code }
}

private struct Refusal: Decodable {
  var error: String
  var code: String?
}
