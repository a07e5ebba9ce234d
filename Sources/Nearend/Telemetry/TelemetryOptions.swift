import Foundation
import SessionModel

/// Where telemetry goes, and what passes (T3). Off without a destination. [any]
public struct TelemetryOptions: Sendable, Equatable {
  /// Path of a file to which lines of JSON are appended; nil for none.
  public var file: String?
  /// A server to which lines of JSON are posted (`application/x-ndjson`); nil for none.
  public var url: URL?
  /// A collector that receives the metrics; nil for none.
  public var otlp: OTLPOptions?
  /// What the operator allows.
  public var gate: TelemetryGate

  /// - Throws: `TelemetryConfigurationError.badURL`.
  public init(
    file: String? = nil, url: String? = nil, otlp: OTLPOptions? = nil, gate: TelemetryGate = TelemetryGate()
  ) throws(TelemetryConfigurationError) {
    self.file = file
    self.otlp = otlp
    self.gate = gate
    guard let url else { return }
    guard let address = Self.server(url) else { throw .badURL(url) }
    self.url = address
  }

  /// No telemetry.
  public init() { gate = TelemetryGate() }

  /// A Boolean value indicating whether there is a destination. What the gate forbids is not sent even then.
  public var isOn: Bool { file != nil || url != nil || otlp != nil }

  /// Parses the address of a server; nil if the text is not one.
  static func server(_ text: String) -> URL? {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = url.host, !host.isEmpty, (1...65_535).contains(url.port ?? 1)
    else { return nil }
    return url
  }
}
