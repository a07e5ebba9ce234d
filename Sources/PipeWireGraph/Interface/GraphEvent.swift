import SessionModel

/// What the graph tells: one stream, in order. [control]
package enum GraphEvent: Sendable, Equatable {
  /// Something that happens to the session: an interruption begins or ends, its login session comes to the foreground, applications use
  /// nearend's devices.
  case session(SessionEvent)
  /// A message for people.
  case remark(LogEntry.Level, String)
  /// The devices in use, changed or not.
  case route(RouteEnds)
  /// The route has changed (R4).
  case routeChanged(RouteChange)
  /// What the session demands is linked, and runs where it should: once after each `tellWhenSoundPasses`.
  case soundPasses
  /// Cycles run, and their counters can be polled: ten times a second.
  case cyclesRun

  static func interruption(_ reason: Interruption.Reason, _ isOn: Bool) -> GraphEvent {
    .session(isOn ? .interruptionBegan(reason) : .interruptionEnded(reason))
  }
}

/// The session, as the graph sees it. Called on the control thread, with its lock held: it must not wait for another thread that wants the
/// graph. [control]
package protocol GraphListener: AnyObject, Sendable {
  func hear(_ event: GraphEvent)
  /// What the session needs of the graph now, after all that it has heard, and what it would need if nothing interrupted it.
  var demands: SessionDemands { get }
}

/// What a session needs of the graph, and what it would need without interruptions. [any]
package struct SessionDemands: Sendable, Equatable {
  package var now: SessionDemand
  package var wanted: SessionDemand

  package init(now: SessionDemand = SessionDemand(), wanted: SessionDemand = SessionDemand()) {
    self.now = now
    self.wanted = wanted
  }
}
