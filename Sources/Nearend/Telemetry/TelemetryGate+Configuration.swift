import Foundation
import SessionModel

extension TelemetryGate {
  /// Reads an operator's deployment configuration: a JSON object with a section "clientTelemetry"; other sections are ignored.
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
    guard let gate = deployment.clientTelemetry else { throw .badDocument("it has no section \"clientTelemetry\"") }
    self = gate
  }
}

private struct Deployment: Decodable { var clientTelemetry: TelemetryGate? }
