/// Judges whether the graph is frozen: no cycle although one is due (I5). A function of counters and time, in seconds of a monotonic clock.
///
/// Repeats rebuilds that do not help with exponential backoff, so that a driver that is gone for good causes no storm.
struct FreezeWatch {
  enum Verdict: Equatable {
    case frozen
    /// Still frozen, and a rebuild of the filter is due.
    case rebuild
    case thawed
  }
  /// A Boolean value indicating a freeze: from `.frozen` to `.thawed` or `reset`.
  private(set) var isFrozen = false

  private var cycles: UInt64 = 0
  /// Since when no cycle has come although one is due, and how often that was observed: a single observation may be a stall of this
  /// process.
  private var since: Double?
  private var checks = 0
  private var rebuilds = 0
  private var nextRebuild = 0.0
  private var lastThaw = -Double.infinity

  /// Seconds from the first check without a cycle, unless three cycles are longer. That check comes one to two intervals of 0.2 s after the
  /// last cycle, and only the sixth after it finds this reached: 1.4 to 1.6 s after the last cycle, and less than 2 on a busy machine.
  static let limit = 1.1
  private static let fewestChecks = 6
  /// Seconds until the second attempt; doubled before each further one.
  static let firstDelay = 2.0
  private static let longestDelay = 32.0
  /// Seconds of running after which an earlier freeze is forgotten.
  private static let memory = 20.0

  /// Evaluates an observation, five to ten times a second while the filter runs or is frozen.
  /// - Parameters:
  ///   - shouldRun: whether the session demands sound and the daemon has started the filter.
  ///   - cycleLength: seconds from one cycle to the next.
  mutating func update(cycles: UInt64, shouldRun: Bool, cycleLength: Double, at now: Double) -> Verdict? {
    let runs = cycles != self.cycles
    self.cycles = cycles
    if runs {
      noCycleDue()
      if !isFrozen, now - lastThaw > Self.memory { rebuilds = 0 }
      guard isFrozen else { return nil }
      isFrozen = false
      lastThaw = now
      return .thawed
    }
    if isFrozen { return now >= nextRebuild ? .rebuild : nil }
    guard shouldRun else {
      noCycleDue()
      return nil
    }
    checks += 1
    guard let since else {
      self.since = now
      return nil
    }
    guard checks >= Self.fewestChecks, now - since >= max(Self.limit, 3 * cycleLength) else { return nil }
    isFrozen = true
    return .frozen
  }

  /// Reports that the filter was rebuilt.
  mutating func rebuilt(at now: Double) {
    nextRebuild = now + min(Self.longestDelay, Self.firstDelay * Double(1 << min(rebuilds, 8)))
    rebuilds += 1
  }

  /// Reports that no cycle is due now.
  mutating func noCycleDue() {
    since = nil
    checks = 0
  }

  /// Resets all state, as when the daemon went away.
  mutating func reset() {
    noCycleDue()
    isFrozen = false
  }
}
