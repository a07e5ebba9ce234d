/// When a bus that is not there, or was lost, is tried again: by itself after a second, then ever more rarely, and a few seconds after the
/// last attempt where something is to be shown anyway. Times are seconds of a monotonic clock.
struct BusRetries: Equatable {
  /// Seconds between attempts: the least and the most of those that it makes by itself, and the most where something changes.
  static let patience = (least: 1.0, most: 60.0, change: 5.0)

  private var wait = patience.least / 2
  private var last = -Double.infinity

  /// When it is tried by itself.
  var next: Double { last + wait }

  /// Returns whether a change may have it tried now.
  func isPossible(at now: Double) -> Bool { now >= last + min(wait, Self.patience.change) }

  /// Notes that it is tried: if that fails, the next attempt is twice as far away as this one was.
  mutating func noteAttempt(at now: Double) { (last, wait) = (now, min(wait * 2, Self.patience.most)) }

  /// Notes that the bus of the last attempt is gone. One that lasted may be back at once; one that lets nobody in is left alone for longer
  /// each time.
  mutating func noteLoss(at now: Double) {
    if now - last >= Self.patience.change { self = BusRetries() }
    noteAttempt(at: now)
  }
}
