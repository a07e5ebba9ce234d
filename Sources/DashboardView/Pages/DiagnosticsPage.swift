import SessionModel

/// The whole snapshot as plain lines, wrapped so that none is cut.
enum DiagnosticsPage {
  private static let (labelStart, labelWidth, textStart) = (1, 23, 25)

  static func lineCount(_ snapshot: Snapshot, width: Int, _ set: GlyphSet) -> Int {
    lines(snapshot, utcOffset: 0, width: width, set).count
  }

  static func draw(_ snapshot: Snapshot, _ state: ViewState, _ body: Range<Int>, on canvas: inout Canvas) {
    let lines = lines(snapshot, utcOffset: state.utcOffset, width: canvas.width, state.glyphs)
    let rows = visibleRows(lines.count, body)
    let first = min(state.diagnosticsScroll, lines.count - min(rows, lines.count))
    for (row, (label, text)) in zip(body.prefix(rows), lines[first...]) {
      canvas.put(label, labelStart, row, .label)
      canvas.put(text, textStart, row)
    }
    if rows < lines.count { canvas.rule(body.upperBound - 1, "lines \(first + 1) to \(first + rows) of \(lines.count)") }
  }

  private static func lines(_ snapshot: Snapshot, utcOffset: Int, width: Int, _ set: GlyphSet) -> [(String, String)] {
    let whole = head(snapshot, utcOffset: utcOffset) + snapshot.sinks.flatMap { sink($0, rate: snapshot.graph.rate) }
    return whole.flatMap { label, text in
      let labels = CellText.wrap(label, width: labelWidth, set: set)
      let texts = CellText.wrap(text, width: width - textStart, set: set)
      return (0..<max(labels.count, texts.count)).map { row in
        (row < labels.count ? labels[row] : "", row < texts.count ? texts[row] : "")
      }
    }
  }

  /// Lines that fit; if not all do, the last row says which are shown.
  static func visibleRows(_ count: Int, _ body: Range<Int>) -> Int { count > body.count ? body.count - 1 : body.count }

  private static func head(_ snapshot: Snapshot, utcOffset: Int) -> [(String, String)] {
    let session = snapshot.session
    let banners = Banner.all(snapshot)
    func list(_ ids: [String]) -> String { ids.isEmpty ? "none" : ids.joined(separator: ", ") }
    var lines: [(String, String)] = [
      ("nearend", snapshot.version),
      ("up", Numbers.duration(snapshot.uptime)),
      ("processor", decimal(snapshot.cpuPercent, 2) + " % of one core"),
      ("session", session.state.word),
      (
        "interruption",
        session.interruption.map { "\($0.reason.word) for \(Numbers.duration($0.duration))" } ?? "none"
      ),
    ]
    lines += banners.enumerated().map { ($0 == 0 ? "alarms" : "", $1.text) }
    lines += session.interruptions.reversed().map { record in
      let began = Numbers.clock(record.began, utcOffset: utcOffset)
      return ("  \(began)", "\(record.reason.word) for \(Numbers.duration(record.duration)): \(record.outcome.word)")
    }
    lines += [
      ("microphone muted", session.isMicrophoneMuted ? "yes" : "no"),
      ("mute mode", session.microphoneMuteMode.meaning),
      ("talking while muted", session.isTalkingWhileMuted ? "yes" : "no"),
      ("recording prepared", session.isRecordingAlwaysPrepared ? "always" : "while somebody records"),
      ("send media", list(session.sendMedia)),
      ("receive media", list(session.receiveMedia)),
    ]
    lines += graph(snapshot.graph)
    lines += route(snapshot.route)
    lines.append(("other applications", snapshot.ducking.words))
    lines += processing(snapshot.processing)
    lines += snapshot.stages.map { ("stage \($0.id)", $0.words) }
    lines += outgoing(snapshot)
    if let rehearsal = snapshot.rehearsal {
      lines += [
        ("rehearsal phase", "\(rehearsal.phase.word), \(Numbers.duration(rehearsal.seconds))"),
        ("rehearsal echo", rehearsal.erle.map { decimal($0, 1) + " dB lower" } ?? "not measured yet"),
        ("rehearsal near end", rehearsal.nearEndLevel.map { Numbers.dB($0) } ?? "not measured yet"),
      ]
    }
    lines.append(("log entries", String(snapshot.log.count)))
    lines.append(("participants", String(snapshot.sinks.count)))
    return lines
  }

