import SessionModel

/// The last minutes as curves and spectrograms (U5): newest at the right, everything in step.
enum GraphsPage {
  /// Spans that can be shown, in seconds.
  static let spans = [30.0, 60, 120, 300, 600]

  static let labelWidth = 12
  static let valueWidth = 13
  private static let mostSpectrogramRows = 24

  static func draw(_ snapshot: Snapshot, _ history: CallHistory, _ state: ViewState, _ body: Range<Int>, on canvas: inout Canvas) {
    let span = spans[state.graphSpan]
    canvas.rule(body.lowerBound, "Now and \(words(span)) back")
    guard let newest = history.points.last else {
      canvas.put("nothing yet: curves begin with the first cycle", 2, body.lowerBound + 1, .faint)
      return
    }
    let width = canvas.width - labelWidth - valueWidth
    let columns = HistoryColumns(history, span: span, count: width)
    let strips = strips(snapshot, columns, newest)
    let sinks = sinks(snapshot, columns)
    let rows = Rows(body: body.count, strips: strips.count, sinks: sinks.count)
    var y = body.lowerBound + 1
    for strip in strips {
      draw(strip, y, rows: rows.strip, width, &canvas)
      y += rows.strip
    }
    for sink in sinks.prefix(rows.sinks) {
      draw(sink, y, rows: 1, width, &canvas)
      y += 1
    }
    let hidden = sinks.count - rows.sinks
    canvas.rule(y, "Spectrograms\(hidden > 0 ? "; \(hidden) more participant\(hidden == 1 ? "" : "s"): enlarge the terminal" : "")")
    y += 1
    for (name, bands) in [("Microphone", columns.bands(\.microphone)), ("Voice", columns.bands(\.voice))] where rows.spectrogram > 0 {
      spectrogram(name, bands, y, rows: rows.spectrogram, width, &canvas)
      y += rows.spectrogram
    }
    axis(span, body.upperBound - 1, width, &canvas)
  }

  /// The distribution of a page's rows.
  private struct Rows {
    var strip = 1
    var sinks: Int
    var spectrogram: Int

    /// Of the rows beside two rules and the axis, a third goes to the strips, and the remainder to the spectrograms.
    init(body: Int, strips: Int, sinks count: Int) {
      strip = min(max((body - 3) / 3 / strips, 1), 4)
      sinks = min(count, max(3, body / 6))
      spectrogram = min(max((body - 3 - strips * strip - sinks) / 2, 0), GraphsPage.mostSpectrogramRows)
    }
  }

  // MARK: Curves

  private struct Strip {
    var label: String
    var value: String
    /// 0–1; nil leaves a gap.
    var shares: [Double?]
    var style: (Double) -> Style = { _ in .barLow }
    /// Columns with a fault.
    var faults: [Bool] = []
  }

  private static func strips(_ snapshot: Snapshot, _ columns: HistoryColumns, _ newest: HistoryPoint) -> [Strip] {
    func level(_ label: String, _ value: @escaping (HistoryPoint) -> Double?) -> Strip {
      let levels = columns.largest(value)
      return Strip(
        label: label, value: value(newest).map { "\(Numbers.dBFS($0))" } ?? "closed", shares: levels.map { $0.map { ($0 + 60) / 60 } }
      ) {
        let level = $0 * 60 - 60
        return level >= -3 ? .barHigh : level >= -12 ? .barMiddle : .barLow
      }
    }
    let delays = columns.largest(\.echoDelay)
    let longest = DelayScale.end(holding: delays)
    let xruns = columns.sums { $0.xruns }
    return [
      level("Microphone", \.microphoneLevel), level("Voice", \.voiceLevel), level("Speaker") { $0.speakerLevel },
      Strip(
        label: snapshot.processing.engine == .webrtc ? "Echo lower" : "ERLE 0-60", value: newest.erle.map { "\(decimal($0, 1)) dB" } ?? "-",
        shares: columns.largest(\.erle).map { $0.map { $0 / 60 } }),
      Strip(
        label: "Delay 0-\(Int(longest))", value: newest.echoDelay.map { "\(decimal($0, 1)) ms" } ?? "-",
        shares: delays.map { $0.map { $0 / longest } }),
      Strip(
        label: "Cycle load", value: "\(decimal(newest.busyRatio * 100, 1)) %", shares: columns.largest { $0.busyRatio }.map { $0 },
        style: { $0 >= 0.8 ? .barHigh : $0 >= 0.5 ? .barMiddle : .barLow }, faults: xruns.map { $0 > 0 }),
    ]
  }

  private static func sinks(_ snapshot: Snapshot, _ columns: HistoryColumns) -> [Strip] {
    snapshot.sinks.filter { $0.kind == .ring }.prefix(CallHistory.mostSinks).map { sink in
      let underruns = columns.sums { $0.sink(sink.id)?.underruns ?? 0 }
      let total = underruns.reduce(0, +)
      return Strip(
        label: sink.id, value: "\(Numbers.percent(sink.fill)) \(total) under",
        shares: columns.largest { $0.sink(sink.id)?.fill }.map { $0 },
        faults: underruns.map { $0 > 0 })
    }
  }

  private static func draw(_ strip: Strip, _ y: Int, rows: Int, _ width: Int, _ canvas: inout Canvas) {
    canvas.put(strip.label, 1, y, .label, width: labelWidth - 2)
    canvas.area(strip.shares, labelWidth, y, rows: rows, style: strip.style)
    for (column, isFault) in strip.faults.enumerated() where isFault {
      canvas.put(canvas.glyphs.fault, labelWidth + column, y + rows - 1, .alarm)
    }
    canvas.put(strip.value, labelWidth + width, y, width: valueWidth - 1, align: .right)
  }

  // MARK: Spectrograms

  /// Draws bands (lowest first) by column; several share a row, of which the strongest shows.
  static func spectrogram(_ name: String, _ bands: [[UInt8]?], _ y: Int, rows: Int, _ width: Int, _ canvas: inout Canvas) {
    canvas.put(name, 1, y, .label, width: labelWidth - 2)
    canvas.put("20 kHz", labelWidth + width + 1, y, .faint, width: valueWidth - 2)
    if rows > 1 { canvas.put("0 Hz", labelWidth + width + 1, y + rows - 1, .faint, width: valueWidth - 2) }
    for (column, bands) in bands.enumerated() {
      guard let bands else { continue }
      for row in 0..<rows {
        let first = (rows - 1 - row) * bands.count / rows
        let end = max(first + 1, (rows - row) * bands.count / rows)
        guard first < bands.count else { continue }
        canvas.shade(SpectrogramScale.intensity(bands[first..<min(end, bands.count)].max() ?? 0), labelWidth + column, y + row)
      }
    }
  }

  private static func axis(_ span: Double, _ y: Int, _ width: Int, _ canvas: inout Canvas) {
    canvas.put("\(words(span)) ago", labelWidth, y, .faint, width: width / 2)
    canvas.put("now", labelWidth + width - 3, y, .faint, width: 3)
    canvas.put("h l span", labelWidth + width / 2 - 4, y, .faint, width: 8)
  }

  private static func words(_ span: Double) -> String {
    let seconds = Int(span)
    return seconds < 60 ? "\(seconds) s" : seconds == 60 ? "1 minute" : "\(seconds / 60) minutes"
  }
}
