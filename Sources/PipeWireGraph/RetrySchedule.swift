import PipeWireClient

/// When something that the daemon refused may be asked for again: soon at first, then less and less often.
struct RetrySchedule<Key: Hashable> {
  private var refusals: [Key: (count: Int, next: UInt64)] = [:]

  private static var first: UInt64 { 250_000_000 }
  /// Doublings of the first delay at most: 8 s.
  private static var mostDoublings: Int { 5 }

  /// The next time at which something may be asked for again, CLOCK_MONOTONIC in ns; nil where nothing was refused.
  var next: UInt64? { refusals.values.map(\.next).min() }

  func mayTry(_ key: Key, at now: UInt64) -> Bool { refusals[key].map { $0.next <= now } ?? true }

  /// True of the first refusal since the last success: the one to tell of.
  mutating func refused(_ key: Key, at now: UInt64) -> Bool {
    let count = refusals[key]?.count ?? 0
    refusals[key] = (count + 1, now + Self.first << UInt64(min(count, Self.mostDoublings)))
    return count == 0
  }

  mutating func succeeded(_ key: Key) { refusals[key] = nil }

  /// Forgets what is no longer wanted.
  mutating func keep(where isWanted: (Key) -> Bool) { refusals = refusals.filter { isWanted($0.key) } }
}
