import SessionModel

/// What the graph's side of nearend is now. [any]
public struct GraphReport: Sendable {
  public var graph = GraphStatus()
  public var route = RouteStatus()
  public var sendMedia: [String] = []
  public var receiveMedia: [String] = []
  /// Ids of the participants into whose devices somebody plays.
  public var graphSinksInUse: Set<String> = []
  public var interruption: Interruption?
  /// Delay between reference and microphone as the graph's latencies tell it, in ms (V5).
  public var streamDelay = 0.0
}

/// Something for the log. [any]
public struct GraphRemark: Sendable {
  public let level: LogEntry.Level
  public let message: String
}
