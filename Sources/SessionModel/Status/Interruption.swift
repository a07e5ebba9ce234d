/// Something that holds the session up (I1).
public struct Interruption: Codable, Sendable, Equatable {
  public enum Reason: String, Codable, Sendable, CaseIterable {
    /// The PipeWire daemon is not there.
    case daemonLost
    /// No real device to capture from or to play to.
    case noDevice
    /// A stream whose role goes before a call runs, as a phone's.
    case role
    /// The machine sleeps, or is about to.
    case sleep
    /// Another login session has the seat.
    case sessionInactive
    /// The graph runs no cycle though it should (I5).
    case frozen

    /// Whether it is a matter of the audio session, and not of the graph: nothing to nearend while others manage that (S5).
    var isOfTheSession: Bool {
      switch self {
      case .noDevice, .role, .sleep, .sessionInactive: true
      case .daemonLost, .frozen: false
      }
    }
  }
  public var reason: Reason
  /// Seconds since it began.
  public var duration: Double

  public init(reason: Reason, duration: Double) {
    self.reason = reason
    self.duration = duration
  }
}

/// An interruption from its beginning to what came of it. Field names are those of the status document and stay.
public struct InterruptionRecord: Codable, Sendable, Equatable {
  public enum Outcome: String, Codable, Sendable {
    /// It holds the session up still.
    case holds
    /// It is over; recovery waits for another one's end, for the foreground (I3), or for the call manager (I4).
    case waits
    /// The session ran again after it (I2).
    case recovered
    /// It is over, and there was nothing to bring back.
    case ended
  }
  public var reason: Interruption.Reason
  /// Seconds since 1970-01-01 00:00 UTC.
  public var began: Double
  /// Seconds that it held, so far or in all.
  public var duration: Double
  public var outcome: Outcome

  public init(reason: Interruption.Reason, began: Double, duration: Double, outcome: Outcome) {
    self.reason = reason
    self.began = began
    self.duration = duration
    self.outcome = outcome
  }
}
