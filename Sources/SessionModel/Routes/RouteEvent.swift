/// Something that happens to routes: an observation, a request, or news from the system. [any]
package enum RouteEvent: Sendable, Equatable {
  /// The graph was observed, as after every change of it.
  case observed(RouteObservation)
  /// A person picks a device; nil follows the system's default again.
  case pick(Device.Direction, name: String?)
  /// Sets how programs that choose no device come to use nearend (R2).
  case setDefaultDeviceMode(DefaultDeviceMode)
  /// Sets whether the render path pauses when headphones are gone (R5).
  case setPauseOnUnplug(Bool)
  /// Resumes, in the room, what has been paused since headphones were unplugged (R5).
  case resume
  /// The machine is about to sleep, or has woken up.
  case sleep(isGoing: Bool)
  /// A daemon is connected; its devices may still be appearing.
  case connected
  case disconnected
  /// nearend leaves, and restores what it has changed in the session.
  case leave(RouteObservation)
}

/// A consequence for the outside world; effects are carried out in order. [any]
package enum RouteEffect: Sendable, Equatable {
  case remark(LogEntry.Level, String)
  /// The device that a person picked is one of the other direction: it will never be used. Once for each pick.
  case misplaced(Device.Direction, name: String)
  /// Pauses or resumes the render path (R5).
  case pause(Bool)
  /// The route has changed (R4).
  case changed(RouteChange)
  /// Saves the former configured defaults, to be restored even after a crash, before the first of them is changed.
  case saveDefaults([Device.Direction: SessionDefaults.Configured])
  /// Saves the headset's switch, to be undone even after a crash.
  case saveHeadset(HeadsetProfile.Change?)
  /// Sets the system's configured default.
  case configure(Device.Direction, ConfiguredDefault)
  /// Makes nearend's devices smart filters, or none (R2).
  case beSmart(Bool)
  /// Requests another profile of a card (R6).
  case switchProfile(HeadsetProfile.Request)
  /// Observes again after that many seconds, whatever happens before.
  case observeAgain(after: Double)
}

/// The new value of a configured default. [any]
package enum ConfiguredDefault: Sendable, Equatable {
  /// The device of that name.
  case device(String)
  /// A value as the session manager wrote it.
  case value(String)
  case none
}
