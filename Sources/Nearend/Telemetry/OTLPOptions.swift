import Foundation
import SessionModel

/// An OpenTelemetry collector that receives the metrics at intervals, by OTLP/HTTP in JSON (O9). [any]
public struct OTLPOptions: Sendable, Equatable {
  /// Where metrics are posted; ends in /v1/metrics.
  public let url: URL
  /// Further headers, "Name: value", such as an authorization.
  public let headers: [String]
  /// Time between readings, 1–3600 s.
  public let interval: Duration

  /// Allowed time between readings: from a second to an hour.
  public static let intervals: ClosedRange<Duration> = .seconds(1)...(.seconds(3_600))

  /// - Parameters:
  ///   - endpoint: the collector's address, such as `http://localhost:4318`, to which `/v1/metrics` is added, or with that.
  ///   - headers: further headers, "Name: value".
  ///   - interval: time between readings, 1–3600 s.
  /// - Throws: `TelemetryConfigurationError.badEndpoint`, `.badHeader` or `.badInterval`.
  public init(endpoint: String, headers: [String] = [], interval: Duration = .seconds(60)) throws(TelemetryConfigurationError) {
    try self.init(endpoint: endpoint, headers: headers, seconds: interval / .seconds(1))
  }

  /// - Parameter seconds: time between readings as the user typed it, not yet checked.
  package init(endpoint: String, headers: [String], seconds: Double) throws(TelemetryConfigurationError) {
    var text = endpoint[...]
    while text.last == "/" { text.removeLast() }
    if !text.hasSuffix("/v1/metrics") { text += "/v1/metrics" }
    guard !text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }),
      let url = TelemetryOptions.server(String(text))
    else { throw .badEndpoint(endpoint) }
    for header in headers where !Self.isGood(header) { throw .badHeader(header) }
    // NaN has no duration.
    guard (1...3_600).contains(seconds) else { throw .badInterval(seconds) }
    (self.url, self.headers, self.interval) = (url, headers, .seconds(seconds))
  }

  /// Returns whether a header has a name and a value and is not one that the exporter sets itself.
  private static func isGood(_ header: String) -> Bool {
    guard let colon = header.firstIndex(of: ":"), colon != header.startIndex else { return false }
    let name = header[..<colon].lowercased()
    let isToken = name.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
    let value = header[header.index(after: colon)...]
    return isToken && !["content-type", "content-length", "transfer-encoding", "host", "connection"].contains(name)
      && value.utf8.allSatisfy { $0 >= 32 && $0 != 127 } && value.utf8.contains { $0 != 32 }
  }
}
