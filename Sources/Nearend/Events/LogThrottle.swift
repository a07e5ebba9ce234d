import SessionModel

/// Limits how fast lines of the log are written out, so that whoever provokes one with every request cannot fill a journal. Each level has
/// a rate of its own: notes do not hide warnings.
package struct LogThrottle: Sendable {
  /// Lines that may be written at once.
  package static let burst = 200
  /// Lines per second after that.
  package static let rate = 5.0

  private struct Level {
    var tokens = Double(LogThrottle.burst)
    var time = -Double.infinity
    var omitted = 0
  }
  private var levels: [LogEntry.Level: Level] = [:]

  package init() {}

  /// Returns whether to write a line at `now` (CLOCK_MONOTONIC, seconds), and how many before it were left out; nil to leave it out.
  package mutating func admit(_ level: LogEntry.Level, at now: Double) -> Int? {
    var state = levels[level] ?? Level()
    defer { levels[level] = state }
    state.tokens = min(Double(Self.burst), state.tokens + max(0, now - state.time) * Self.rate)
    state.time = now
    guard state.tokens >= 1 else {
      state.omitted += 1
      return nil
    }
    state.tokens -= 1
    defer { state.omitted = 0 }
    return state.omitted
  }
}
