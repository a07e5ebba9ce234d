import Foundation
import PipeWireGraph
import SessionModel

/// Options of a service. [any]
package struct NearendOptions: Sendable {
  package var graph: GraphOptions
  /// The session's initial settings.
  package var session: SessionSettings
  /// The initial engine for echo and noise.
  package var echoCanceller: EchoCanceller
  /// Path of the Unix socket for other processes; nil for none.
  package var controlSocket: String?
  /// Where telemetry goes; nowhere by default.
  package var telemetry: TelemetryOptions
  /// Tries plug-ins before they are loaded; by default with the `nearend` in PATH.
  package var plugInTrial = PlugInTrial.standard(ProcessInfo.processInfo.environment)

  package init(
    graph: GraphOptions = GraphOptions(), session: SessionSettings = SessionSettings(), echoCanceller: EchoCanceller = .nearend,
    controlSocket: String? = nil, telemetry: TelemetryOptions = TelemetryOptions()
  ) {
    self.graph = graph
    self.session = session
    self.echoCanceller = echoCanceller
    self.controlSocket = controlSocket
    self.telemetry = telemetry
  }
}
