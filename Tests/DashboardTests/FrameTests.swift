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

  @Test("U3 U6: below 40x10 one message names state, mute and both sizes, and no size fails")
  func tooSmall() {
    for width in 0...41 {
      for height in 0...11 where width < 40 || height < 10 {
        let size = Size(width: width, height: height)
        let text = Frame(drawing: Sample.talkingWhileMuted, size: size, state: ViewState()).text
        guard width >= 28, height >= 4 else { continue }
        #expect(text.contains("nearend ACTIVE"))
        #expect(text.contains("YOU ARE TALKING WHILE MUTED\n"))
        #expect(text.contains("terminal \(width)x\(height)"))
        #expect(text.contains("needs 40x10"))
      }
    }
  }

  @Test("U6: from 40x10 up there are state, what mends an alarm, echo, who hears whom, and the keys; and the help")
  func compact() {
    for width in 40...80 {
      for height in 10...24 where width < 80 || height < 24 {
        let size = Size(width: width, height: height)
        var state = ViewState()
        let text = Frame(drawing: Sample.talkingWhileMuted, size: size, state: state).text
        let flat = text.split(separator: "\n").map { $0.trimmingPrefix(" ") }.joined(separator: " ")
        for words in ["nearend ACTIVE", "cancelling, 47.2 dB", "Heard by firefox-71", "space mute", "q quit"] {
          #expect(text.contains(words), "\(words), \(size):\n\(text)")
        }
        #expect(flat.contains("YOU ARE TALKING WHILE MUTED - press space to unmute"), "\(text)")
        for snapshot in [Self.hostileSnapshot(), Sample.mutedUnpluggedAndInterrupted] {
          let frame = Frame(drawing: snapshot, size: size, state: state)
          #expect((0..<height).allSatisfy { Self.isWhole(frame.row($0)) }, "\(frame.text)")
        }
        state.isHelpShown = true
        let help = Frame(drawing: Sample.active(), size: size, state: state).text
        #expect(help.contains("space M u") && help.contains("close help"), "\(help)")
      }
    }
  }

  @Test("U6 D1: in a small terminal the volumes that somebody has turned are whole, and no others are there")
  func compactVolumes() {
    func text(_ width: Int, _ change: (inout VolumesStatus) -> Void) -> String {
      var snapshot = Sample.idle
      change(&snapshot.route.volumes)
      return Frame(drawing: snapshot, size: Size(width: width, height: 15), state: ViewState()).text
    }
    #expect(!text(40) { _ in }.contains("Volumes"))
    let one = text(40) { $0.speaker.volume = 0.05 }
    #expect(one.contains("Volumes  speaker 5 %\n") && !one.contains("100 %"), "\(one)")
    let all = text(40) {
      for place in [\VolumesStatus.microphone, \.nearendMicrophone, \.nearendSpeaker, \.speaker] { $0[keyPath: place].volume = 0.25 }
      $0.nearendMicrophone.isMuted = true
    }
    for part in ["mic 25 %", "Nearend Mic MUTED", "Nearend Speaker 25 %", "speaker 25 %"] { #expect(all.contains(part), "\(all)") }
    #expect(text(60) { ($0.microphone.volume, $0.speaker.volume) = (0.3, 0.5) }.contains("Volumes  mic 30 %, speaker 50 %\n"))
  }

  @Test("U6: in a small terminal the switches are as they were set while nobody is in a call, and in one as they are in effect")
  func compactSwitches() {
    func text(_ snapshot: Snapshot) -> String {
      Frame(drawing: snapshot, size: Size(width: 60, height: 15), state: ViewState()).text
    }
    var idle = Sample.idle
    for index in idle.processing.components.indices { idle.processing.components[index].isEffective = false }
    #expect(text(idle).contains("Switches HPF on, AEC on, NS on, AGC on"), "\(text(idle))")
    for index in idle.processing.components.indices where idle.processing.components[index].component == .echoCancellation {
      idle.processing.components[index].isRequested = false
    }
    #expect(text(idle).contains("Switches HPF on, AEC OFF, NS on, AGC on"), "\(text(idle))")
  }

  @Test("U6 V6: while others may hear themselves every page says so, with what mends it, and no state is good")
  func echoAlarms() {
    func row(_ view: ViewState, _ change: (inout Snapshot) -> Void) -> (text: String, badge: Style) {
      var snapshot = Sample.active()
      change(&snapshot)
      let frame = Frame(drawing: snapshot, size: .minimum, state: view)
      return (frame.text(row: 1).trimmingCharacters(in: .whitespaces), frame.row(0)[9].style)
    }
    for view in Self.views {
      #expect(row(view) { _ in }.badge == .good)
      for (change, words) in [
        ({ $0.processing.components[1].isRequested = false }, "ECHO CANCELLATION OFF: others may hear themselves - press e"),
        ({ $0.processing.isBypassed = true }, "BYPASSED: others may hear themselves - press b to process again"),
        ({ $0.processing.isInUse = false }, "VOICE PROCESSING OFF: others may hear themselves"),
        ({ $0.processing.echo = .failing }, "ECHO NOT CANCELLED: others hear themselves - turn the speaker down"),
      ] as [((inout Snapshot) -> Void, String)] {
        let shown = row(view, change)
        #expect(shown.text == words && shown.badge != .good)
      }
      // Nobody hears an echo of headphones, of nobody, and of a muted microphone.
      func isCalm(_ change: (inout Snapshot) -> Void) -> Bool {
        !row(view) {
          $0.processing.components[1].isRequested = false
          change(&$0)
        }.text.contains("themselves")
      }
      #expect(isCalm { $0.route.current.outputs[0].isPrivate = true })
      #expect(isCalm { $0.route.volumes.speaker.isMuted = true })
      #expect(isCalm { $0.session.sendMedia = [] })
      #expect(isCalm { ($0.session.receiveMedia, $0.sinks) = ([], []) })
      #expect(isCalm { $0.session.isMicrophoneMuted = true })
    }
    var snapshot = Sample.active()
    snapshot.processing.components[1] = ComponentStatus(component: .echoCancellation, isRequested: false, isEffective: false)
    let frame = Frame(drawing: snapshot, size: .minimum, state: ViewState())
    let off = (0..<24).first { frame.text(row: $0).hasSuffix("echo cancellation  off") }
    #expect(off.map { frame.row($0)[$0 * 80 + 29].style } == .caution)
  }

  @Test("U6 D1: the volumes of the four devices are on the Call page; one that a call suffers from is an alarm on every page")
  func volumes() {
    var snapshot = Sample.active()
    let calm = "mic 100 %, Nearend Mic 100 %, Nearend Speaker 100 %, speaker 100 %"
    #expect(Frame(drawing: snapshot, size: .minimum, state: ViewState()).text.contains("Volumes     \(calm)\n"))
    snapshot.route.volumes.nearendMicrophone.volume = 0.05
    snapshot.route.volumes.speaker.isMuted = true
    for view in Self.views {
      let text = Frame(drawing: snapshot, size: .minimum, state: view).text
      #expect(text.contains("NEAREND MICROPHONE AT 5 % - turn it up in a mixer"), "\(text)")
      #expect(text.contains("REAL SPEAKER MUTED - unmute it in a mixer"), "\(text)")
    }
    let call = Frame(drawing: snapshot, size: .minimum, state: ViewState()).text
    #expect(call.contains("mic 100 %, Nearend Mic 5 %, Nearend Speaker 100 %, speaker MUTED"), "\(call)")
    let wide = Frame(drawing: snapshot, size: Size(width: 120, height: 40), state: ViewState()).text
    #expect(wide.contains("real microphone 100 %, Nearend Microphone 5 %, Nearend Speaker 100 %, real speaker MUTED"), "\(wide)")
  }

  @Test("U6: many alarms take three rows, which say that there are more; Diagnostics has all")
  func manyAlarms() {
    var snapshot = Sample.mutedUnpluggedAndInterrupted
    snapshot.graph.loops = ["loop.out"]
    snapshot.route.volumes.nearendSpeaker.volume = 0.1
    for view in Self.views {
      let frame = Frame(drawing: snapshot, size: .minimum, state: view)
      #expect(frame.text(row: 3).contains("+2 (F4): LOOP: loop.out"), "\(frame.text)")
    }
    var state = ViewState()
    state.page = .diagnostics
    let all = Frame(drawing: snapshot, size: Size(width: 120, height: 80), state: state).text
    for words in ["alarms", "MICROPHONE MUTED", "NEAREND SPEAKER AT 10 %", "LOOP: "] { #expect(all.contains(words), "\(all)") }
  }

  @Test("U6: without participants there is no empty table; a graph in trouble is shown in any case")
  func rowsOfUse() {
    var snapshot = Sample.active(sinks: 0)
    let text = Frame(drawing: snapshot, size: .minimum, state: ViewState()).text
    #expect(!text.contains("sinks") && !text.contains("no participants") && !text.contains("Driver"))
    #expect(text.contains("session active: firefox-71 records") && text.contains("runs dry"), "\(text)")
    snapshot = Sample.rehearsal
    snapshot.graph.recent = RecentCycles(run: 10_000, lost: 60)
    #expect(Frame(drawing: snapshot, size: .minimum, state: ViewState()).text.contains("60 lost in 3 min"))
    snapshot.graph.isConnected = false
    #expect(Frame(drawing: snapshot, size: .minimum, state: ViewState()).text.contains("Graph       not connected to PipeWire"))
  }

  @Test("U3 V12: at 80 columns it is said in full why a mode or a component is not heard, and what to do")
  func wholeReasons() {
    let text = Frame(drawing: Sample.notIsolated, size: .minimum, state: ViewState()).text
    #expect(text.contains("voice isolation, NOT HEARD\n"), "\(text)")
    #expect(text.contains("it is not installed: `nearend isolation install` fetches it (13 MB)\n"), "\(text)")
    for reason in [
      "voice isolation replaces it", "wide spectrum keeps the room", "voice processing is off", "the microphone is closed",
      "nobody records",
    ] {
      var snapshot = Sample.active()
      snapshot.processing.components[2] = ComponentStatus(
        component: .noiseSuppression, isRequested: true, isEffective: false, reason: reason)
      #expect(Frame(drawing: snapshot, size: .minimum, state: ViewState()).text.contains("on, not in effect: \(reason)\n"))
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
    let verdicts: [EchoVerdict] = [.off, .nothingToCancel, .converging, .cancelling, .suppressing, .failing]
    #expect(Set(verdicts.map(\.words)).count == 6)
    for verdict in verdicts {
      #expect(call { $0.processing.echo = verdict }.contains("Echo   \(verdict.words)\(verdict == .off ? "  " : ", ")"))
    }
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
      _ engine: EchoCanceller, erle: Double?, reduction: Double?, _ verdict: EchoVerdict = .cancelling, page: Page = .call
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

  @Test("U1: per component: on, off, and on but not in effect with its reason")
  func components() {
    for (index, component) in ProcessingComponent.allCases.enumerated() {
      for (requested, effective, word) in [
        (true, true, "on"), (false, false, "off"), (true, false, "on, not in effect: because"),
        (false, true, "off, still in effect: because"),
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
