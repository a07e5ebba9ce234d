import RealtimeCore

/// A stretch of time in which the session's unit runs, and ring sinks are played. [any]
struct UnitRun: Sendable {
  /// Counts the runs.
  private(set) var number = 0
  /// Drops of each ring sink when it began: nobody played what was written before.
  private(set) var formerDrops: [ObjectIdentifier: UInt64] = [:]

  /// Begins the next run.
  mutating func begin(_ sinks: [RingSink]) {
    number += 1
    formerDrops = Dictionary(uniqueKeysWithValues: sinks.map { (ObjectIdentifier($0), $0.status().totalDrops) })
  }
}
