import PipeWireClient

/// A set-up or tear-down of a Bluetooth headset's SCO link, which a headset announces as "call started" or "call ended".
public struct ScoEvent: Sendable, Equatable {
  /// The link's two transitions.
  public enum Change: String, Sendable { case setUp, tearDown }
  /// What makes the link come or go.
  public enum Reason: String, Sendable {
    /// A node of the headset-head-unit profile started running.
    case streaming
    /// The last of them stopped running, while the profile stayed.
    case idle
    /// The profile changed.
    case profile
    /// The headset or the daemon went away.
    case gone
  }
  /// Seconds of CLOCK_MONOTONIC.
  public var time: Double
  /// Whether the link was set up or torn down.
  public var change: Change
  /// What made the link come or go; `streaming` for every set-up.
  public var reason: Reason
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
