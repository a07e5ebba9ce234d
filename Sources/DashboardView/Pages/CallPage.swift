import SessionModel

/// The whole call on one page, in signal order: route, graph, processing, levels, participants, log.
enum CallPage {
  private static let labelEnd = 12

  static func draw(_ snapshot: Snapshot, _ state: ViewState, _ body: Range<Int>, on canvas: inout Canvas) {
    var y = body.lowerBound
    drawRoute(snapshot, &y, &canvas)
    drawGraph(snapshot.graph, &y, &canvas)
    if let outgoing = outgoing(snapshot, canvas.frame.size) {
      canvas.put("Outgoing", 1, y, .label)
      canvas.put(outgoing.text, labelEnd + 1, y, width: canvas.width - labelEnd - 2)
      y += 1
    }
    if let rehearsal = snapshot.rehearsal {
      drawRehearsal(rehearsal, isMuted: snapshot.session.isMicrophoneMuted, &y, &canvas)
    }
    drawProcessing(snapshot.processing, showsMode: showsMode(snapshot, canvas.frame.size), &y, &canvas)
    drawLevels(snapshot.processing, &y, &canvas)
    let table = SinkTable(width: canvas.width, hasRemote: snapshot.sinks.contains { $0.remote != nil })
    let rows = sinkRows(snapshot, canvas.frame.size)
    table.drawHeader(y, shown: rows, of: snapshot.sinks.count, on: &canvas)
    y += 1
    if snapshot.sinks.isEmpty {
      canvas.put("no participants: they appear when a program registers a speaker output", 2, y, .faint, width: canvas.width - 3)
    } else {
      table.draw(snapshot, state, rows: y..<y + rows, on: &canvas)
    }
    y += max(rows, 1)
    drawLog(snapshot.log, state, y..<body.upperBound, &canvas)
  }

  /// Rows that the page always has.
  private static func fixedRows(_ snapshot: Snapshot) -> Int { 5 + (snapshot.rehearsal == nil ? 0 : 1) + 6 + 4 + 1 }

  /// The rows of outgoing audio and of the mic mode are shown only if a participant and a log line still fit; a non-standard mode comes
  /// first.
  private static func outgoing(_ snapshot: Snapshot, _ size: Size) -> OutgoingRow? {
    let isFirst = snapshot.processing.micMode.requested == .standard
    return room(snapshot, size) >= (isFirst ? 3 : 4) ? OutgoingRow(snapshot) : nil
  }

  private static func showsMode(_ snapshot: Snapshot, _ size: Size) -> Bool {
    let isFirst = snapshot.processing.micMode.requested != .standard || OutgoingRow(snapshot) == nil
    return room(snapshot, size) >= (isFirst ? 3 : 4)
  }

  private static func room(_ snapshot: Snapshot, _ size: Size) -> Int { Chrome.body(snapshot, size).count - fixedRows(snapshot) }

  /// The number of rows for participants: all of them if they fit, but never all the room.
  static func sinkRows(_ snapshot: Snapshot, _ size: Size) -> Int {
    let body = Chrome.body(snapshot, size)
    let above = fixedRows(snapshot) + (outgoing(snapshot, size) == nil ? 0 : 1) + (showsMode(snapshot, size) ? 1 : 0)
    let free = body.count - above
    let forLog = free <= 6 ? 1 : max(3, free / 3)
    return min(snapshot.sinks.count, free - forLog)
  }

