import SessionModel
import TestSupport
import Testing

@testable import DashboardView

@Suite struct FrameTests {
  static let sizes = [
    Size(width: 80, height: 24), Size(width: 81, height: 25), Size(width: 133, height: 43), Size(width: 300, height: 100),
  ]

  /// Names that try to break out of their column.
  static let hostile = [
    String(repeating: "x", count: 200), String(repeating: "漢", count: 200), "\u{1b}[2J\u{1b}[31mred\u{7}\r\n\tend",
    "a" + String(repeating: "\u{301}", count: 300), "\u{202e}desrever\u{2066}", "👨‍👩‍👧‍👦🇩🇪👍🏽e\u{301}",
    "\u{301}starts with a mark", "한글 가 ｆｕｌｌ", "\u{e000}\u{10ffff}\u{378}", "", "\u{200b}\u{feff}", "\u{0}\u{9b}31m",
  ]

  static func hostileSnapshot() -> Snapshot {
    var snapshot = Sample.rehearsal
    snapshot.version = hostile[1]
    snapshot.outputVolume = .infinity
    (snapshot.appAudio.micVolume, snapshot.appAudio.appVolume) = (.nan, -1e300)
    snapshot.route.volumes.nearendMicrophone.volume = .infinity
    (snapshot.route.volumes.nearendSpeaker.volume, snapshot.route.volumes.microphone.volume) = (.nan, 1e300)
    snapshot.sinks = hostile.enumerated().map { index, id in
      var sink = Sample.sink(index)
      sink.id = id
      sink.totalUnderruns = .max
      sink.consecutiveDrops = .max
      sink.fillBytes = .max
      sink.peak = [.nan, .infinity, -.infinity, 1e300][index % 4]
      sink.driftPPM = -1e300
      sink.gain = .nan
      sink.targetFill = .infinity
      return sink
    }
    snapshot.route.devices = hostile.flatMap { name in
      [Device(name: name, description: name, direction: .input), Device(name: name + "2", description: name, direction: .output)]
    }
    (snapshot.route.pickedMicrophone, snapshot.route.pickedSpeaker) = (hostile[0], hostile[2])
    snapshot.route.microphone = snapshot.route.devices[2]
    snapshot.route.speaker = snapshot.route.devices[5]
    snapshot.session.sendMedia = hostile
    snapshot.session.receiveMedia = hostile
    snapshot.graph.driver = hostile[1]
    (snapshot.processing.engine, snapshot.processing.library) = (.webrtc, hostile[2])
    snapshot.processing.components[0].isEffective = false
    snapshot.processing.components[0].reason = hostile[1]
    snapshot.processing.erle = .nan
    snapshot.processing.echoReduction = .infinity
    snapshot.log = hostile.map { LogEntry(time: .nan, level: .error, message: $0) }
    return snapshot
  }

  static var views: [ViewState] {
    GlyphSet.allCases.flatMap { glyphs in
      Page.allCases.map { page in
        var state = ViewState(glyphs: glyphs)
        state.page = page
        state.notice = page == .routes ? String(repeating: "漢", count: 200) : nil
        return state
      }
    }
  }

  @Test("I1, U1: interruptions, and unplugged headphones, are shown on every page and in the help")
  func banners() {
    for view in Self.views {
      let text = Frame(drawing: Sample.mutedUnpluggedAndInterrupted, size: Size(width: 80, height: 24), state: view).text
      #expect(text.contains("INTERRUPTED for 2 min 5 s"))
      #expect(text.contains("PAUSED: headphones unplugged"))
    }
  }

  @Test("U3: no name, however hostile, breaks a row's columns", arguments: sizes)
  func columnsStay(size: Size) {
    let snapshot = Self.hostileSnapshot()
    for view in Self.views {
      let selections = view.page == .participants ? Array(snapshot.sinks.indices) : [2]
      for selected in selections {
        var state = view
        state.sinkSelection = .init(id: snapshot.sinks[selected].id, index: selected)
        let frame = Frame(drawing: snapshot, size: size, state: state)
        #expect(frame.cells.count == size.width * size.height)
        let broken = (0..<size.height).filter { !Self.isWhole(frame.row($0)) }
        #expect(broken.isEmpty, "rows \(broken) of \(state.page) in \(state.glyphs), sink \(selected):\n\(frame.text)")
      }
    }
  }

  /// Returns whether exactly the wide characters have a second column, and nothing in the row moves the cursor.
  private static func isWhole(_ row: ArraySlice<Cell>) -> Bool {
    row.indices.allSatisfy { x in
      let cell = row[x]
      if cell.isContinuation { return x > row.startIndex && !row[x - 1].isContinuation }
      let isFollowed = x + 1 < row.endIndex && row[x + 1].isContinuation
      guard !cell.scalar.isASCII else { return cell.scalar.value >= 0x20 && cell.scalar.value < 0x7f && !isFollowed }
      let category = cell.scalar.properties.generalCategory
      let isWide = CellText.width(of: String(cell.scalar), set: .unicode) == 2
      return isWide == isFollowed && category != .control && category != .format
    }
  }

