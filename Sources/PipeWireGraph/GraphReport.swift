import SessionModel

/// What the graph's side of nearend is now. [any]
public struct GraphReport: Sendable {
  public var graph = GraphStatus()
  public var route = RouteStatus()
  /// Ids of the participants into whose devices somebody plays.
  public var graphSinksInUse: Set<String> = []
  /// Delay between reference and microphone as the graph's latencies tell it, in ms (V5).
  public var streamDelay = 0.0
  public var ducking = DuckingStatus()

  public init() {}
}

/// Something for the log. [any]
public struct GraphRemark: Sendable {
  public let level: LogEntry.Level
  public let message: String

  public init(level: LogEntry.Level, message: String) {
    self.level = level
    self.message = message
  }
}

/// What the graph tells the session, and asks it. Called on the control thread, with its lock held: no call back into the graph. [control]
public struct GraphHooks: Sendable {
  /// Something worth telling people.
  public var remark: @Sendable (GraphRemark) -> Void
  /// The applications that use nearend's devices now; the answer is what the session needs of the graph.
  public var applications: @Sendable ([Media]) -> (demand: SessionDemand, wanted: SessionDemand)
  /// Something holds the session up, or no longer does.
  public var interruption: @Sendable (Interruption.Reason, _ isOn: Bool) -> Void
  /// Whether our login session is the one in front.
  public var foreground: @Sendable (Bool) -> Void
  /// Ten times a second while cycles run: a moment to look at what they count.
  public var looked: @Sendable () -> Void
  /// The devices in use now, changed or not.
  public var route: @Sendable (RouteEnds) -> Void
  /// The route leads elsewhere than before (R4).
  public var routeChanged: @Sendable (RouteChange) -> Void
  /// What the session demands is linked, and runs where it should: once after each `tellWhenSoundPasses`.
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
