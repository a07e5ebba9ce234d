import Foundation

/// Sends bodies to a server on the network, without following redirects. [any]
package struct HTTPPost: Sendable {
  private let url: String
  private let headers: [String]
  private let timeout: Double

  /// - Parameters:
  ///   - headers: "Name: value".
  ///   - timeout: seconds for the whole request.
  package init(url: String, headers: [String], timeout: Double) {
    (self.url, self.headers, self.timeout) = (url, headers, timeout)
  }

  /// Sends a body, and waits for the answer, 1 MiB at most.
  package func send(_ body: Data) throws(TransferError) -> HTTPAnswer {
    let request = Transfer.Request(
      method: "POST", url: url, headers: headers, body: body, longestAnswer: 1 << 20, timeout: timeout)
    return try Transfer().answer(to: request)
  }
}

/// Fetches a document from a server on the network, without following redirects. [any]
package struct HTTPGet: Sendable {
  private let url: String
  private let timeout: Double

  /// - Parameter timeout: seconds for the whole request.
  package init(url: String, timeout: Double) { (self.url, self.timeout) = (url, timeout) }

  /// Fetches the document, at most 64 MiB, and waits for the answer.
  package func fetch() throws(TransferError) -> HTTPAnswer {
    let request = Transfer.Request(method: "GET", url: url, headers: ["User-Agent: nearend"], timeout: timeout)
    return try Transfer().answer(to: request)
  }
}
