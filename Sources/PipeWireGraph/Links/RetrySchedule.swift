import PipeWireClient

/// Schedules retries of requests that the daemon refused, with exponential backoff.
struct RetrySchedule<Key: Hashable> {
  private var refusals: [Key: (count: Int, next: UInt64)] = [:]

  private static var first: UInt64 { 250_000_000 }
  /// The largest number of doublings of the first delay, up to 8 s.
  private static var mostDoublings: Int { 5 }

  /// The time of the next retry, CLOCK_MONOTONIC in ns; nil if nothing was refused.
  var next: UInt64? { refusals.values.map(\.next).min() }

  func mayTry(_ key: Key, at now: UInt64) -> Bool { refusals[key].map { $0.next <= now } ?? true }

  /// Records a refusal. Returns true for the first one since the last success: the one to report.
  mutating func refused(_ key: Key, at now: UInt64) -> Bool {
    let count = refusals[key]?.count ?? 0
    refusals[key] = (count + 1, now + Self.first << UInt64(min(count, Self.mostDoublings)))
    return count == 0
  }

  mutating func succeeded(_ key: Key) { refusals[key] = nil }

  /// Drops requests that are no longer wanted.
  mutating func keep(where isWanted: (Key) -> Bool) { refusals = refusals.filter { isWanted($0.key) } }
}
