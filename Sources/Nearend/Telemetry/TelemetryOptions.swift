import Foundation
import SessionModel

/// Where telemetry goes, and what passes (T3). Off without a destination. [any]
public struct TelemetryOptions: Sendable, Equatable {
  /// Path of a file to which lines of JSON are appended; nil for none.
  public var file: String?
  /// A server to which lines of JSON are posted (`application/x-ndjson`); nil for none.
  public var url: URL?
  /// What the operator allows.
  public var gate: TelemetryGate

  /// - Throws: `TelemetryConfigurationError.badURL`.
  public init(file: String? = nil, url: String? = nil, gate: TelemetryGate = TelemetryGate()) throws(TelemetryConfigurationError) {
    self.file = file
    self.gate = gate
    if let url { self.url = try Self.address(url) }
  }

  /// No telemetry.
  public init() { gate = TelemetryGate() }

  public var isOn: Bool { file != nil || url != nil }

  private static func address(_ text: String) throws(TelemetryConfigurationError) -> URL {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = url.host, !host.isEmpty
    else { throw .badURL(text) }
    return url
  }
}
