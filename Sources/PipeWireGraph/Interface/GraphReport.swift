import SessionModel

/// The state of the graph's side of nearend. [any]
public struct GraphReport: Sendable {
  public var graph = GraphStatus()
  public var route = RouteStatus()
  /// Ids of the participants whose devices have a player.
  public var graphSinksInUse: Set<String> = []
  /// Delay between reference and microphone from the graph's latencies, in ms (V5).
  public var streamDelay = 0.0
  public var ducking = DuckingStatus()

  public init() {}
}
