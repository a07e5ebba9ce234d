import Foundation
import FoundationNetworking
import Synchronization

/// Posts lines of JSON to a server, several at once (`application/x-ndjson`). [any]
struct TelemetryUpload: Sendable {
  /// Sends one body and returns the answer's status; throws without one.
  typealias Send = @Sendable (_ body: Data) throws -> Int

  let send: Send

  /// - Throws: if the server cannot be reached, or refuses for now; `TelemetryOutlet.Rejected` if it will always refuse.
  func post(_ lines: [Data]) throws {
    var body = Data()
    for line in lines { body += line + [0x0A] }
    let status = try send(body)
    switch status {
    case 200..<300: return
    // Retrying will not help this body.
    case 400, 413, 415, 422: throw TelemetryOutlet.Rejected(description: "the server refuses records: HTTP status \(status)")
    case 300..<400: throw Unanswered(description: "HTTP status \(status): the server sends records elsewhere; give that address")
    default: throw Unanswered(description: "HTTP status \(status)")
    }
  }

  struct Unanswered: Error, CustomStringConvertible { let description: String }

  /// Redirects are not followed: another place would have to be given everything.
  /// - Parameter timeout: seconds for the whole request.
  static func http(_ url: URL, timeout: Double = 10) -> TelemetryUpload {
    TelemetryUpload { body in
      var request = URLRequest(url: url, timeoutInterval: timeout)
      request.httpMethod = "POST"
      request.httpBody = body
      request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
      request.setValue("nearend/\(nearendVersion)", forHTTPHeaderField: "User-Agent")
      return try answer(to: request, timeout: timeout)
    }
  }

  private static func answer(to request: URLRequest, timeout: Double) throws -> Int {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = timeout
    configuration.timeoutIntervalForResource = timeout
    let answer = Answer()
    let session = URLSession(configuration: configuration, delegate: answer, delegateQueue: nil)
    // A session retains its delegate until it is invalidated.
    defer { session.invalidateAndCancel() }
    session.dataTask(with: request).resume()
    guard answer.isThere.wait(timeout: .now() + timeout + 1) == .success else {
      throw Unanswered(description: "no answer within \(Int(timeout)) s")
    }
    let (status, failure) = answer.value.withLock { $0 }
    guard let status else { throw Unanswered(description: failure ?? "no answer") }
    return status
  }

  /// Takes the first answer, even a redirect.
  private final class Answer: NSObject, URLSessionDataDelegate {
    let value = Mutex<(status: Int?, failure: String?)>((nil, nil))
    let isThere = DispatchSemaphore(value: 0)

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      value.withLock { $0.status = response.statusCode }
      completionHandler(nil)
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      value.withLock { $0.status = (response as? HTTPURLResponse)?.statusCode }
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      value.withLock { value in
        value.failure = error?.localizedDescription
        if error != nil { value.status = nil }
      }
      isThere.signal()
    }
  }
}
