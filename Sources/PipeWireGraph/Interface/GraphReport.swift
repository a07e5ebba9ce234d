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

/// A message for the log. [any]
public struct GraphRemark: Sendable {
  public let level: LogEntry.Level
  public let message: String

  public init(level: LogEntry.Level, message: String) {
    self.level = level
    self.message = message
  }
}

/// Callbacks from the graph to the session. Called on the control thread, with its lock held: they must not call back into the graph.
/// [control]
public struct GraphHooks: Sendable {
  /// Takes a message for people.
  public var remark: @Sendable (GraphRemark) -> Void
  /// Takes the applications that use nearend's devices now, and returns what the session needs of the graph.
  public var applications: @Sendable ([Media]) -> (demand: SessionDemand, wanted: SessionDemand)
  /// Reports that an interruption began or ended.
  public var interruption: @Sendable (Interruption.Reason, _ isOn: Bool) -> Void
  /// Reports whether nearend's login session is in the foreground.
  public var foreground: @Sendable (Bool) -> Void
  /// Called ten times a second while cycles run, to poll their counters.
  public var looked: @Sendable () -> Void
  /// Takes the devices in use now, changed or not.
  public var route: @Sendable (RouteEnds) -> Void
  /// Reports a change of route (R4).
  public var routeChanged: @Sendable (RouteChange) -> Void
  /// Reports that what the session demands is linked, and runs where it should: once after each `tellWhenSoundPasses`.
  public var soundPasses: @Sendable () -> Void

  public init(
    remark: @escaping @Sendable (GraphRemark) -> Void,
    applications: @escaping @Sendable ([Media]) -> (demand: SessionDemand, wanted: SessionDemand),
    interruption: @escaping @Sendable (Interruption.Reason, _ isOn: Bool) -> Void,
    foreground: @escaping @Sendable (Bool) -> Void = { _ in }, looked: @escaping @Sendable () -> Void = {},
    route: @escaping @Sendable (RouteEnds) -> Void = { _ in }, routeChanged: @escaping @Sendable (RouteChange) -> Void = { _ in },
    soundPasses: @escaping @Sendable () -> Void = {}
  ) {
    self.remark = remark
    self.applications = applications
    self.interruption = interruption
    self.foreground = foreground
    self.looked = looked
    self.route = route
    self.routeChanged = routeChanged
    self.soundPasses = soundPasses
  }
}
