import SessionModel

/// An event of the graph: one stream, in order. [control]
package enum GraphEvent: Sendable, Equatable {
  /// An event of the session: an interruption begins or ends, its login session comes to the foreground, applications use nearend's
  /// devices.
  case session(SessionEvent)
  /// What nearend was started for can never be done; the graph stays as it is until it is stopped.
  case failed(GraphError)
  /// A message for people.
  case remark(LogEntry.Level, String)
  /// The devices in use; sent whether they changed or not.
  case route(RouteEnds)
  /// The route has changed (R4).
  case routeChanged(RouteChange)
  /// What the session demands is linked, and runs where it should; sent once after each `notifyWhenSoundPasses`.
  case soundPasses
  /// Cycles run, and their counters can be polled; sent five times a second.
  case cyclesRun

  static func interruption(_ reason: Interruption.Reason, _ isOn: Bool) -> GraphEvent {
    .session(isOn ? .interruptionBegan(reason) : .interruptionEnded(reason))
  }
}

/// The session, as the graph sees it. Called on the control thread, with its lock held: it must not wait for a thread that may wait for the
/// graph. [control]
package protocol GraphListener: AnyObject, Sendable {
  func handle(_ event: GraphEvent)
  /// The session's demands after all events so far, and those that it would have if nothing interrupted it.
  var demands: SessionDemands { get }
  /// The processes that use the session through the library, this one included: what else they play is their side of the call.
  var processes: Set<Int> { get }
}

/// The demands of a session on the graph, and those that it would have without interruptions. [any]
package struct SessionDemands: Sendable, Equatable {
  package var now: SessionDemand
  package var wanted: SessionDemand

  package init(now: SessionDemand = SessionDemand(), wanted: SessionDemand = SessionDemand()) {
    self.now = now
    self.wanted = wanted
  }
}
