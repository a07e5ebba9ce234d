/// Everything that decides which devices are used, and what follows when they appear or disappear (R1–R7). Only `reduce` changes it.
/// Outlives the daemon. [any]
package struct RouteState: Sendable, Equatable {
  /// The devices in use.
  package internal(set) var choice = RouteChoice()
  /// The route at the last choice. It stays the previous one while a headset is waited for.
  package internal(set) var route = RouteDescription()

  var devices = DeviceChoice()
  var headset: HeadsetProfile
  /// The headset in use, while it changes its profile.
  var transition: HeadsetTransition?
  var unplugPause: UnplugPause
  var defaults: DefaultDevices
  var misplaced = MisplacedPicks()
  var news = RouteNews()
  /// Warnings about exceeded limits that were logged; each is logged once.
  var remarked: Set<String> = []

  /// Seconds that a headset may take to change its profile, and a daemon to set up its devices.
  static let patience = 2.0

  /// - Parameters:
  ///   - picked: the names of the devices wanted from the start.
  ///   - defaults: how programs that choose no device are to use nearend, and the former defaults left behind by an earlier run.
  ///   - headset: a switch of a headset's profile left behind by an earlier run.
  package init(
    picked: [Device.Direction: String] = [:], pausesOnUnplug: Bool = true, defaults: DefaultDevices = DefaultDevices(),
    headset: HeadsetProfile.Change? = nil
  ) {
    devices.picked = picked
    unplugPause = UnplugPause(isEnabled: pausesOnUnplug)
    self.defaults = defaults
    self.headset = HeadsetProfile(change: headset)
  }

  /// How programs that choose no device come to use nearend, but for the filters that keep them from it.
  package var defaultDeviceStatus: DefaultDeviceStatus {
    DefaultDeviceStatus(requested: defaults.mode, effective: defaults.effective, reason: defaults.reason)
  }

  /// The names that a person picked, present or not.
  package var picked: [Device.Direction: String] { devices.picked }

  package var pausesOnUnplug: Bool { unplugPause.isEnabled }

  /// Whether playback is paused because headphones are gone (R5).
  package var isPaused: Bool { unplugPause.isPaused }

  /// Returns whether the devices of a daemon that has just returned may still be appearing, one by one.
  package func isSettling(at time: Double) -> Bool { news.settling(at: time) != nil }

  /// Whether the headset in use is changing its profile and is waited for.
  package var isHeadsetInTransition: Bool { transition != nil }
}
