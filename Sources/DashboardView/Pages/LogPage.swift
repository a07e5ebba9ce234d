import SessionModel

/// The event log, newest entry at the bottom; long messages take several rows.
enum LogPage {
  private static let messageColumn = 18

  /// Index of the newest entry shown: the last one, unless the page is scrolled back to an entry that still exists.
  static func newestShown(_ log: [LogEntry], anchor: LogEntry?) -> Int {
    guard let anchor else { return log.count - 1 }
    return log.lastIndex(of: anchor) ?? 0
  }

  /// Index of the last entry on a screen that starts with the oldest: the limit of scrolling back.
  static func newestOfFirstScreen(_ log: [LogEntry], width: Int, rows: Int) -> Int {
    var used = 0
    for (index, entry) in log.enumerated() {
      used += lines(entry, width: width, .unicode).count
      if used >= rows { return index }
    }
    return log.count - 1
  }

  static func draw(_ log: [LogEntry], _ state: ViewState, _ body: Range<Int>, on canvas: inout Canvas) {
    guard !log.isEmpty else {
      canvas.put("no log entries yet", 1, body.lowerBound, .faint)
      return
    }
    let newest = max(
      newestShown(log, anchor: state.logAnchor), newestOfFirstScreen(log, width: canvas.width, rows: body.count - 1))
    let below = log.count - 1 - newest
    let rows = below > 0 ? body.dropLast() : body
    var shown: [(entry: LogEntry, lines: [String])] = []
    var used = 0
    for entry in log[...newest].reversed() where used < rows.count {
      shown.append((entry, lines(entry, width: canvas.width, canvas.set)))
      used += shown[shown.count - 1].lines.count
    }
    // The oldest entry shown may begin above the page.
    var y = rows.lowerBound - max(0, used - rows.count)
    for (entry, lines) in shown.reversed() {
      for (index, line) in lines.enumerated() {
        if y >= rows.lowerBound {
          if index == 0 { drawHead(entry, state, y, &canvas) }
          canvas.put(line, messageColumn, y, entry.level == .error ? .alarm : .plain)
        }
        y += 1
      }
    }
    if below > 0 { canvas.rule(body.upperBound - 1, "\(below) newer: End") }
  }

  /// Draws one row: time, level, and as much of the message as fits.
  static func draw(_ entry: LogEntry, _ state: ViewState, _ y: Int, on canvas: inout Canvas) {
    drawHead(entry, state, y, &canvas)
    canvas.put(entry.message, messageColumn, y, entry.level == .error ? .alarm : .plain, width: canvas.width - messageColumn - 1)
  }

  private static func drawHead(_ entry: LogEntry, _ state: ViewState, _ y: Int, _ canvas: inout Canvas) {
    canvas.put(Numbers.clock(entry.time, utcOffset: state.utcOffset), 1, y, .faint)
    canvas.put(entry.level.word, 10, y, entry.level.style)
  }

  private static func lines(_ entry: LogEntry, width: Int, _ set: GlyphSet) -> [String] {
    CellText.wrap(entry.message, width: width - messageColumn - 1, set: set)
  }
}
