import SessionModel

/// Options for joining the graph. [any]
package struct GraphOptions: Sendable {
  /// Path of the daemon's socket, or its name; nil for the user's own.
  package var remote: String?
  /// `node.name` of the real microphone; nil follows the default.
  package var microphone: String?
  /// `node.name` of the real speaker; nil follows the default.
  package var speaker: String?
  /// The initial settings.
  package var settings = GraphSettings()
  /// The sources of interruptions besides the graph itself (I1).
  package var interruptions: InterruptionOptions
  /// Folder of the file that records what to restore after a crash; nil saves and restores nothing.
  package var stateFolder: String?
  /// Whether to wait, indefinitely, for a daemon, microphone or speaker that does not exist yet. A name that proves to be of a device of
  /// the other direction then leads to `GraphEvent.failed`.
  package var waitsForArrival = false

  package init(
    remote: String? = nil, microphone: String? = nil, speaker: String? = nil, reference: ReferenceSource = .everything,
    interruptions: InterruptionOptions = InterruptionOptions()
  ) {
    self.interruptions = interruptions
    self.remote = remote
    self.microphone = microphone
    self.speaker = speaker
    settings.reference = reference
  }

  /// Returns the wanted device's `node.name`; nil follows the default.
  func device(_ direction: Device.Direction) -> String? { direction == .input ? microphone : speaker }
}
