import SessionModel

/// The whole call on one page: who hears whom, processing and levels, the graph, participants, log (U1, U6).
enum CallPage {
  private static let labelEnd = 12

  static func draw(_ snapshot: Snapshot, _ state: ViewState, _ body: Range<Int>, on canvas: inout Canvas) {
    var y = body.lowerBound
    let plan = CallPlan(snapshot, rows: body.count)
    drawRoute(snapshot, &y, &canvas)
    canvas.put("Volumes", 1, y, .label)
    VolumesRow(snapshot.route.volumes, isWide: canvas.width >= 110).draw(labelEnd + 1, y, on: &canvas)
    y += 1
    if plan.extras.contains(.outgoing), let outgoing = OutgoingRow(snapshot) {
      canvas.put("Outgoing", 1, y, .label)
      canvas.put(outgoing.text, labelEnd + 1, y, width: canvas.width - labelEnd - 2)
      y += 1
    }
    if let rehearsal = snapshot.rehearsal {
      drawRehearsal(rehearsal, isMuted: snapshot.session.isMicrophoneMuted, &y, &canvas)
    }
    drawProcessing(snapshot.processing, plan, &y, &canvas)
    drawLevels(snapshot.processing, &y, &canvas)
    drawGraph(snapshot.graph, plan, &y, &canvas)
    if plan.sinkRows > 0 {
      let table = SinkTable(width: canvas.width, hasRemote: snapshot.sinks.contains { $0.remote != nil })
      table.drawHeader(y, shown: plan.sinkRows, of: snapshot.sinks.count, on: &canvas)
      table.draw(snapshot, state, rows: y + 1..<y + 1 + plan.sinkRows, on: &canvas)
      y += 1 + plan.sinkRows
    }
    drawLog(snapshot.log, state, y..<max(y, body.upperBound), &canvas)
  }

  /// The number of rows for participants: all of them if they fit, but never all the room.
  static func sinkRows(_ snapshot: Snapshot, _ size: Size) -> Int {
    max(1, CallPlan(snapshot, rows: Chrome.body(snapshot, size).count).sinkRows)
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

  private static func drawGraph(_ graph: GraphStatus, _ plan: CallPlan, _ y: inout Int, _ canvas: inout Canvas) {
    let x = labelEnd + 1
    func row(_ extra: CallPlan.Extra, _ label: String, _ draw: (inout Canvas, Int) -> Void) {
      guard plan.extras.contains(extra) else { return }
      canvas.put(label, 1, y, .label)
      draw(&canvas, y)
      y += 1
    }
    row(.graph, "Graph") { canvas, y in
      guard graph.isConnected, graph.quantum > 0 else {
        canvas.put(graph.trouble ?? "no cycle has run yet", x, y, graph.isConnected ? .plain : .alarm)
        return
      }
      let period = Numbers.milliseconds(frames: graph.quantum, rate: graph.rate)
      let end = canvas.put(
        "quantum \(graph.quantum) at \(graph.rate) Hz (\(period)), busy \(decimal(graph.busyRatio * 100, 1)) %, ", x, y)
      let xruns = "\(Numbers.short(graph.xruns, decimals: 1)) xrun\(graph.xruns == 1 ? "" : "s")"
      canvas.put(graph.trouble ?? xruns, end, y, graph.trouble == nil ? .plain : .caution, width: canvas.width - end - 1)
    }
    func latency(_ frames: Int) -> String {
      graph.rate > 0 ? "\(frames) frames (\(Numbers.milliseconds(frames: frames, rate: graph.rate)))" : "\(frames) frames"
    }
    row(.latency, "Latency") { canvas, y in
      canvas.put("capture \(latency(graph.captureLatency)), render \(latency(graph.renderLatency))", x, y)
    }
    row(.driver, "Driver") { canvas, y in
      let cycles = ", \(Numbers.count(graph.xruns)) xrun\(graph.xruns == 1 ? "" : "s") in \(graph.cycles) cycles"
      let end = canvas.put(graph.driver.isEmpty ? "none" : graph.driver, x, y, width: canvas.width - x - cycles.count - 1)
      canvas.put(cycles, end, y)
    }
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

  private static func drawProcessing(_ processing: ProcessingStatus, _ plan: CallPlan, _ y: inout Int, _ canvas: inout Canvas) {
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
    let mode = processing.micMode
    if plan.extras.contains(.mode) {
      // The reason has a row of its own, so that what to do is not cut off.
      let isSplit = plan.extras.contains(.modeReason)
      switchRow("v", "Mode", "of the microphone", isSplit ? "\(mode.requested.words), NOT HEARD" : mode.words, mode.style, y, &canvas)
      y += 1
      if isSplit {
        canvas.put(mode.reason ?? "", 3, y, mode.style, width: canvas.width - 4)
        y += 1
      }
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
  static func measuredEcho(_ processing: ProcessingStatus) -> String {
    guard processing.echo != .off else { return "" }
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
    put("Echo", processing.echo.words + measuredEcho(processing), y, processing.echo.style)
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
    if rows.count > 2 {
      canvas.rule(rows.lowerBound, "Log")
      rows = rows.dropFirst()
    }
    for (row, entry) in zip(rows, log.suffix(rows.count)) { LogPage.draw(entry, state, row, on: &canvas) }
  }
}
