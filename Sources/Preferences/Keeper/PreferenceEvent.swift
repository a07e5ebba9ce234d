import SessionModel

/// What happens to the preferences of a running nearend.
enum PreferenceEvent: Sendable {
  /// nearend has started: the values of all settings, and the node names of the devices in use.
  case started([Setting: EventValue], devices: Set<String>)
  /// A setting has this value, perhaps because somebody has changed it.
  case noticed(Setting, EventValue)
  /// Other devices may be in use.
  case devicesChanged(Set<String>, [Setting: EventValue])
  /// The service has refused a value; the setting stays at `value`.
  case refused(Setting, stays: EventValue, reason: String)
  /// nearend.toml was written, and is valid.
  case configurationRead(Configuration, [Setting: EventValue])
  /// Another process has written `remembered.json`.
  case rememberedRead(Remembered, [Setting: EventValue])
  /// This process has written `remembered.json`, whose contents are now these.
  case rememberedWritten(Remembered)
  /// A preset's values were all set.
  case presetLoaded(String)
  case participantCame(String)
  case participantChanged(String, ParticipantMix)
  case participantLeft(String)
}

/// What follows from a `PreferenceEvent`, to be carried out in this order.
enum PreferenceEffect: Sendable, Equatable {
  case set(Setting, EventValue)
  /// Gives a participant, if it is present, this gain and mute.
  case setMix(String, ParticipantMix)
  case addSink(String)
  case removeSink(String)
  case updateRemotes([RemoteRule], sends: [String])
  /// Adds and removes stages, which takes as long as their plug-ins are tried.
  case updateStages([StageRule], reportsChanges: Bool)
  case remember(Setting, EventValue)
  case rememberGain(String, Double)
  case rememberPreset(String)
  /// Logs that nearend.toml was applied, with these words and those of the sinks and connections that were added and removed before.
  case reportConfiguration([String])
  /// Logs that these settings are no longer remembered, and their values now.
  case reportReset([Setting])
  case remark(String)
  case warn(String)
}

/// A participant's own gain and mute.
struct ParticipantMix: Sendable, Equatable {
  /// Linear, 0–4.
  var gain = 1.0
  var isMuted = false
}
