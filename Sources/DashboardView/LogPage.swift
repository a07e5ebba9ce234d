import SessionModel

/// The event log, the newest at the bottom.
enum LogPage {
  /// Index of the newest entry shown: the last, unless the page is scrolled back to an entry that still exists.
  static func newestShown(_ log: [LogEntry], anchor: LogEntry?) -> Int {
    guard let anchor else { return log.count - 1 }
    return log.lastIndex(of: anchor) ?? 0
  }

  static func draw(_ log: [LogEntry], _ state: ViewState, _ body: Range<Int>, on canvas: inout Canvas) {
    guard !log.isEmpty else {
      canvas.put("nothing has happened yet", 1, body.lowerBound, .faint)
      return
    }
    let newest = newestShown(log, anchor: state.logAnchor)
    let hidden = log.count - 1 - newest
    let rows = hidden > 0 ? body.dropLast() : body
    // A screenful ends at the newest entry; where the log starts within it, it starts at the top.
    let last = max(newest, min(rows.count, log.count) - 1)
    for (row, entry) in zip(rows, log[max(0, last + 1 - rows.count)...last]) { draw(entry, state, row, on: &canvas) }
    if hidden > 0 {
      canvas.rule(body.upperBound - 1, "\(log.count - 1 - last) newer below: End")
    }
  }

  /// One line: time, level, message.
  static func draw(_ entry: LogEntry, _ state: ViewState, _ y: Int, on canvas: inout Canvas) {
    canvas.put(Numbers.clock(entry.time, utcOffset: state.utcOffset), 1, y, .faint)
    canvas.put(entry.level.word, 10, y, entry.level.style)
    canvas.put(entry.message, 18, y, entry.level == .error ? .alarm : .plain, width: canvas.width - 19)
  }
}
