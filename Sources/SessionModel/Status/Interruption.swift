/// An interruption of the session (I1).
public struct Interruption: Codable, Sendable, Equatable {
  /// The reason of an interruption. `rawValue` is its name in the status document, events and telemetry.
  public enum Reason: String, Codable, Sendable, CaseIterable {
    /// The PipeWire daemon is gone.
    case daemonLost
    /// No real device remains to capture from or to play to.
    case noDevice
    /// A stream with an interrupting role runs, such as a phone's.
    case role
    /// The machine sleeps, or is about to.
    case sleep
    /// Another login session has the seat.
    case sessionInactive
    /// No cycle runs although one is due (I5).
    case frozen
    /// The nearend that this program has joined is gone; only in a joined program.
    case nearendLost

    /// A description for people, such as "the machine sleeps".
    package var words: String {
      switch self {
      case .daemonLost: "the PipeWire daemon is gone"
      case .noDevice: "no real audio device"
      case .role: "a priority stream, such as a phone or an alarm"
      case .sleep: "the machine sleeps"
      case .sessionInactive: "another login session has the seat"
      case .frozen: "the audio graph is stalled"
      case .nearendLost: "the joined nearend is gone"
      }
    }

    /// A Boolean value indicating whether the reason concerns the audio session rather than the graph; such reasons are ignored while
    /// others manage the session (S5).
    var isOfTheSession: Bool {
      switch self {
      case .noDevice, .role, .sleep, .sessionInactive: true
      case .daemonLost, .frozen, .nearendLost: false
      }
    }
  }
  /// The reason; there is at most one current interruption of each.
  package var reason: Reason
  /// Seconds since it began.
  package var duration: Double

  package init(reason: Reason, duration: Double) {
    self.reason = reason
    self.duration = duration
  }
}

/// An interruption with its outcome. Field names are those of the status document and do not change.
package struct InterruptionRecord: Codable, Sendable, Equatable {
  /// The stage of an interruption: it `holds`, then `waits`, and has then `recovered` or `ended`.
  package enum Outcome: String, Codable, Sendable {
    /// It has not ended.
    case holds
    /// It has ended; recovery waits for another interruption's end, for the foreground (I3), or for the call manager (I4).
    case waits
    /// The session ran again afterwards (I2).
    case recovered
    /// It has ended, and there was nothing to recover.
    case ended
  }
  /// The reason; later records may have the same one.
  package var reason: Interruption.Reason
  /// Seconds since 1970-01-01 00:00 UTC.
  package var began: Double
  /// Its duration in seconds, so far or in total.
  package var duration: Double
  /// Its stage; final once `recovered` or `ended`.
  package var outcome: Outcome

  package init(reason: Interruption.Reason, began: Double, duration: Double, outcome: Outcome) {
    self.reason = reason
    self.began = began
    self.duration = duration
    self.outcome = outcome
  }
}
