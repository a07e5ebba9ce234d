/// The gain of the real speaker, relative to what it was at first, as its volume and mute are changed. Another device changes nothing: how
/// loud its echo is, nobody knows. [control]
struct SpeakerGain {
  /// Positive.
  private(set) var gain = 1.0
  private var node: UInt32?
  private var volume = 1.0

  /// What a muted speaker counts as, −60 dB, so that the canceller knows the echo again when it is unmuted.
  private static let least = 1e-3

  /// Follows the volume of the speaker in use.
  /// - Parameter volume: linear, 0 if muted; nil while unknown.
  mutating func follow(_ volume: Double?, of node: UInt32?) {
    guard let volume, let node else {
      self.node = nil
      return
    }
    let now = max(volume, Self.least)
    if node == self.node { gain *= now / self.volume }
    (self.node, self.volume) = (node, now)
  }
}
