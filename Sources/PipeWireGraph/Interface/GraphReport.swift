import SessionModel

/// The state of nearend's side of the graph. [any]
package struct GraphReport: Sendable {
  package var graph = GraphStatus()
  package var route = RouteStatus()
  /// Ids of the participants whose devices something plays into.
  package var graphSinksInUse: Set<String> = []
  /// Delay between reference and microphone from the graph's latencies, in ms (V5).
  package var streamDelay = 0.0
  package var ducking = DuckingStatus()

  package init() {}
}
