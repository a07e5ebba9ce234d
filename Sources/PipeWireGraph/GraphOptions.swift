import SessionModel

/// How nearend joins the graph. [any]
public struct GraphOptions: Sendable {
  /// Path of the daemon's socket, or its name; nil for the user's own.
  public var remote: String?
  /// `node.name` of the real microphone; nil follows the default.
  public var microphone: String?
  /// `node.name` of the real speaker; nil follows the default.
  public var speaker: String?
  public var reference: ReferenceSource
  /// What interrupts, beside what happens to the graph itself (I1).
  public var interruptions: InterruptionOptions

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
