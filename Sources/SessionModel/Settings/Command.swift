/// A request by a person or a program to a running nearend. [any]
package enum Command: Sendable, Equatable {
  /// Sets a setting, as `nearend set` does.
  case set(Setting, EventValue)
  case setSinkMuted(id: String, Bool)
  /// Linear gain, 0–4.
  case setSinkGain(id: String, Double)
  /// Resets the counts of underruns, drops and xruns.
  case clearCounters
  /// Resumes playback in the room, paused since headphones were unplugged (R5).
  case resumeAfterUnplug
  /// Lets the person hear themselves: records so many seconds, and plays them back.
  case listen(seconds: Double)
  /// Ends that early.
  case stopListening
  /// Loads the preset of that name: sets all that it sets, or nothing.
  case loadPreset(String)
  /// Writes the diagnostics to a file and logs its path.
  case saveDiagnostics
}
