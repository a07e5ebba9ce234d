import Foundation
import SessionModel

extension TelemetryGate {
  /// Reads an operator's deployment configuration: a JSON object. Its section "clientTelemetry" counts; without it, or with null,
  /// everything is let through. Other sections are ignored.
  /// - Throws: `TelemetryConfigurationError` if it is invalid.
  public init(configuration: Data) throws(TelemetryConfigurationError) {
    let deployment: Deployment
    do {
      deployment = try JSONDecoder().decode(Deployment.self, from: configuration)
    } catch let error as TelemetryConfigurationError {
      throw error
    } catch DecodingError.typeMismatch(_, let context) {
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      throw .badDocument(path.isEmpty ? "it is not a JSON object" : "\(path) has a value of the wrong type")
    } catch {
      throw .badDocument("it is not JSON")
    }
    self = deployment.clientTelemetry ?? TelemetryGate()
  }
}

private struct Deployment: Decodable { var clientTelemetry: TelemetryGate? }
