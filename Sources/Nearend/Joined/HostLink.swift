import ControlClient
import Foundation
import PipeWireGraph
import Platform
import SessionModel

/// A program's membership in the nearend that runs, its host: as long as it lasts, the host keeps the program's media. [any]
final class HostLink: Sendable {
  let path: String
  let welcome: HostProtocol.Welcome
  private let stream: HostStream

  /// Seconds to wait for a host that is about to end.
  private static let endPatience = 2.0

  private init(path: String) throws(HostError) {
    let name = String(ProcessInfo.processInfo.processName.prefix(64))
    stream = try HostStream(
      path: path, target: "/join?version=\(HostProtocol.version)&process=\(getpid())&name=\(ControlClient.escaped(name))")
    guard let line = stream.line(), let welcome = try? JSONDecoder().decode(HostProtocol.Welcome.self, from: Data(line)) else {
      throw .nobody
    }
    self.path = path
    self.welcome = welcome
  }

  /// Joins the nearend that answers at `path`; nil if none does within `patience` seconds.
  /// - Throws: why a nearend that answers cannot be joined.
  static func open(_ path: String, patience: Double) throws(GraphError) -> HostLink? {
    let start = monotonicSeconds()
    while true {
      var left = start + patience - monotonicSeconds()
      do throws(HostError) {
        return try HostLink(path: path)
      } catch {
        switch error {
        case .nobody: break
        case .refused(status: 503, _): left = start + endPatience - monotonicSeconds()
        case .refused(_, let reason): throw .refused(reason: "the nearend that runs cannot be joined: \(reason)")
        }
      }
      guard left > 0 else { return nil }
      pause(seconds: 0.02)
    }
  }

  /// Waits for the next event; nil once the host has gone or the link has ended. Events that cannot be decoded are skipped.
  func event() -> AudioEvent? {
    while let line = stream.line() {
      if let event = try? Self.decoder.decode(AudioEvent.self, from: Data(line)) { return event }
    }
    return nil
  }

  /// Leaves the host. Idempotent.
  func end() { stream.end() }

  // MARK: Requests

  /// Opens a stream for this program.
  func open(_ target: String, _ query: [String: Int] = [:]) throws(HostError) -> HostStream {
    let parameters = query.sorted { $0.key < $1.key }.map { "&\($0.key)=\($0.value)" }.joined()
    return try HostStream(path: path, target: "\(target)?program=\(welcome.program)\(parameters)")
  }

  /// Sends a request, and returns the body of its answer.
  /// - Parameter target: path and query, percent-encoded.
  @discardableResult
  func request(_ method: String, _ target: String, _ body: [String: EventValue]? = nil) throws(HostError) -> Data {
    let json = body.flatMap { try? JSONEncoder().encode($0) }
    let answer: HTTPAnswer
    do throws(TransferError) {
      answer = try ControlClient(path: path).request(method, target, json: json)
    } catch {
      throw .nobody
    }
    guard answer.isSuccess else { throw .refused(status: answer.status, reason: answer.reason) }
    return answer.body
  }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }
}