  private static func outgoing(_ snapshot: Snapshot) -> [(String, String)] {
    let (app, volumes) = (snapshot.appAudio, snapshot.route.volumes)
    func device(_ device: VolumeStatus) -> String { percent(device.volume) + (device.isMuted ? ", muted" : "") }
    let sources = app.sources.map { "\($0.id) \($0.state.word)" }
    return [
      ("volumes", "microphone \(percent(app.micVolume)), app audio \(percent(app.appVolume)), output \(percent(snapshot.outputVolume))"),
      ("app audio", sources.isEmpty ? "none" : "\(sources.joined(separator: ", ")), \(Numbers.dBFS(app.level))"),
      ("app audio ducking", app.isDucking ? "under speech, now \(Numbers.dB(app.duckGain))" : "off"),
      ("app audio monitor", app.isMonitored ? "on the speaker" : "off"),
      ("Nearend Microphone", device(volumes.nearendMicrophone)),
      ("Nearend Speaker", device(volumes.nearendSpeaker)),
      ("real microphone", device(volumes.microphone)),
      ("real speaker", device(volumes.speaker)),
    ]
  }

  private static func graph(_ graph: GraphStatus) -> [(String, String)] {
    func latency(_ frames: Int) -> String { "\(frames) frames, \(Numbers.milliseconds(frames: frames, rate: graph.rate))" }
    let priority = graph.realtimePriority.map { $0 > 0 ? "realtime, \($0)" : "none: other work can make cycles late (nearend doctor)" }
    return [
      ("PipeWire daemon", graph.isConnected ? "connected, \(graph.daemonVersion)" : "not connected"),
      ("node", graph.nodeId.map { "nearend, id \($0)" } ?? "none"),
      ("driver", graph.driver.isEmpty ? "none" : graph.driver),
      ("quantum", latency(graph.quantum)),
      ("rate", "\(graph.rate) Hz"),
      ("cycles", String(graph.cycles)),
      ("busy (B/Q)", "\(decimal(graph.busyRatio * 100, 2)) %, peak \(decimal(graph.busyRatioPeak * 100, 2)) %"),
      ("xruns", String(graph.xruns)),
      ("audio thread", priority ?? "not known before the first cycle"),
      ("capture latency", latency(graph.captureLatency)),
      ("render latency", latency(graph.renderLatency)),
      ("links", "\(graph.captureLinks) from the microphone, \(graph.renderLinks) to the speaker"),
    ]
  }

  private static func route(_ route: RouteStatus) -> [(String, String)] {
    func device(_ device: Device?) -> String { device.map { "\($0.description) (\($0.name))" } ?? "none" }
    return [
      ("microphone", device(route.microphone)),
      ("speaker", device(route.speaker)),
      ("reference", route.reference.words),
      ("devices", String(route.devices.count)),
    ]
  }

  private static func processing(_ processing: ProcessingStatus) -> [(String, String)] {
    let switches = [
      ("voice processing", (processing.isInUse ? "in use, " : "not in use, ") + processing.engineName),
      ("bypass", processing.isBypassed ? "on" : "off"),
    ]
    let components = processing.components.map { ($0.component.name, $0.word) } + [("mic mode", processing.micMode.words)]
    let none = "no echo measured yet"
    var measured = [("echo reduction", processing.echoReduction.map { decimal($0, 1) + " dB lower in all" } ?? none)]
    if processing.engine != .webrtc {
      measured.append(("ERLE", processing.erle.map { decimal($0, 1) + " dB, of the filter alone" } ?? none))
    }
    let delays = [
      ("echo delay", processing.echoDelay.map { decimal($0, 1) + " ms, measured" } ?? "not known yet"),
      ("stream delay", decimal(processing.streamDelay, 1) + " ms, from the graph"),
    ]
    let levels = [
      ("AGC gain", Numbers.dB(processing.gain)),
      ("limiter", Numbers.dB(processing.limiterGain)),
      ("voice activity", processing.hasVoice ? "speaking" : "no speech"),
      ("microphone level", Numbers.dBFS(processing.microphoneLevel)),
      ("reference level", Numbers.dBFS(processing.referenceLevel)),
      ("voice level", Numbers.dBFS(processing.voiceLevel)),
      ("speaker level", Numbers.dBFS(processing.speakerLevel)),
    ]
    return switches + components + [("echo", processing.echo.words)] + measured + delays + levels
  }

  private static func sink(_ sink: SinkStatus, rate: Int) -> [(String, String)] {
    let muted = sink.isMuted ? ", muted" : ""
    let ssrc = sink.ssrc.map { ", SSRC \($0)" } ?? ""
    let ratio = "ratio \(decimal(sink.resampleRatio, 6)), \(decimal(sink.driftPPM, 1, sign: true)) ppm"
    return [
      (sink.id, "\(sink.state.word), \(sink.kind.word), \(SinkColumn.format(sink, rate: rate))\(muted)"),
      (
        "",
        "buffer \(sink.fillBytes)/\(sink.capacityBytes) B, target \(Numbers.percent(sink.targetFill)), gain \(Numbers.gain(sink.gain))"
      ),
      ("", ratio + ssrc),
      (
        "",
        "underruns \(sink.consecutiveUnderruns)/\(sink.totalUnderruns), drops \(sink.consecutiveDrops)/\(sink.totalDrops), "
          + "written \(sink.framesWritten), read \(sink.framesRead)"
      ),
    ]
  }
}
