import Foundation
import Platform

/// What is wrong with a request, for programs that react to it: `code` of the answer. [any]
package enum ControlFailureCode: String, Sendable {
  /// A sink, a sender or application audio of the requested name exists.
  case nameTaken
  /// The voice already has a consumer.
  case sourceTaken
}

/// An error answer that says what was wrong, and what to do. [any]
struct RequestFailure: Error, Equatable {
  var status: Int
  var reason: String
  /// The kind of failure, if programs react to it; otherwise nil.
  var code: ControlFailureCode?
  /// The methods that the path has, if it lacks the requested one.
  var allow: [String] = []

  init(_ status: Int, _ reason: String, code: ControlFailureCode? = nil, allow: [String] = []) {
    self.status = status
    self.reason = reason
    self.code = code
    self.allow = allow
  }
}

/// A request's line and headers (RFC 9112).
struct RequestHead: Equatable {
  enum Body: Equatable {
    case none
    case length(Int)
    case chunked
  }
  var method: String
  /// Percent-decoded components without the leading empty one: "/sinks/a%20b" is ["sinks", "a b"].
  var path: [String]
  var query: [String: String]
  /// Header fields with names in lower case.
  var headers: [String: String]
  var body: Body
  var keepsAlive: Bool
  /// Whether the client waits for "100 Continue" before it sends the body.
  var expectsContinue: Bool

  static let maximumHeaders = 100

  /// - Parameter bytes: everything up to, but without, the empty line.
  init(_ bytes: some Collection<UInt8>) throws(RequestFailure) {
    // By bytes: Swift strings treat CR LF as one character.
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map { line in
      Substring(decoding: line.last == 13 ? Array(line.dropLast()) : Array(line), as: UTF8.self)
    }
    let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
    guard words.count == 3, !words[0].isEmpty, words[0].utf8.allSatisfy(Self.isToken), words[2].hasPrefix("HTTP/") else {
      throw RequestFailure(400, "this is not an HTTP request; a request begins with a line such as 'GET /status HTTP/1.1'")
    }
    guard ["HTTP/1.1", "HTTP/1.0"].contains(words[2]) else { throw RequestFailure(505, "unsupported protocol \(words[2]); use HTTP/1.1") }
    method = String(words[0])
    (path, query) = try Self.target(words[1])
    headers = try Self.headers(lines.dropFirst())
    body = try Self.body(headers)
    let connection = headers["connection"]?.lowercased() ?? ""
    keepsAlive = words[2] == "HTTP/1.1" ? !connection.includes("close") : connection.includes("keep-alive")
    expectsContinue = headers["expect"]?.lowercased() == "100-continue" && words[2] == "HTTP/1.1"
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func target(_ text: Substring) throws(RequestFailure) -> (path: [String], query: [String: String]) {
    guard text.hasPrefix("/") else { throw RequestFailure(400, "'\(text)' is not a path; a path begins with '/'") }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path: [String] = []
    for part in parts[0].split(separator: "/") { path.append(try decoded(part)) }
    var query: [String: String] = [:]
    for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = try decoded(sides[0])
      guard query.updateValue(sides.count > 1 ? try decoded(sides[1]) : "", forKey: name) == nil else {
        throw RequestFailure(400, "the parameter '\(name)' is given twice; give it once")
      }
    }
    return (path, query)
  }

  private static func decoded(_ text: Substring) throws(RequestFailure) -> String {
    guard let decoded = text.percentDecoded else {
      throw RequestFailure(400, "'\(text)' is not percent-encoded UTF-8; write other characters than letters and digits as %41")
    }
    return decoded
  }

  private static func headers(_ lines: ArraySlice<Substring>) throws(RequestFailure) -> [String: String] {
    guard lines.count <= maximumHeaders else {
      throw RequestFailure(431, "\(lines.count) headers are too many; send at most \(maximumHeaders)")
    }
    var headers: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), line[..<colon].utf8.allSatisfy(isToken), colon != line.startIndex else {
        throw RequestFailure(400, "'\(line.prefix(40))' is not a header; a header is 'Name: value'")
      }
      let name = line[..<colon].lowercased()
      let value = line[line.index(after: colon)...].trimmed
      guard headers.updateValue(value, forKey: name) == nil || !["content-length", "transfer-encoding", "host"].contains(name) else {
        throw RequestFailure(400, "the header \(name) is given twice; give it once")
      }
    }
    return headers
  }

  private static func body(_ headers: [String: String]) throws(RequestFailure) -> Body {
    if let coding = headers["transfer-encoding"] {
      guard headers["content-length"] == nil else {
        throw RequestFailure(400, "Content-Length and Transfer-Encoding exclude each other; send one of them")
      }
      guard coding.lowercased() == "chunked" else {
        throw RequestFailure(501, "Transfer-Encoding '\(coding)' is not known here; use chunked")
      }
      return .chunked
    }
    guard let text = headers["content-length"] else { return .none }
    guard let length = Int(text), length >= 0, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      throw RequestFailure(400, "Content-Length '\(text)' is not a number of bytes")
    }
    return length == 0 ? .none : .length(length)
  }
}
