import Foundation
import PipeWireClient
import Platform

/// One request with its answer, on the connection's own thread.
final class ControlExchange {
  let head: RequestHead
  let connection: ControlConnection
  let limits: ControlLimits
  private var body: RequestBody
  private var awaitsContinue: Bool
  private(set) var isAnswered = false
  /// Whether the answer ends with the connection, or was cut off.
  private var isOpenEnded = false

  init(_ head: RequestHead, on connection: ControlConnection, limits: ControlLimits) {
    self.head = head
    self.connection = connection
    self.limits = limits
    body = RequestBody(head.body)
    awaitsContinue = head.expectsContinue && head.body != .none
  }

  // MARK: The request

  /// Reads the next bytes of the body, 1 to `count`; empty at its end.
  func read(_ count: Int, deadline: Double? = nil) throws -> ArraySlice<UInt8> {
    if awaitsContinue {
      awaitsContinue = false
      try connection.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), stall: limits.stallSeconds)
    }
    return try body.next(count, from: connection, deadline: deadline)
  }

  /// Reads the whole body, which must be of this type or of none.
  func read(_ type: String) throws -> Data {
    try expect(type: [type])
    let tooLong = RequestFailure(413, "the body is longer than \(limits.bodyBytes) bytes; send less")
    guard body.knownLength ?? 0 <= limits.bodyBytes else { throw tooLong }
    let deadline = monotonicSeconds() + limits.requestSeconds
    var data = Data()
    while true {
      let bytes = try read(limits.bodyBytes, deadline: deadline)
      if bytes.isEmpty { return data }
      data.append(contentsOf: bytes)
      guard data.count <= limits.bodyBytes else { throw tooLong }
    }
  }

  /// - Throws: 415 if the body is declared as another type.
  func expect(type possible: [String]) throws(RequestFailure) {
    guard let type = head.headers["content-type"]?.split(separator: ";").first?.trimmed.lowercased(),
      !possible.contains(where: { $0.hasSuffix("/") ? type.hasPrefix($0) : type == $0 })
    else { return }
    throw RequestFailure(415, "a body of type \(type) is not understood here; send Content-Type: \(possible[0])")
  }

  // MARK: The answer

  func answer(_ status: Int = 200, json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    try answer(status, type: "application/json", Array(try encoder.encode(value)) + [10])
  }

  func answer(_ failure: RequestFailure) throws {
    if !failure.allow.isEmpty { extraHeaders = "Allow: \(failure.allow.joined(separator: ", "))\r\n" }
    try answer(failure.status, json: ["error": failure.reason, "code": failure.code?.rawValue].compactMapValues { $0 })
  }
  private var extraHeaders = ""

  func answer(_ status: Int = 200, type: String, _ bytes: [UInt8]) throws {
    try begin(status, "Content-Type: \(type)\r\nContent-Length: \(bytes.count)\r\n", bytes)
  }

  /// Begins an answer of unknown length; `send` and `end` follow.
  func beginStream(type: String) throws {
    isOpenEnded = true
    try begin(200, "Content-Type: \(type)\r\nTransfer-Encoding: chunked\r\n", [])
  }

  /// Leaves HTTP: from here on the connection carries bytes of the protocol that the client requested, both ways, until it ends.
  func upgrade(to name: String) throws {
    guard head.headers["upgrade"] == name else {
      throw RequestFailure(426, "this is a stream in both directions; send 'Connection: Upgrade' and 'Upgrade: \(name)'")
    }
    isOpenEnded = true
    isAnswered = true
    try connection.send(
      Array("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: \(name)\r\n\r\n".utf8), stall: limits.stallSeconds)
  }

  func send(chunk bytes: [UInt8]) throws(ConnectionEnd) {
    guard !bytes.isEmpty else { return }
    try connection.send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10], stall: limits.stallSeconds)
  }

  func endStream() throws(ConnectionEnd) {
    try connection.send(Array("0\r\n\r\n".utf8), stall: limits.stallSeconds)
    isOpenEnded = false
  }

  private func begin(_ status: Int, _ headers: String, _ bytes: [UInt8]) throws {
    isAnswered = true
    let phrase = Self.phrases[status] ?? "Status"
    let last = leavesConnectionUsable ? "" : "Connection: close\r\n"
    let head = "HTTP/1.1 \(status) \(phrase)\r\n\(headers)\(extraHeaders)\(last)\r\n"
    try connection.send(Array(head.utf8) + (self.head.method == "HEAD" ? [] : bytes), stall: limits.stallSeconds)
  }

  /// Whether another request can follow: otherwise the rest of the body is not worth reading.
  var leavesConnectionUsable: Bool {
    head.keepsAlive && body.isComplete && !isOpenEnded && !awaitsContinue && !connection.isReserved
  }

  /// Reads the unread rest of a short body before the answer is sent.
  func discardShortBody() {
    guard !awaitsContinue, let length = body.knownLength, length <= limits.bodyBytes else { return }
    let deadline = monotonicSeconds() + limits.requestSeconds
    while let bytes = try? body.next(limits.bodyBytes, from: connection, deadline: deadline), !bytes.isEmpty {}
  }

  private static let phrases = [
    200: "OK", 201: "Created", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict",
    413: "Content Too Large", 415: "Unsupported Media Type", 422: "Unprocessable Content", 426: "Upgrade Required",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable", 505: "HTTP Version Not Supported",
  ]
}
