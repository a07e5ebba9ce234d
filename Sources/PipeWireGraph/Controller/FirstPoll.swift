/// Decides when polling begins after the filter has started: as soon as a cycle has run, because a new rate is silent until a poll notices
/// it; without a cycle, after 0.2 s. [control]
struct FirstPoll {
  /// Whether polling has yet to begin.
  var isAwaited: Bool { checks > 0 }

  /// Cycles before the start.
  private var cycles: UInt64 = 0
  /// Checks that are left, 20 ms apart.
  private var checks = 0

  mutating func start(cycles: UInt64) { (self.cycles, checks) = (cycles, 10) }

  /// Returns whether polling begins now.
  mutating func begins(cycles: UInt64) -> Bool {
    checks = cycles == self.cycles ? checks - 1 : 0
    return checks == 0
  }
}
