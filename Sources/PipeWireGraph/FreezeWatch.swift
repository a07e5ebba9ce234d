/// Judges whether the graph is frozen: no cycle though one is due (I5). A function of what is counted and of the time; times are seconds of
/// a clock that never goes back.
///
/// What does not help is tried less and less often, so that a driver that is gone for good is no reason for a storm.
struct FreezeWatch {
  enum Verdict: Equatable {
    case frozen
    /// Frozen still, and it is time to make the filter anew.
    case rebuild
    case thawed
  }
  /// True from `.frozen` to `.thawed` or `reset`.
  private(set) var isFrozen = false

  private var cycles: UInt64 = 0
  /// Since when no cycle has come though it should, and how often that was seen: one look alone may be this process's own halt.
  private var since: Double?
  private var looks = 0
  private var rebuilds = 0
  private var nextRebuild = 0.0
  private var lastThaw = -Double.infinity

  /// Seconds without a cycle: less than 2 with the time between looks.
  static let limit = 1.2
  private static let fewestLooks = 8
  /// Seconds until the second attempt; twice as long before each further one.
  static let firstDelay = 2.0
  private static let longestDelay = 32.0
  /// Seconds after which a graph that runs has forgotten that it froze.
  private static let memory = 20.0

  /// One look, about ten times a second while the filter runs or is frozen.
  /// - Parameters:
  ///   - shouldRun: whether the session demands sound and the daemon has started the filter.
  ///   - cycleLength: seconds from one cycle to the next.
  mutating func look(cycles: UInt64, shouldRun: Bool, cycleLength: Double, at now: Double) -> Verdict? {
    let runs = cycles != self.cycles
    self.cycles = cycles
    if runs {
      rest()
      if !isFrozen, now - lastThaw > Self.memory { rebuilds = 0 }
      guard isFrozen else { return nil }
      isFrozen = false
      lastThaw = now
      return .thawed
    }
    if isFrozen { return now >= nextRebuild ? .rebuild : nil }
    guard shouldRun else {
      rest()
      return nil
    }
    looks += 1
    guard let since else {
      self.since = now
      return nil
    }
    guard looks >= Self.fewestLooks, now - since >= max(Self.limit, 3 * cycleLength) else { return nil }
    isFrozen = true
    return .frozen
  }

  /// The filter was made anew.
  mutating func rebuilt(at now: Double) {
    nextRebuild = now + min(Self.longestDelay, Self.firstDelay * Double(1 << min(rebuilds, 8)))
    rebuilds += 1
  }

  /// Nothing should run now.
  mutating func rest() {
    since = nil
    looks = 0
  }

  /// Nothing is known of the graph, as when its daemon went away.
  mutating func reset() {
    rest()
    isFrozen = false
  }
}
