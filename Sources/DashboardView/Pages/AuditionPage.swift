import SessionModel

/// A person who hears themselves: what happens now, levels meanwhile, and afterwards what was recorded.
enum AuditionPage {
  private static let mostSpectrogramRows = 16

  /// Draws nothing of what was before, if `status` is nil: it is about to begin.
  static func draw(_ status: AuditionStatus?, _ picture: CallHistory, _ body: Range<Int>, on canvas: inout Canvas) {
    canvas.rule(body.lowerBound, "How others hear you")
    guard let status else { return _ = canvas.put("about to begin", 2, body.lowerBound + 1, .faint) }
    var y = body.lowerBound + 1
    let isHeard = status.phase != .ended && (status.phase != .done || status.findings?.hasVoice != false)
    canvas.put(status.words, 2, y, isHeard ? .heading : .alarm, width: canvas.width - 3)
    y += 1
    if status.isActive, status.seconds > 0 {
      let share = status.phase == .preparing ? 0 : status.elapsed / status.seconds
      canvas.bar(share, 2, y, width: canvas.width - 4, style: .barLow)
      y += 1
    }
    for (name, level) in [("Microphone", status.microphoneLevel), ("Voice", status.voiceLevel)] {
      guard let level else { continue }
      canvas.put(name, 2, y, .label)
      let end = canvas.put(Numbers.dBFS(level), 13, y, width: 11)
      canvas.meter(level, max(end + 1, 25), y, width: canvas.width - 27)
      y += 1
    }
    if status.phase == .preparing || status.phase == .recording {
      canvas.put("Talk as in a call; if others come from a loudspeaker, let something play.", 2, y, width: canvas.width - 3)
      y += 1
    }
    for line in status.findings?.lines ?? [] where y < body.upperBound {
      canvas.put(line, 2, y, width: canvas.width - 3)
      y += 1
    }
    draw(picture, y..<body.upperBound, &canvas)
  }

  /// Draws both spectrograms over the seconds that were recorded.
  private static func draw(_ picture: CallHistory, _ rows: Range<Int>, _ canvas: inout Canvas) {
    guard let last = picture.points.last, rows.count >= 4 else { return }
    let seconds = last.time + CallHistory.interval
    canvas.rule(rows.lowerBound, "\(Int(seconds.rounded())) seconds, from the first to the last")
    let width = canvas.width - GraphsPage.labelWidth - GraphsPage.valueWidth
    let columns = HistoryColumns(picture, span: seconds, count: width)
    let count = min((rows.count - 1) / 2, mostSpectrogramRows)
    var y = rows.lowerBound + 1
    for (name, bands) in [("Raw", columns.bands(\.microphone)), ("Processed", columns.bands(\.voice))] {
      GraphsPage.spectrogram(name, bands, y, rows: count, width, &canvas)
      y += count
    }
  }
}

extension Frame {
  /// An audition with what it recorded, as rows of text. [any]
  package static func rows(of report: AuditionReport, width: Int, glyphs: GlyphSet) -> [String] {
    let size = Size(width: max(width, 40), height: 24)
    var canvas = Canvas(size: size, set: glyphs)
    AuditionPage.draw(report.status, report.picture, 0..<size.height, on: &canvas)
    var rows = (0..<size.height).map(canvas.frame.text(row:))
    while rows.last?.isEmpty == true { rows.removeLast() }
    return rows
  }
}
