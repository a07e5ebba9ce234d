/// The cycles of the last minutes, as far as they ran with the present quantum: whether cycles are being lost, not whether some once were.
package struct RecentCycles: Codable, Sendable, Equatable {
  /// Cycles that ran.
  package var run: UInt64
  /// Cycles that were missed while the graph ran.
  package var lost: UInt64
  /// Those of them that were missed in a row of ten or more: something held the whole graph up.
  package var stalled: UInt64

  package init(run: UInt64 = 0, lost: UInt64 = 0, stalled: UInt64 = 0) { (self.run, self.lost, self.stalled) = (run, lost, stalled) }

  /// The share of cycles that was lost, 0…1; 0 if none was due.
  package var lostShare: Double { run + lost > 0 ? Double(lost) / Double(run + lost) : 0 }
}

/// Counts `RecentCycles` from counters that only rise, or begin anew. Own selection. [control]
package struct CycleWindow: Sendable {
  /// Seconds that count.
  package static let span = 180.0

  private struct Step {
    /// In seconds.
    var time: Double
    var cycles = RecentCycles()
  }
  /// Sums of a tenth of the span each, newest last.
  private var steps: [Step] = []
  private var former: (quantum: Int, run: UInt64, lost: UInt64)?

  package init() {}

  /// Takes the counters at a time in seconds. A new quantum begins anew: what was lost with another says nothing of this one.
  package mutating func note(run: UInt64, lost: UInt64, quantum: Int, at time: Double) {
    defer { former = (quantum, run, lost) }
    guard let former, former.quantum == quantum else {
      steps = []
      return
    }
    steps.removeAll { time - $0.time > Self.span }
    if steps.last.map({ time - $0.time > Self.span / 10 }) ?? true { steps.append(Step(time: time)) }
    let (newRun, newLost) = (run >= former.run ? run - former.run : run, lost >= former.lost ? lost - former.lost : lost)
    steps[steps.count - 1].cycles.run += newRun
    steps[steps.count - 1].cycles.lost += newLost
    if newLost >= 10 { steps[steps.count - 1].cycles.stalled += newLost }
  }

  /// The cycles of the last `span` seconds.
  package func recent(at time: Double) -> RecentCycles {
    steps.filter { time - $0.time <= Self.span }.map(\.cycles).reduce(into: RecentCycles()) { sum, step in
      sum.run += step.run
      sum.lost += step.lost
      sum.stalled += step.stalled
    }
  }
}