  private static func drawRoute(_ snapshot: Snapshot, _ y: inout Int, _ canvas: inout Canvas) {
    let session = snapshot.session
    let right = " \(canvas.glyphs.toRight) "
    let left = " \(canvas.glyphs.toLeft) "
    let room = canvas.width - labelEnd - 2
    func name(_ device: Device?) -> String { device?.description ?? "none" }
    func media(_ ids: [String], none: String) -> String { ids.isEmpty ? none : ids.joined(separator: ", ") }

    let open = snapshot.graph.captureLinks > 0 ? "" : " (closed)"
    canvas.put("Microphone", 1, y, .label)
    var end = canvas.put(name(snapshot.route.microphone), labelEnd + 1, y, width: room / 2)
    end = canvas.put(open + right + "nearend" + right, end, y, .faint)
    canvas.put(media(session.sendMedia, none: "nobody records"), end, y, width: canvas.width - end - 1)
    y += 1
    canvas.put("Speaker", 1, y, .label)
    end = canvas.put(name(snapshot.route.speaker), labelEnd + 1, y, width: room / 2)
    end = canvas.put(left + "nearend" + left, end, y, .faint)
    let others = snapshot.ducking.streams.isEmpty ? "" : ", others \(Numbers.dB(snapshot.ducking.gain))"
    end = canvas.put(media(session.receiveMedia, none: "nobody plays"), end, y, width: canvas.width - end - 1 - others.count)
    canvas.put(others, end, y, .caution)
    y += 1
  }

  private static func drawGraph(_ graph: GraphStatus, _ y: inout Int, _ canvas: inout Canvas) {
    let x = labelEnd + 1
    canvas.put("Graph", 1, y, .label)
    if graph.isConnected, graph.quantum > 0 {
      let period = Numbers.milliseconds(frames: graph.quantum, rate: graph.rate)
      let end = canvas.put("quantum \(graph.quantum) at \(graph.rate) Hz (\(period)), busy ", x, y)
      let isBusy = graph.busyRatioPeak >= 0.5
      let busy = "\(decimal(graph.busyRatio * 100, 1)) %, peak \(decimal(graph.busyRatioPeak * 100, 1)) %"
      canvas.put(busy, end, y, isBusy ? .caution : .plain)
    } else {
      canvas.put(graph.isConnected ? "no cycle has run yet" : "not connected to PipeWire", x, y, graph.isConnected ? .plain : .alarm)
    }
    y += 1
    canvas.put("Latency", 1, y, .label)
    func latency(_ frames: Int) -> String {
      graph.rate > 0 ? "\(frames) frames (\(Numbers.milliseconds(frames: frames, rate: graph.rate)))" : "\(frames) frames"
    }
    canvas.put("capture \(latency(graph.captureLatency)), render \(latency(graph.renderLatency))", x, y)
    y += 1
    canvas.put("Driver", 1, y, .label)
    let cycles = ", \(Numbers.count(graph.xruns)) xrun\(graph.xruns == 1 ? "" : "s") in \(graph.cycles) cycles"
    let end = canvas.put(graph.driver.isEmpty ? "none" : graph.driver, x, y, width: canvas.width - x - cycles.count - 1)
    canvas.put(cycles, end, y)
    y += 1
  }

  private static func drawRehearsal(_ rehearsal: RehearsalStatus, isMuted: Bool, _ y: inout Int, _ canvas: inout Canvas) {
    // While muted, measurements say nothing about the canceller.
    func measured(_ value: Double?, _ text: (Double) -> String) -> String { isMuted ? "n/a" : value.map(text) ?? "not yet" }
    let reduction = measured(rehearsal.erle) { decimal($0, 1) + " dB lower" }
    let nearEnd = measured(rehearsal.nearEndLevel) { Numbers.dB($0) }
    canvas.put("Rehearsal", 1, y, .label)
    let end = canvas.put(rehearsal.phase.word, labelEnd + 1, y, .heading)
    canvas.put(
      ", echo \(reduction), near end \(nearEnd), \(Numbers.duration(rehearsal.seconds))", end, y, width: canvas.width - end - 1)
    y += 1
  }

