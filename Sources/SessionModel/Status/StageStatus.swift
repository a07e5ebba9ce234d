/// A LADSPA plug-in as a stage of a chain (S6). [any]
public struct StageStatus: Codable, Sendable, Equatable {
  /// The chain that a plug-in works in: on the voice, or on what the speaker plays.
  public enum Chain: String, Codable, Sendable, CaseIterable { case capture, render }
  /// Whether a plug-in runs; while it does not, its input passes unchanged.
  public enum State: String, Codable, Sendable {
    case running
    /// It has put out NaN or infinite samples, and is bypassed.
    case muted
    /// It cannot be made for the graph's rate, and is bypassed.
    case failed
  }
  /// A control port.
  public struct Port: Codable, Sendable, Equatable {
    /// The plug-in's own name for it, by which it is set.
    public var name: String
    /// The value now, in the port's own unit; 0 or 1 for a switch.
    public var value: Double
    /// At the graph's rate; nil: unbounded.
    public var lower: Double?
    /// At the graph's rate; nil: unbounded.
    public var upper: Double?
    /// What it can be, in words.
    public var possible: String

    package init(name: String, value: Double, lower: Double?, upper: Double?, possible: String) {
      (self.name, self.value, self.lower, self.upper, self.possible) = (name, value, lower, upper, possible)
    }
  }
  /// Its name, by which it is set and removed.
  public var id: String
  /// Whether it works on the voice or on what the speaker plays.
  public var chain: Chain
  /// Path of the library.
  public var file: String
  /// The plug-in's name within its library.
  public var label: String
  /// The plug-in's own, for people.
  public var name: String
  /// A Boolean value indicating whether it runs on the audio thread, because it is hard-realtime capable, rather than on a worker.
  public var isOnAudioThread: Bool
  /// Frames; part of `GraphStatus.captureLatency` or `renderLatency`.
  public var latency: Int
  /// Whether it runs now; `reason` says why not.
  public var state: State
  /// Why it does not run.
  public var reason: String?
  /// Blocks of 10 ms that the worker gave too late.
  public var lateBlocks: UInt64
  /// Its control inputs, in the plug-in's order.
  public var ports: [Port]

  package init(
    id: String, chain: Chain, file: String, label: String, name: String, isOnAudioThread: Bool, latency: Int, state: State,
    reason: String?, lateBlocks: UInt64, ports: [Port]
  ) {
    (self.id, self.chain, self.file, self.label, self.name) = (id, chain, file, label, name)
    (self.isOnAudioThread, self.latency, self.state, self.reason) = (isOnAudioThread, latency, state, reason)
    (self.lateBlocks, self.ports) = (lateBlocks, ports)
  }

  /// One line for people.
  public var words: String {
    let place = isOnAudioThread ? "audio thread" : "worker" + (lateBlocks > 0 ? ", \(lateBlocks) blocks too late" : "")
    let trouble = reason.map { ": \($0)" } ?? ""
    return "\(name) (\(label)), \(chain.rawValue), \(place), \(latency) frames, \(state.rawValue)\(trouble)"
  }
}
