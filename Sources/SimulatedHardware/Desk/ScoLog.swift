import Platform

/// A set-up or tear-down of a Bluetooth headset's SCO link, which a headset announces as "call started" or "call ended".
package struct ScoEvent: Sendable, Equatable {
  /// The link's two transitions.
  package enum Change: String, Sendable { case setUp, tearDown }
  /// The reason why the link was set up or torn down.
  package enum Reason: String, Sendable {
    /// A node of the headset-head-unit profile started running.
    case streaming
    /// The last node of that profile stopped running, while the profile stayed.
    case idle
    /// The profile changed.
    case profile
    /// The headset or the daemon disappeared.
    case gone
  }
  /// Seconds of CLOCK_MONOTONIC.
  package var time: Double
  /// Whether the link was set up or torn down.
  package var change: Change
  /// The reason; `streaming` for every set-up.
  package var reason: Reason
}

/// Keeps the link's state and history.
struct ScoLog {
  private(set) var events: [ScoEvent] = []
  private(set) var isUp = false

  mutating func note(isStreaming: Bool, reason: ScoEvent.Reason) {
    guard isStreaming != isUp else { return }
    isUp = isStreaming
    events.append(ScoEvent(time: monotonicSeconds(), change: isStreaming ? .setUp : .tearDown, reason: reason))
  }
}
