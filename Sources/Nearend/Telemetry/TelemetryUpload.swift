import ControlClient
import Foundation

/// Posts lines of JSON to a server, several at once (`application/x-ndjson`). [any]
struct TelemetryUpload: Sendable {
  /// Sends one body and returns the answer's status; throws without one.
  typealias Send = @Sendable (_ body: Data) throws -> Int

  let send: Send

  /// - Throws: if the server cannot be reached, or refuses for now; `TelemetryOutlet.Rejected` if it will always refuse.
  func post(_ lines: [Data]) throws {
    var body = Data()
    for line in lines { body += line + [0x0A] }
    try Self.check(try send(body))
  }

  /// - Throws: as `post`.
  static func check(_ status: Int) throws {
    switch status {
    case 200..<300: return
    // Retrying will not help this body.
    case 400, 413, 415, 422: throw TelemetryOutlet.Rejected(description: "the server refuses records: HTTP status \(status)")
    case 300..<400: throw Unanswered(description: "HTTP status \(status): the server sends records elsewhere; give that address")
    default: throw Unanswered(description: "HTTP status \(status)")
    }
  }

  struct Unanswered: Error, CustomStringConvertible { let description: String }

  /// Creates an upload by HTTP. Redirects are not followed: they would pass everything to an address that nobody has configured.
  /// - Parameter timeout: seconds for the whole request.
  static func http(_ url: URL, timeout: Double = 10) -> TelemetryUpload {
    TelemetryUpload { body in
      do throws(TransferError) {
        return try HTTPPost(
          url: url.absoluteString, headers: ["Content-Type: application/x-ndjson", "User-Agent: nearend/\(nearendVersion)"],
          timeout: timeout
        ).send(body).status
      } catch {
        throw Unanswered(description: error.description)
      }
    }
  }
}
