import Foundation

/// Fetches a document from a server in the network, and follows no answer to another place. [any]
public struct HTTPGet: Sendable {
  private let url: String
  private let timeout: Double

  /// - Parameter timeout: seconds for the whole of a request.
  public init(url: String, timeout: Double) { (self.url, self.timeout) = (url, timeout) }

  /// Waits for the answer, which has at most 64 MiB.
  public func fetch() throws(TransferError) -> HTTPAnswer {
    let request = Transfer.Request(method: "GET", url: url, headers: ["User-Agent: nearend"], timeout: timeout)
    guard let answer = try Transfer().perform(request) else { throw .failed(address: url, reason: "broken off") }
    return answer
  }
}
