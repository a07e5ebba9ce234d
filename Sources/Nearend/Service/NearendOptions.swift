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
  /// Called, on the control thread, if what the service was started for can never be done: it is then to be stopped, by another thread.
  package var onFailure: (@Sendable (GraphError) -> Void)?
  /// Called with each log entry.
  package var echo: (@Sendable (LogEntry) -> Void)?

  package init(
    graph: GraphOptions = GraphOptions(), session: SessionSettings = SessionSettings(), echoCanceller: EchoCanceller = .nearend,
    controlSocket: String? = nil,
    telemetry: TelemetryOptions = TelemetryOptions(),
    echo: (@Sendable (LogEntry) -> Void)? = nil
  ) {
    self.graph = graph
    self.session = session
    self.echoCanceller = echoCanceller
    self.controlSocket = controlSocket
    self.telemetry = telemetry
    self.echo = echo
  }
}
