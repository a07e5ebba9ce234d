/// A LADSPA plug-in as a stage of a chain (S6). [any]
package struct StageStatus: Codable, Sendable, Equatable {
  /// The chain of a plug-in: of the voice, or of what the speaker plays.
  package enum Chain: String, Codable, Sendable, CaseIterable { case capture, render }
  /// Whether a plug-in runs; while it does not, its input passes unchanged.
  package enum State: String, Codable, Sendable {
    case running
    /// It has output NaN or infinite samples, and is bypassed.
    case muted
    /// It cannot be instantiated for the graph's rate, and is bypassed.
    case failed
  }
  /// A control port.
  package struct Port: Codable, Sendable, Equatable {
    /// The plug-in's own name for it, which settings use.
    package var name: String
    /// The current value, in the port's own unit; 0 or 1 for a switch.
    package var value: Double
    /// The lower bound at the graph's rate; nil if unbounded.
    package var lower: Double?
    /// The upper bound at the graph's rate; nil if unbounded.
    package var upper: Double?
    /// A description of the possible values.
    package var possible: String

    package init(name: String, value: Double, lower: Double?, upper: Double?, possible: String) {
      (self.name, self.value, self.lower, self.upper, self.possible) = (name, value, lower, upper, possible)
    }
  }
  /// Its id in the rack, for setting and removing it.
  package var id: String
  /// Whether it processes the voice or what the speaker plays.
  package var chain: Chain
  /// Path of the library.
  package var file: String
  /// The plug-in's name within its library.
  package var label: String
  /// The plug-in's name for people.
  package var name: String
  /// A Boolean value indicating whether it runs on the audio thread, because it is hard-realtime capable, rather than on a worker.
  package var isOnAudioThread: Bool
  /// Its delay in frames; part of `GraphStatus.captureLatency` or `renderLatency`.
  package var latency: Int
  /// Whether it runs now; `reason` explains if not.
  package var state: State
  /// Why it does not run.
  package var reason: String?
  /// Blocks of 10 ms that the worker delivered too late.
  package var lateBlocks: UInt64
  /// Its control inputs, in the plug-in's order.
  package var ports: [Port]

  package init(
    id: String, chain: Chain, file: String, label: String, name: String, isOnAudioThread: Bool, latency: Int, state: State,
    reason: String?, lateBlocks: UInt64, ports: [Port]
  ) {
    (self.id, self.chain, self.file, self.label, self.name) = (id, chain, file, label, name)
    (self.isOnAudioThread, self.latency, self.state, self.reason) = (isOnAudioThread, latency, state, reason)
    (self.lateBlocks, self.ports) = (lateBlocks, ports)
  }

  /// A one-line description for people.
  package var words: String {
    let place = isOnAudioThread ? "audio thread" : "worker" + (lateBlocks > 0 ? ", \(lateBlocks) blocks too late" : "")
    let trouble = reason.map { ": \($0)" } ?? ""
    return "\(name) (\(label)), \(chain.rawValue), \(place), \(latency) frames, \(state.rawValue)\(trouble)"
  }
}
