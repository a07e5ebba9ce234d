import SessionModel

/// What a person in a call needs, in a terminal too small for the pages: state, mute, echo, who hears whom (U6).
enum CompactView {
  private static let labelEnd = 10

  /// A row below the banners.
  private struct Row {
    var label: String
    var text: String
    var style = Style.plain
    /// A level in dBFS to draw behind the text.
    var level: Double?
  }

  static func draw(_ snapshot: Snapshot, _ state: ViewState, on canvas: inout Canvas) {
    canvas.fill(row: 0, .title)
    let end = canvas.put("nearend", 1, 0, .title)
    canvas.put(snapshot.session.state.word, end + 1, 0, Chrome.badgeStyle(snapshot), width: canvas.width - end - 2)
    let footer = canvas.height - 1
    var y = drawBanners(snapshot, above: canvas.height - 4, &canvas)
    if state.isHelpShown {
      HelpPage.draw(nil, y..<footer, on: &canvas)
    } else {
      for row in audition(snapshot, state, width: canvas.width) + rows(snapshot, width: canvas.width) where y < footer {
        canvas.put(row.label, 1, y, .label, width: labelEnd - 1)
        let end = canvas.put(row.text, labelEnd, y, row.style, width: canvas.width - labelEnd - 1)
        if let level = row.level { canvas.meter(level, end + 1, y, width: max(0, canvas.width - end - 2)) }
        y += 1
      }
      for entry in snapshot.log.suffix(max(0, footer - y)) {
        LogPage.draw(entry, state, y, on: &canvas)
        y += 1
      }
    }
    Chrome.footer(state, canvas.frame.size, &canvas)
  }

  /// Draws the banners over as many rows as their words need, or one if there are no more, and returns the row below them.
  private static func drawBanners(_ snapshot: Snapshot, above end: Int, _ canvas: inout Canvas) -> Int {
    var y = 1
    for banner in Banner.all(snapshot) where y < end {
      let lines = CellText.wrap(banner.text, width: canvas.width - 2, set: canvas.set)
      for line in y + lines.count <= end ? lines : [banner.text] {
        canvas.fill(row: y, banner.style)
        canvas.put(line, 1, y, banner.style, width: canvas.width - 2)
        y += 1
      }
    }
    return y
  }

  /// What a person who has heard themselves wants to know, until they close it. While it is at work, a banner tells.
  private static func audition(_ snapshot: Snapshot, _ state: ViewState, width: Int) -> [Row] {
    guard let before = state.auditionBefore, let audition = snapshot.audition, audition.number > before, !audition.isActive else {
      return []
    }
    guard let findings = audition.findings, audition.phase == .done else {
      return [Row(label: "Yourself", text: audition.words, style: .alarm)]
    }
    guard let raw = findings.microphoneLevel, let heard = findings.voiceLevel else {
      return [Row(label: "Yourself", text: "no voice was heard", style: .alarm)]
    }
    let levels = "raw \(Int(raw.rounded())), heard \(Int(heard.rounded())) dBFS"
    let echo = findings.echoReduction.map { ", echo \(Int($0.rounded())) dB lower" } ?? ""
    return [Row(label: "Yourself", text: levels.count + echo.count < width - labelEnd ? levels + echo : levels)]
  }

  /// The volumes that are not 100 %, in as many rows as they need: of one that is cut, the number would be lost.
  private static func turned(_ volumes: VolumesStatus, width: Int) -> [Row] {
    let texts = zip(volumes.ends, VolumesRow(volumes, isWide: false).parts)
      .filter { $0.0.status.isMuted || percent($0.0.status.volume) != "100 %" }.map(\.1.text)
    return texts.reduce(into: []) { rows, text in
      let line = rows.last.map { "\($0.text), \(text)" } ?? text
      if !rows.isEmpty, labelEnd + line.count < width {
        rows[rows.count - 1].text = line
      } else {
        rows.append(Row(label: rows.isEmpty ? "Volumes" : "", text: text))
      }
    }
  }

  /// The rows, most important first.
  private static func rows(_ snapshot: Snapshot, width: Int) -> [Row] {
    let (session, processing, volumes) = (snapshot.session, snapshot.processing, snapshot.route.volumes)
    func list(_ ids: [String], none: String) -> String { ids.isEmpty ? none : ids.joined(separator: ", ") }
    func level(_ label: String, _ level: Double) -> Row {
      let text = Numbers.dBFS(level)
      return Row(label: label, text: text + String(repeating: " ", count: max(0, 11 - text.count)), level: level)
    }
    // While nobody is in a call nothing is in effect, and the switches are as they were set.
    let isInCall = session.state == .active
    let switches = processing.components.map {
      "\($0.component.abbreviation) \((isInCall ? $0.isEffective : $0.isRequested) ? "on" : "OFF")"
    }
    var rows = [
      Row(label: "Echo", text: processing.echo.words + CallPage.measuredEcho(processing), style: processing.echo.style),
      level("Voice", processing.voiceLevel),
      Row(label: "Heard by", text: list(session.sendMedia, none: "nobody")),
      Row(label: "Hears", text: list(session.receiveMedia, none: "nobody")),
      level("Speaker", processing.speakerLevel),
    ]
    rows.insert(contentsOf: turned(volumes, width: width), at: 4)
    if processing.micMode.requested != .standard {
      rows.append(Row(label: "Mode", text: processing.micMode.words, style: processing.micMode.style))
    }
    rows += [
      Row(label: "Switches", text: switches.joined(separator: ", ")),
      Row(label: "Mic", text: snapshot.route.microphone?.description ?? "none"),
      Row(label: "Plays on", text: snapshot.route.speaker?.description ?? "none"),
    ]
    rows += snapshot.sinks.prefix(8).map {
      Row(label: $0.id, text: "\($0.state.word)\($0.isMuted ? ", MUTED" : "")", style: $0.state.style)
    }
    return rows
  }
}
