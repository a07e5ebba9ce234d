/// Records a session's interruptions and their outcomes (I1), derived from the session's states and their times. [any]
package struct InterruptionHistory: Sendable {
  /// Number of interruptions that are kept.
  package static let capacity = 20

  private struct Entry {
    var record: InterruptionRecord
    /// When it began, in seconds since boot.
    let clock: Double
  }
  private var entries: [Entry] = []

  package init() {}

  /// Records a change of the session.
  /// - Parameters:
  ///   - old: the session before the change.
  ///   - new: the session after it.
  ///   - isRecovered: whether `didRecover` is posted for this change.
  ///   - time: seconds since 1970-01-01 00:00 UTC.
  ///   - clock: seconds since boot, including time asleep: a monotonic clock stands still during sleep.
  package mutating func note(from old: SessionState, to new: SessionState, isRecovered: Bool, time: Double, clock: Double) {
    for reason in new.interruptions where !old.interruptions.contains(reason) {
      entries.append(Entry(record: InterruptionRecord(reason: reason, began: time, duration: 0, outcome: .holds), clock: clock))
    }
    for index in entries.indices where entries[index].record.outcome == .holds && !new.interruptions.contains(entries[index].record.reason)
    {
      entries[index].record.duration = max(0, clock - entries[index].clock)
      entries[index].record.outcome = .waits
    }
    let isAwaited = !new.interruptions.isEmpty || new.awaitsRecovery || (new.settings.isManual && !new.media.isEmpty)
    guard isRecovered || !isAwaited else { return trim() }
    for index in entries.indices where entries[index].record.outcome == .waits {
      entries[index].record.outcome = isRecovered ? .recovered : .ended
    }
    trim()
  }

  private mutating func trim() { entries.removeFirst(max(0, entries.count - Self.capacity)) }

  /// Returns the records, oldest first; for current ones the duration so far.
  package func records(at clock: Double) -> [InterruptionRecord] {
    entries.map { entry in
      var record = entry.record
      if record.outcome == .holds { record.duration = max(0, clock - entry.clock) }
      return record
    }
  }
}
