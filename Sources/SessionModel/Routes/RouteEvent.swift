/// Something that happens to routes: an observation, a request, or news from the system. [any]
package enum RouteEvent: Sendable, Equatable {
  /// The graph as it is now; comes with every change of it.
  case observed(RouteObservation)
  /// A person picks a device; nil follows the system's default again.
  case pick(Device.Direction, name: String?)
  /// Makes nearend's devices the system's defaults, or restores the former ones (R2).
  case setDefaultDevices(Bool)
  /// Sets whether the render path pauses when headphones are gone (R5).
  case setPauseOnUnplug(Bool)
  /// Resumes, in the room, what has been paused since headphones were unplugged (R5).
  case resume
  /// The machine is about to sleep, or has woken up.
  case sleep(isGoing: Bool)
  /// A daemon is there; its devices may still be appearing.
  case connected
  case disconnected
  /// nearend leaves, and restores what it has changed in the session.
  case leave(RouteObservation)
}

/// A consequence for the world outside, to be carried out in order. [any]
package enum RouteEffect: Sendable, Equatable {
  case remark(LogEntry.Level, String)
  /// Pauses or resumes the render path (R5).
  case pause(Bool)
  /// The route has changed (R4).
  case changed(RouteChange)
  /// The former configured defaults are to be restored after a crash, too: saved before the first of them is changed.
  case saveDefaults([Device.Direction: SessionDefaults.Configured])
  /// The headset's switch is to be undone after a crash, too.
  case saveHeadset(HeadsetProfile.Change?)
  /// Sets the system's configured default.
  case configure(Device.Direction, ConfiguredDefault)
  /// Asks a card for another profile (R6).
  case switchProfile(HeadsetProfile.Request)
  /// Observe again after that many seconds, whatever happens before.
  case observeAgain(after: Double)
}

/// What becomes of a configured default. [any]
package enum ConfiguredDefault: Sendable, Equatable {
  /// The device of that name.
  case device(String)
  /// A value as the session manager wrote it.
  case value(String)
  case none
}
