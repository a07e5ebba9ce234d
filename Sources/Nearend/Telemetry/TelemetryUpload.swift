import Foundation
import FoundationNetworking
import Synchronization

/// Posts lines of JSON to a server, several at once (`application/x-ndjson`). [any]
struct TelemetryUpload: Sendable {
  /// Sends one body and waits for the answer's status; throws where there is none.
  typealias Send = @Sendable (_ body: Data) throws -> Int

  let send: Send

  /// - Throws: where the server cannot be reached, or does not take it. `TelemetryOutlet.Rejected` where it never will.
  func post(_ lines: [Data]) throws {
    var body = Data()
    for line in lines { body += line + [0x0A] }
    let status = try send(body)
    switch status {
    case 200..<300: return
    // Not this body, whenever it comes.
    case 400, 413, 415, 422: throw TelemetryOutlet.Rejected(description: "the server refuses records: HTTP status \(status)")
    default: throw Unanswered(description: "HTTP status \(status)")
    }
  }

  struct Unanswered: Error, CustomStringConvertible { let description: String }

  /// - Parameter timeout: seconds for the whole of a request.
  static func http(_ url: URL, timeout: Double = 10) -> TelemetryUpload {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = timeout
    configuration.timeoutIntervalForResource = timeout
    let session = URLSession(configuration: configuration)
    return TelemetryUpload { body in
      var request = URLRequest(url: url, timeoutInterval: timeout)
      request.httpMethod = "POST"
      request.httpBody = body
      request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
      request.setValue("nearend/\(nearendVersion)", forHTTPHeaderField: "User-Agent")
      return try answer(to: request, in: session, timeout: timeout)
    }
  }

  private static func answer(to request: URLRequest, in session: URLSession, timeout: Double) throws -> Int {
    let answer = Answer()
    let task = session.dataTask(with: request) { _, response, error in
      answer.set((response as? HTTPURLResponse)?.statusCode, error?.localizedDescription)
    }
    task.resume()
    guard answer.isThere.wait(timeout: .now() + timeout + 1) == .success else {
      task.cancel()
      throw Unanswered(description: "no answer within \(Int(timeout)) s")
    }
    let (status, failure) = answer.value.withLock { $0 }
    guard let status else { throw Unanswered(description: failure ?? "no answer") }
    return status
  }

  private final class Answer: Sendable {
    let value = Mutex<(status: Int?, failure: String?)>((nil, nil))
    let isThere = DispatchSemaphore(value: 0)

    func set(_ status: Int?, _ failure: String?) {
      value.withLock { $0 = (status, failure) }
      isThere.signal()
    }
  }
}
