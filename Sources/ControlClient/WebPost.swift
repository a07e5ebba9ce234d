import Foundation

/// Posts a document to a web server, as telemetry does. [any]
public enum WebPost {
  /// Waits for the answer.
  /// - Parameters:
  ///   - url: http or https; others are refused as unreachable.
  ///   - timeout: seconds for all of it.
  public static func send(_ body: Data, type: String, to url: String, timeout: Double) throws(TransferError) -> HTTPAnswer {
    guard ["http://", "https://"].contains(where: { url.lowercased().hasPrefix($0) }) else {
      throw .unreachable(address: url, reason: "it begins with neither http:// nor https://")
    }
    let request = Transfer.Request(method: "POST", url: url, headers: ["Content-Type: \(type)"], body: body, timeout: timeout)
    guard let answer = try Transfer().perform(request) else { throw .failed(address: url, reason: "broken off") }
    return answer
  }
}