  private static func drawProcessing(_ processing: ProcessingStatus, showsMode: Bool, _ y: inout Int, _ canvas: inout Canvas) {
    let use = processing.isInUse ? "" : ", NOT IN USE"
    canvas.rule(y, "Voice processing: \(processing.engineName)\(use)")
    y += 1
    let keys: [ProcessingComponent: String] = [
      .highPassFilter: "H", .echoCancellation: "e", .noiseSuppression: "n", .gainControl: "g",
    ]
    for component in ProcessingComponent.allCases {
      let status = processing.components.first { $0.component == component }
      switchRow(
        keys[component] ?? "", component.abbreviation, component.name, status?.word ?? "off", status?.style ?? .plain, y, &canvas)
      y += 1
    }
    if showsMode {
      switchRow("v", "Mode", "of the microphone", processing.micMode.words, processing.micMode.style, y, &canvas)
      y += 1
    }
    let bypass = processing.isBypassed ? "ON: the raw microphone is heard" : "off"
    switchRow("b", "Bypass", "raw microphone", bypass, processing.isBypassed ? .caution : .plain, y, &canvas)
    y += 1
  }

  private static func switchRow(
    _ key: String, _ short: String, _ name: String, _ word: String, _ style: Style, _ y: Int, _ canvas: inout Canvas
  ) {
    canvas.put(key, 1, y, .footerKey)
    canvas.put(short, 3, y, .label)
    canvas.put(name, 10, y, .label)
    canvas.put(word, 29, y, style, width: canvas.width - 30)
  }

  /// How far the echo is reduced in all, where the suppressor does more than the filter, and the filter's ERLE, which only nearend's engine
  /// tells.
  private static func measuredEcho(_ processing: ProcessingStatus) -> String {
    guard let erle = processing.filterERLE else {
      return processing.wholeReduction.map { ", \(decimal($0, 1)) dB lower" } ?? ""
    }
    let isTwofold = [.converging, .cancelling, .suppressing].contains(processing.echo)
    if isTwofold, let reduction = processing.echoReduction, abs(reduction - erle) >= 0.05 {
      return ", \(decimal(reduction, 1)) dB lower, ERLE \(decimal(erle, 1))"
    }
    return ", ERLE \(decimal(erle, 1)) dB"
  }

  private static func drawLevels(_ processing: ProcessingStatus, _ y: inout Int, _ canvas: inout Canvas) {
    // The longest text: "only hidden, 57.6 dB lower, ERLE 23.1".
    let (textStart, meterLabel, meterStart) = (10, 48, 58)
    func put(_ label: String, _ text: String, _ row: Int, _ style: Style = .plain) {
      canvas.put(label, 3, row, .label)
      canvas.put(text, textStart, row, style, width: meterLabel - 1 - textStart)
    }
    put("Echo", processing.echo.word + measuredEcho(processing), y, processing.echo.style)
    let measured = processing.echoDelay.map { "measured " + decimal($0, 1) } ?? "not measured"
    put("Delay", "\(measured), graph \(decimal(processing.streamDelay, 1)) ms", y + 1)
    put("Gain", "AGC \(Numbers.dB(processing.gain)), limiter \(Numbers.dB(processing.limiterGain))", y + 2)
    put("Voice", processing.hasVoice ? "speaking" : "no speech", y + 3, processing.hasVoice ? .good : .plain)

    let meters = [
      ("Mic", processing.microphoneLevel), ("Reference", processing.referenceLevel),
      ("Voice", processing.voiceLevel), ("Speaker", processing.speakerLevel),
    ]
    for (row, (label, level)) in meters.enumerated() {
      canvas.put(label, meterLabel, y + row, .label)
      let width = min(80, canvas.width - meterStart - 13)
      canvas.meter(level, meterStart, y + row, width: width)
      canvas.put(Numbers.dBFS(level), meterStart + width + 1, y + row, width: 11, align: .right)
    }
    y += meters.count
  }

  private static func drawLog(_ log: [LogEntry], _ state: ViewState, _ rows: Range<Int>, _ canvas: inout Canvas) {
    var rows = rows
    if rows.count > 1 {
      canvas.rule(rows.lowerBound, "Log")
      rows = rows.dropFirst()
    }
    for (row, entry) in zip(rows, log.suffix(rows.count)) { LogPage.draw(entry, state, row, on: &canvas) }
  }
}