  @Test("U3: ascii frames hold only ASCII, compat frames only Latin-1 and code page 437")
  func glyphSets() {
    let lineDrawing: Set<Unicode.Scalar> = ["─", "│", "→", "←", "►", "•", "█", "▌"]
    for snapshot in [Sample.active(sinks: 9), Sample.mutedAndInterrupted, Self.hostileSnapshot()] {
      for state in Self.views where state.glyphs != .unicode {
        let frame = Frame(drawing: snapshot, size: Size(width: 200, height: 60), state: state)
        let strange = frame.cells.filter { cell in
          let isLatin = state.glyphs == .compat && (cell.scalar.value <= 0xff || lineDrawing.contains(cell.scalar))
          return cell.mark.value != 0 || cell.scalar.value >= 0x7f && !isLatin
        }
        #expect(strange.isEmpty, "\(strange.map(\.scalar)) on \(state.page) in \(state.glyphs)")
      }
    }
  }

  @Test("U3: below 80x24 one message names both sizes, and no size fails")
  func tooSmall() {
    for width in 0...81 {
      for height in 0...25 where width < 80 || height < 24 {
        let size = Size(width: width, height: height)
        let text = Frame(drawing: Sample.active(), size: size, state: ViewState()).text
        guard width >= 20, height >= 3 else { continue }
        #expect(text.contains("terminal \(width)x\(height)"))
        #expect(text.contains("needs 80x24"))
      }
    }
  }

