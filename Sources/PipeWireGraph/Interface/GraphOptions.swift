import SessionModel

/// Options for joining the graph. [any]
public struct GraphOptions: Sendable {
  /// Path of the daemon's socket, or its name; nil for the user's own.
  public var remote: String?
  /// `node.name` of the real microphone; nil follows the default.
  public var microphone: String?
  /// `node.name` of the real speaker; nil follows the default.
  public var speaker: String?
  public var reference: ReferenceSource
  /// What interrupts besides the graph itself (I1).
  public var interruptions: InterruptionOptions
  /// Whether *Nearend Speaker* and *Nearend Microphone* become the session's defaults, and the former ones are restored afterwards (R2).
  public var areDefaultDevices = false
  /// Whether the render path pauses when headphones are gone (R5).
  public var pausesOnUnplug = true
  /// Folder of the file that says what to restore after a crash; nil saves and restores nothing.
  public var stateFolder: String?
  /// Whether a daemon that is not there yet, and a microphone and speaker of the names given, are waited for, as long as it takes.
  public var waitsForArrival = false

  public init(
    remote: String? = nil, microphone: String? = nil, speaker: String? = nil, reference: ReferenceSource = .everything,
    interruptions: InterruptionOptions = InterruptionOptions()
  ) {
    self.interruptions = interruptions
    self.remote = remote
    self.microphone = microphone
    self.speaker = speaker
    self.reference = reference
  }
}
