import LoginSession
import PipeWireClient
import SessionModel

/// What the controller's keepers and watchers tell it: one stream, in order. What follows is in `GraphController.handle`. [control]
enum ControllerEvent {
  case remark(LogEntry.Level, String)

  // The daemon's graph
  /// Something may have appeared, disappeared or changed, or a time has come: a reconciliation is due.
  case isDue
  /// A volume or a mute was set.
  case volumesChanged
  case filter(DuplexFilter.Event)
  /// The daemon went away, and the attachment with it.
  case lost(PipeWireError)

  // Routes
  /// Pause or resume the render path (R5).
  case pause(Bool)
  /// The device that a person picked is one of the other direction.
  case misplaced(Device.Direction, name: String)
  case routeChanged(RouteChange)

  // Other streams
  /// All that were lowered are restored.
  case unducked

  // Freezes
  case froze
  /// Rebuild the filter; nothing else may change.
  case rebuild
  /// Cycles run again, or nothing should run any more.
  case thawed

  /// The login session, and the machine's sleep.
  case login(LoginWatch.Event)
}
