import PipeWireClient

/// A set-up or tear-down of a Bluetooth headset's SCO link: what a headset announces as "call started" and "call ended".
public struct ScoEvent: Sendable, Equatable {
  public enum Change: String, Sendable { case setUp, tearDown }
  public enum Reason: String, Sendable {
    /// A node of the headset-head-unit profile began to run.
    case streaming
    /// The last of them ended to run, while the profile stayed.
    case idle
    /// The profile changed.
    case profile
    /// The headset went, or the daemon.
    case gone
  }
  /// Seconds of CLOCK_MONOTONIC.
  public var time: Double
  public var change: Change
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
