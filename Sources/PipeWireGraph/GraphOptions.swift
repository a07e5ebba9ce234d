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

  public init(remote: String? = nil, microphone: String? = nil, speaker: String? = nil, reference: ReferenceSource = .everything) {
    self.remote = remote
    self.microphone = microphone
    self.speaker = speaker
    self.reference = reference
  }
}
