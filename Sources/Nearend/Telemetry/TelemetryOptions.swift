import Foundation
import SessionModel

/// Where telemetry goes, and what of it (T3). Off unless it is given somewhere to go. [any]
public struct TelemetryOptions: Sendable, Equatable {
  /// Path of a file that lines of JSON are appended to; nil: none.
  public var file: String?
  /// A server that lines of JSON are posted to (`application/x-ndjson`); nil: none.
  public var url: URL?
  /// What is let through.
  public var gate: TelemetryGate

  /// - Throws: `TelemetryConfigurationError.badURL`.
  public init(file: String? = nil, url: String? = nil, gate: TelemetryGate = TelemetryGate()) throws(TelemetryConfigurationError) {
    self.file = file
    self.gate = gate
    if let url { self.url = try Self.address(url) }
  }

  /// Off.
  public init() { gate = TelemetryGate() }

  public var isOn: Bool { file != nil || url != nil }

  private static func address(_ text: String) throws(TelemetryConfigurationError) -> URL {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = url.host, !host.isEmpty
    else { throw .badURL(text) }
    return url
  }
}
