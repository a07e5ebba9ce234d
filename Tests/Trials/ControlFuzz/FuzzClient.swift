import Foundation
import TestSupport

/// A client that sends arbitrary bytes and classifies the answer.
final class FuzzClient {
  enum Outcome {
    case status(Int)
    /// The server hung up without an answer.
    case closed
    /// Nothing came in time.
    case silence
  }
  private let client: RawClient
  private var bytes: [UInt8] = []

  init?(path: String) {
    guard let client = try? RawClient(path: path) else { return nil }
    self.client = client
  }

  func close() { client.close() }

  func send(_ bytes: [UInt8]) {
    self.bytes += bytes
    client.send(bytes)
  }

  func finishSending() { client.finishSending() }

  /// Whether it sent only empty lines, which are no request.
  var hasSentNothing: Bool { bytes.allSatisfy { $0 == 10 || $0 == 13 } }
  /// A readable form of what was sent.
  var sent: String { String(decoding: bytes, as: UTF8.self).debugDescription.prefix(400).description }

  func status(timeout: Double) -> Outcome {
    guard let text = try? client.receive(timeout: timeout, until: { Self.status(in: $0) != nil }) else { return .silence }
    return Self.status(in: text).map(Outcome.status) ?? .closed
  }

  /// Returns the status of the final response: "100 Continue" is an interim one.
  private static func status(in text: String) -> Int? {
    text.components(separatedBy: "\r\n").dropLast().lazy.filter { $0.hasPrefix("HTTP/1.1 ") }
      .compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }.first { $0 != 100 }
  }
}
