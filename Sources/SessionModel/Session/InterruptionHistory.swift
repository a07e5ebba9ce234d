/// What held a session up, and what came of it (I1): a function of the session's states and of when they changed. [any]
public struct InterruptionHistory: Sendable {
  /// Interruptions that are remembered.
  public static let capacity = 20

  private struct Entry {
    var record: InterruptionRecord
    /// When it began, in seconds of a clock that never goes back.
    let clock: Double
  }
  private var entries: [Entry] = []

  public init() {}

  /// The session changed.
  /// - Parameters:
  ///   - old: the session before the change.
  ///   - new: the session after it.
  ///   - isRecovered: true where `didRecover` is posted for this change.
  ///   - time: seconds since 1970-01-01 00:00 UTC.
  ///   - clock: seconds of a clock that never goes back.
  public mutating func note(from old: SessionState, to new: SessionState, isRecovered: Bool, time: Double, clock: Double) {
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

  /// Oldest first; of those that hold, the duration so far.
  public func records(at clock: Double) -> [InterruptionRecord] {
    entries.map { entry in
      var record = entry.record
      if record.outcome == .holds { record.duration = max(0, clock - entry.clock) }
      return record
    }
  }
}