  @Test("U3: every state has a word")
  func words() {
    func call(_ change: (inout Snapshot) -> Void) -> String {
      var snapshot = Sample.rehearsal
      change(&snapshot)
      return Frame(drawing: snapshot, size: .minimum, state: ViewState()).text
    }
    let states: [SessionStatus.State] = [.idle, .active, .interrupted]
    #expect(Set(states.map(\.word)).count == 3)
    for state in states { #expect(call { $0.session.state = state }.contains(state.word)) }
    for reason in Interruption.Reason.allCases {
      let text = call { $0.session.interruption = Interruption(reason: reason, duration: 65) }
      #expect(text.contains("INTERRUPTED for 1 min 5 s: \(reason.sentence)"))
    }
    let verdicts: [ProcessingStatus.EchoVerdict] = [.off, .nothingToCancel, .converging, .cancelling, .suppressing, .failing]
    #expect(Set(verdicts.map(\.word)).count == 6)
    for verdict in verdicts { #expect(call { $0.processing.echo = verdict }.contains("Echo   \(verdict.word), ")) }
    let sinks: [SinkStatus.State] = [.idle, .buffering, .playing, .underrun]
    #expect(Set(sinks.map(\.word)).count == 4)
    for state in sinks { #expect(call { $0.sinks[0].state = state }.contains("alice       \(state.word)")) }
    #expect(Set(RehearsalStatus.Phase.allCases.map(\.word)).count == 4)
    for phase in RehearsalStatus.Phase.allCases {
      let text = call { $0.rehearsal = RehearsalStatus(phase: phase) }
      #expect(text.contains("Rehearsal   \(phase.word),"))
    }
    #expect(call { $0.session.isMicrophoneMuted = true }.contains("MICROPHONE MUTED"))
    #expect(call { $0.sinks[0].isMuted = true }.contains("MUTED"))
    #expect(call { $0.processing.isInUse = false }.contains("NOT IN USE"))
    #expect(call { $0.processing.isBypassed = true }.contains("ON: the raw microphone is heard"))
    #expect(call { $0.processing.hasVoice = false }.contains("no speech"))
    let levels: [LogEntry.Level] = [.info, .warning, .error]
    #expect(Set(levels.map(\.word)).count == 3)
    for level in levels { #expect(call { $0.log = [LogEntry(time: 0, level: level, message: "m")] }.contains(" \(level.word)")) }
  }

  @Test("U1, V6: the echo has a number if one is known: the reduction without an ERLE, and one number of WebRTC's engine")
  func echoNumbers() {
    func text(
      _ engine: EchoCanceller, erle: Double?, reduction: Double?, _ verdict: ProcessingStatus.EchoVerdict = .cancelling, page: Page = .call
    ) -> String {
      var snapshot = Sample.active()
      (snapshot.processing.engine, snapshot.processing.echo) = (engine, verdict)
      (snapshot.processing.erle, snapshot.processing.echoReduction) = (erle, reduction)
      var state = ViewState()
      state.page = page
      let size = page == .diagnostics ? Size(width: 80, height: 90) : .minimum
      return Frame(drawing: snapshot, history: Sample.history, size: size, state: state).text
    }
    #expect(text(.nearend, erle: 24.34, reduction: 47.22).contains("cancelling, 47.2 dB lower, ERLE 24.3 "))
    #expect(text(.nearend, erle: 24.34, reduction: 47.22, .suppressing).contains("only hidden, 47.2 dB lower, ERLE 24.3 "))
    #expect(text(.nearend, erle: nil, reduction: 36.84).contains("cancelling, 36.8 dB lower "))
    #expect(text(.webrtc, erle: 39.72, reduction: 39.72).contains("cancelling, 39.7 dB lower "))
    #expect(text(.nearend, erle: nil, reduction: nil).contains("cancelling  "))

    let own = text(.nearend, erle: 24.34, reduction: 47.22, page: .diagnostics)
    #expect(own.contains("24.3 dB, of the filter alone\n") && own.contains("47.2 dB lower in all\n"), "\(own)")
    let other = text(.webrtc, erle: 39.72, reduction: 39.72, page: .diagnostics)
    #expect(other.contains("39.7 dB lower in all\n") && !other.contains("ERLE"), "\(other)")
    #expect(text(.nearend, erle: 24.34, reduction: 47.22, page: .graphs).contains(" ERLE 0-60 "))
    let graphs = text(.webrtc, erle: 39.72, reduction: 39.72, page: .graphs)
    #expect(graphs.contains(" Echo lower ") && !graphs.contains("ERLE"), "\(graphs)")
  }

  @Test("U1 U3: at 80 columns the diagnostics end no line before its end, also of participants", arguments: GlyphSet.allCases)
  func wholeDiagnostics(set: GlyphSet) {
    var snapshot = Sample.active(sinks: 6)
    snapshot.graph.realtimePriority = 0
    snapshot.sinks[1].id = String(repeating: "participant-", count: 5) + "end1"
    snapshot.sinks[5].ssrc = .max
    (snapshot.sinks[5].totalUnderruns, snapshot.sinks[5].framesWritten, snapshot.sinks[5].framesRead) = (18_123, 69_120_000, 69_119_488)
    let height = 24
    var state = ViewState(glyphs: set)
    state.page = .diagnostics
    var screens = ""
    for _ in 0..<20 {
      screens += Frame(drawing: snapshot, size: Size(width: 80, height: height), state: state).text
      _ = state.press(.pageDown, on: snapshot, size: Size(width: 80, height: height))
    }
    #expect(!screens.contains(set == .unicode ? "…" : "~"), "\(screens)")
    let flat = screens.filter { !$0.isWhitespace }
    for words in [
      "muted", "4294967295", "drops 0/5", "written 69120000, read 69119488", "ratio 1.088435, -12.5 ppm", "end1", "(nearend doctor)",
      "buffer 4800/19200 B, target 50%, gain", "(\(Sample.speaker.name))",
    ] { #expect(flat.contains(words.filter { !$0.isWhitespace }), "\(words) in \(screens)") }
  }

  @Test("U1: per component: on, off, and requested but not in effect with its reason")
  func components() {
    for (index, component) in ProcessingComponent.allCases.enumerated() {
      for (requested, effective, word) in [
        (true, true, "on"), (false, false, "off"), (true, false, "requested, not in effect: because"),
        (false, true, "not requested, still in effect: because"),
      ] {
        var snapshot = Sample.active()
        snapshot.processing.components[index] = ComponentStatus(
          component: component, isRequested: requested, isEffective: effective, reason: requested == effective ? nil : "because")
        let frame = Frame(drawing: snapshot, size: .minimum, state: ViewState())
        let row = frame.text.split(separator: "\n").first { $0.contains(component.name) }
        #expect(row?.contains(" \(component.abbreviation) ") == true)
        #expect(row?.hasSuffix(" \(word)") == true)
      }
    }
  }

  @Test("U1: at 200 columns a participant's row shows everything about its sink")
  func everythingInARow() {
    var snapshot = Sample.active(sinks: 2)
    snapshot.sinks[1].consecutiveDrops = 4
    snapshot.sinks[1].ssrc = 77
    var state = ViewState()
    state.page = .participants
    let row = Frame(drawing: snapshot, size: Size(width: 200, height: 60), state: state).text(row: 4)
    for text in [
      "UNDERRUN", "25%", "4800/19200", "2/1", "4/1", "-7.0", "0.0", "44100 Hz 2 ch → 48000", "-13 ppm", "1.08844", "-16.0", "ring", "77",
      "480k", "475k",
    ] {
      #expect(row.contains(text), "\(text) in \(row)")
    }
  }

  @Test("U1: the selected of 300 participants is on screen wherever it is")
  func selectionIsShown() {
    let snapshot = Sample.active(sinks: 300)
    for index in snapshot.sinks.indices {
      for page in [Page.call, .participants] {
        var state = ViewState(glyphs: .ascii)
        state.page = page
        state.sinkSelection = .init(id: snapshot.sinks[index].id, index: index)
        let rows = Frame(drawing: snapshot, size: .minimum, state: state).text.split(separator: "\n")
        #expect(rows.contains { $0.hasPrefix(index < 3 ? "> " : "> guest-\(index) ") })
      }
    }
  }
}
