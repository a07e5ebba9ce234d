import Glibc
import SessionModel
import TestSupport
import Testing

@testable import DashboardView

@Suite struct KeyTests {
  private func press(
    _ keys: [Key], on snapshot: Snapshot, page: Page = .call
  ) -> (commands: [Command], quits: Bool, state: ViewState) {
    var state = ViewState()
    state.page = page
    var commands: [Command] = []
    var quits = false
    for key in keys {
      let response = state.press(key, on: snapshot, size: .minimum)
      commands += response.commands
      quits = quits || response.quits
    }
    return (commands, quits, state)
  }

  @Test("U2 D1 D4 D5 S8: mute mode, prepared recording, application audio and volumes, on every page", arguments: Page.allCases)
  func outgoing(page: Page) {
    var snapshot = Sample.active()
    func commands(_ key: Unicode.Scalar) -> [Command] { press([.character(key)], on: snapshot, page: page).commands }
    #expect(commands("u") == [.set(.microphoneMuteMode, "restart")])
    #expect(commands("p") == [.set(.recordingAlwaysPrepared, true)])
    #expect(commands("a") == [.set(.appDucking, true)] && commands("A") == [.set(.appMonitor, true)])
    #expect(commands("[") == [.set(.micVolume, 0.9)] && commands("]") == [.set(.micVolume, 1.0)])
    #expect(commands("{") == [.set(.appVolume, 0.9)] && commands("}") == [.set(.appVolume, 1.0)])
    #expect(commands("<") == [.set(.outputVolume, 0.9)] && commands(">") == [.set(.outputVolume, 1.0)])
    snapshot = Sample.outgoing
    #expect(commands("u") == [.set(.microphoneMuteMode, "voiceProcessing")])
    #expect(commands("p") == [.set(.recordingAlwaysPrepared, false)])
    #expect(commands("a") == [.set(.appDucking, false)] && commands("A") == [.set(.appMonitor, false)])
    #expect(
      commands("]") == [.set(.micVolume, 0.9)] && commands("{") == [.set(.appVolume, 0.4)] && commands("<") == [.set(.outputVolume, 0.6)])
    snapshot.appAudio.micVolume = 0
    #expect(commands("[") == [.set(.micVolume, 0.0)])
  }

  @Test("D1 D2: one row on every page says why the microphone is not heard, and how to undo it", arguments: Page.allCases)
  func muteBanner(page: Page) {
    func row(_ snapshot: Snapshot) -> String {
      var state = ViewState()
      state.page = page
      return Frame(drawing: snapshot, size: .minimum, state: state).text.split(separator: "\n")[1].trimmingCharacters(in: .whitespaces)
    }
    #expect(row(Sample.muted) == "MICROPHONE MUTED - press space to unmute")
    #expect(row(Sample.talkingWhileMuted) == "YOU ARE TALKING WHILE MUTED - press space to unmute")
    #expect(row(Sample.mutedByDevice).hasPrefix("REAL MICROPHONE MUTED"))
    var snapshot = Sample.active()
    #expect(!row(snapshot).contains("MUTED"))
    snapshot.route.volumes.nearendMicrophone.isMuted = true
    #expect(row(snapshot).hasPrefix("NEAREND MICROPHONE MUTED"))
  }

  @Test("U2 D1 V12: what a key has chosen is said as a choice, not as what is the case", arguments: Page.allCases)
  func choices(page: Page) {
    var snapshot = Sample.active()
    #expect(press([.character("u")], on: snapshot, page: page).state.notice == "Mute mode: restart - mutes by closing the microphone.")
    let notice = press([.character("v")], on: snapshot, page: page).state.notice
    #expect(notice == "Chosen mic mode: voice isolation, the voice only (Call says whether heard).")
    // Each in full at 80 columns.
    for mode in MicrophoneMuteMode.allCases {
      snapshot.session.microphoneMuteMode = mode
      #expect(press([.character("u")], on: snapshot).state.notice?.count ?? 99 <= 78)
    }
    for mode in MicMode.allCases {
      snapshot.processing.micMode.requested = mode
      #expect(press([.character("v")], on: snapshot).state.notice?.count ?? 99 <= 78)
    }
  }

  @Test("U2 U6: without room for pages their keys say so and do nothing; the others work")
  func withoutPages() {
    var state = ViewState()
    let size = Size(width: 60, height: 15)
    for key in [Key.function(3), .tab, .backTab, .character("c"), .enter] {
      let response = state.press(key, on: Sample.active(), size: size)
      #expect(response.commands.isEmpty && state.page == .call && state.notice == "Pages need 80x24.", "\(key)")
    }
    #expect(state.press(.character(" "), on: Sample.active(), size: size).commands == [.set(.microphoneMuted, true)])
    #expect(state.press(.character("q"), on: Sample.active(), size: size).quits)
  }

  @Test("U2: switches flip what the snapshot says is requested, on every page", arguments: Page.allCases)
  func switches(page: Page) {
    var snapshot = Sample.active()
    let keys: [(Key, ProcessingComponent)] = [
      (.character("H"), .highPassFilter), (.character("e"), .echoCancellation), (.character("n"), .noiseSuppression),
      (.character("g"), .gainControl),
    ]
    for (key, component) in keys {
      #expect(press([key], on: snapshot, page: page).commands == [.set(component.setting, false)])
    }
    for index in snapshot.processing.components.indices { snapshot.processing.components[index].isRequested = false }
    for (key, component) in keys {
      #expect(press([key], on: snapshot, page: page).commands == [.set(component.setting, true)])
    }
    for isOn in [false, true] {
      snapshot.processing.isBypassed = isOn
      snapshot.session.isMicrophoneMuted = isOn
      #expect(press([.character("b")], on: snapshot, page: page).commands == [.set(.bypassVoiceProcessing, .bool(!isOn))])
      #expect(press([.character(" ")], on: snapshot, page: page).commands == [.set(.microphoneMuted, .bool(!isOn))])
      #expect(press([.character("M")], on: snapshot, page: page).commands == [.set(.microphoneMuted, .bool(!isOn))])
    }
    #expect(press([.character("C")], on: snapshot, page: page).commands == [.clearCounters])
    #expect(press([.character("D")], on: snapshot, page: page).commands == [.saveDiagnostics])
  }

  @Test("U2, V10: E asks for the other engine, on every page, on or off", arguments: Page.allCases)
  func otherEngine(page: Page) {
    var snapshot = Sample.active()
    for isOn in [true, false] {
      for index in snapshot.processing.components.indices { snapshot.processing.components[index].isRequested = isOn }
      for (engine, other) in [(EchoCanceller.nearend, EchoCanceller.webrtc), (.webrtc, .nearend)] {
        snapshot.processing.engine = engine
        #expect(press([.character("E")], on: snapshot, page: page).commands == [.set(.echoCanceller, EventValue(other))])
      }
    }
  }

  @Test("U2, V12: v asks for the next mode of the microphone, on every page", arguments: Page.allCases)
  func nextMode(page: Page) {
    var snapshot = Sample.active()
    for (mode, next) in [(MicMode.standard, MicMode.voiceIsolation), (.voiceIsolation, .wideSpectrum), (.wideSpectrum, .standard)] {
      // The next mode follows the requested one, not the effective one.
      snapshot.processing.micMode = MicModeStatus(requested: mode, effective: .standard)
      #expect(press([.character("v")], on: snapshot, page: page).commands == [.set(.micMode, EventValue(next))])
    }
  }

  @Test("U2: m, digits and + - act on the selected participant", arguments: [Page.call, .participants])
  func sinks(page: Page) {
    let snapshot = Sample.active(sinks: 9)
    #expect(press([.character("m")], on: snapshot, page: page).commands == [.setSinkMuted(id: "alice", true)])
    let down = Array(repeating: Key.down, count: 5)
    #expect(press(down + [.character("m")], on: snapshot, page: page).commands == [.setSinkMuted(id: "guest-5", false)])
    for digit in 0...9 {
      let key = Key.character(Unicode.Scalar(UInt8(48 + digit)))
      #expect(press([.character("j"), key], on: snapshot, page: page).commands == [.setSinkGain(id: "Zoë 🦊", Double(digit) / 5)])
    }
    for (key, decibels) in [(Key.character("+"), 1.0), (.character("="), 1), (.character("-"), -1)] {
      guard case .setSinkGain("alice", let gain)? = press([key], on: snapshot, page: page).commands.first else {
        Issue.record("\(key) sets no gain")
        continue
      }
      #expect(abs(20 * log10(gain) - decibels) < 1e-9)
    }
  }

  @Test("U2: gain steps end in silence below -40 dB and at +12 dB above")
  func gainSteps() {
    var gain = 1.0
    for _ in 0..<100 { gain = ViewState.gain(gain, steppedBy: -1) }
    #expect(gain == 0)
    gain = ViewState.gain(gain, steppedBy: 1)
    #expect(abs(gain - 0.01) < 1e-12)
    for _ in 0..<100 { gain = ViewState.gain(gain, steppedBy: 1) }
    #expect(gain <= 4 && 20 * log10(gain) > 11.99)
  }

  @Test("U2: keys that need a participant say so where there is none, and where none is selected")
  func noSink() {
    for key in [Key.character("m"), .character("5"), .character("+"), .character("-")] {
      let nobody = press([key], on: Sample.active(sinks: 0))
      #expect(nobody.commands.isEmpty && nobody.state.notice != nil)
      let elsewhere = press([key], on: Sample.active(), page: .log)
      #expect(elsewhere.commands.isEmpty && elsewhere.state.notice != nil)
      #expect(press([key, .down], on: Sample.active(sinks: 0)).state.notice == nil)
    }
  }

  @Test("U2: arrows, hjkl, PgUp, PgDn, Home, End move the selection and stop at its ends")
  func selection() {
    let snapshot = Sample.active(sinks: 300)
    func selected(_ keys: [Key]) -> Int? { press(keys, on: snapshot, page: .participants).state.selectedSink(in: snapshot.sinks) }
    let screenful = ParticipantsPage.visibleRows(snapshot, .minimum)
    #expect(selected([]) == 0)
    #expect(selected([.up]) == 0)
    #expect(selected([.down]) == 1)
    #expect(selected([.character("j"), .character("j"), .character("k")]) == 1)
    for key in [Key.right, .character("l"), .pageDown] { #expect(selected([key]) == screenful) }
    for key in [Key.left, .character("h"), .pageUp] { #expect(selected([.end, key]) == 299 - screenful) }
    #expect(selected([.end]) == 299)
    #expect(selected([.end, .down]) == 299)
    #expect(selected([.end, .home]) == 0)
  }

  @Test("U2: the selection follows its participant, and stays in place when it goes")
  func selectionFollows() {
    var snapshot = Sample.active(sinks: 9)
    let state = press([.down, .down, .down], on: snapshot).state
    snapshot.sinks.removeFirst()
    #expect(state.selectedSink(in: snapshot.sinks) == 2)
    snapshot.sinks.remove(at: 2)
    #expect(state.selectedSink(in: snapshot.sinks) == 3)
    snapshot.sinks.removeLast(6)
    #expect(state.selectedSink(in: snapshot.sinks) == 0)
    #expect(state.selectedSink(in: []) == nil)
  }

  @Test("U2: Enter and c pick a device on Routes; c goes there from elsewhere")
  func devices() {
    let snapshot = Sample.active()
    for key in [Key.enter, .character("c")] {
      #expect(press([key], on: snapshot, page: .routes).commands == [.set(.microphone, "")])
      #expect(press([.down, .down, key], on: snapshot, page: .routes).commands == [.set(.microphone, .string(Sample.headset.name))])
      #expect(press([.right, key], on: snapshot, page: .routes).commands == [.set(.speaker, "")])
      #expect(press([.end, key], on: snapshot, page: .routes).commands == [.set(.speaker, .string(Sample.screen.name))])
      #expect(
        press([.end, .left, .down, key], on: snapshot, page: .routes).commands == [.set(.microphone, .string(Sample.microphone.name))])
    }
    #expect(press([.character("c")], on: snapshot).state.page == .routes)
    #expect(press([.character("c")], on: snapshot).commands.isEmpty)
    #expect(press([.enter], on: snapshot).commands.isEmpty)
  }

  @Test("U2: F1-F6 show their page; Tab and Shift-Tab go round")
  func pages() {
    let snapshot = Sample.active()
    for page in Page.allCases { #expect(press([.function(page.rawValue + 1)], on: snapshot, page: .log).state.page == page) }
    #expect(press([.tab], on: snapshot).state.page == .participants)
    #expect(press([.backTab], on: snapshot).state.page == .graphs)
    #expect(press([.tab], on: snapshot, page: .graphs).state.page == .call)
  }

  @Test("U2: q quits; over the help it closes the help, as ? and Esc do")
  func quitAndHelp() {
    let snapshot = Sample.active()
    #expect(press([.character("q")], on: snapshot).quits)
    #expect(press([.character("?")], on: snapshot).state.isHelpShown)
    for key in [Key.character("q"), .character("?"), .escape] {
      let after = press([.character("?"), key], on: snapshot)
      #expect(!after.state.isHelpShown && !after.quits)
    }
    #expect(press([.character("?"), .character("q"), .character("q")], on: snapshot).quits)
  }

  @Test("U2: the log scrolls, stays at its entry while new ones come, and follows again at its end")
  func logScrolls() {
    var snapshot = Sample.active()
    snapshot.log = (0..<100).map { LogEntry(time: Double($0), level: .info, message: "event \($0)") }
    var state = press([.up, .up], on: snapshot, page: .log).state
    #expect(state.logAnchor?.message == "event 97")
    snapshot.log.append(LogEntry(time: 100, level: .info, message: "event 100"))
    snapshot.log.removeFirst(10)
    let text = Frame(drawing: snapshot, size: .minimum, state: state).text
    #expect(text.contains("event 97") && !text.contains("event 98") && text.contains("3 newer"))
    _ = state.press(.home, on: snapshot, size: .minimum)
    let oldest = Frame(drawing: snapshot, size: .minimum, state: state).text
    #expect(oldest.contains("event 10\n") && oldest.contains("event 29\n") && !oldest.contains("event 30\n"))
    _ = state.press(.end, on: snapshot, size: .minimum)
    #expect(state.logAnchor == nil)
  }

  @Test("U1: the diagnostics scroll to their last line and no further")
  func diagnosticsScroll() {
    let snapshot = Sample.active(sinks: 300)
    var state = press([.end], on: snapshot, page: .diagnostics).state
    let lines = DiagnosticsPage.lineCount(snapshot, width: 80, .unicode)
    #expect(Frame(drawing: snapshot, size: .minimum, state: state).text.contains("to \(lines) of \(lines)"))
    let end = state
    _ = state.press(.down, on: snapshot, size: .minimum)
    #expect(state == end)
  }

  @Test("U2: the help lists exactly the keys that work")
  func help() {
    var state = ViewState()
    state.isHelpShown = true
    let help = Frame(drawing: Sample.mutedUnpluggedAndInterrupted, size: .minimum, state: state).text
    for group in KeyGroup.all { #expect(help.contains(group.label) && help.contains(group.meaning)) }
    let named: [Key: String] = [
      .up: "up", .down: "down", .left: "left", .right: "right", .pageUp: "PgUp", .pageDown: "PgDn", .home: "Home", .end: "End",
      .tab: "Tab", .backTab: "Shift-Tab", .enter: "Enter", .escape: "Esc", .character(" "): "space",
    ]
    for group in KeyGroup.all {
      for key in group.keys.keys {
        switch key {
        case .character(let scalar) where scalar.properties.numericType != nil: #expect(group.label == "0 ... 9")
        case .character(let scalar) where scalar != " ": #expect(group.label.split(separator: " ").contains(Substring(String(scalar))))
        case .function: #expect(group.label == "F1 ... F6")
        default: #expect((group.label + group.meaning).contains(named[key] ?? "no name for \(key)"))
        }
      }
    }
    let ascii = (0x20..<0x7f).map { Key.character(Unicode.Scalar(UInt8($0))) }
    for key in ascii + [.function(7), .function(12), .character("é")] where KeyGroup.actions[key] == nil {
      for page in Page.allCases {
        let after = press([key], on: Sample.active(), page: page)
        var untouched = ViewState()
        untouched.page = page
        #expect(after.commands.isEmpty && !after.quits && after.state == untouched)
      }
    }
  }

  @Test(
    "R2, R5: d lets programs that choose no device use nearend and undoes it, r resumes what is paused, on every page",
    arguments: Page.allCases)
  func routeKeys(page: Page) {
    #expect(press([.character("d")], on: Sample.active(), page: page).commands == [.set(.defaultDevices, "auto")])
    #expect(press([.character("d")], on: Sample.unplugged, page: page).commands == [.set(.defaultDevices, "off")])
    #expect(press([.character("R")], on: Sample.active(), page: page).commands == [.set(.reference, "mix")])
    #expect(press([.character("r")], on: Sample.unplugged, page: page).commands == [.resumeAfterUnplug])
    let idle = press([.character("r")], on: Sample.active(), page: page)
    #expect(idle.commands.isEmpty)
    #expect(idle.state.notice == "Nothing is paused.")
  }

  @Test("U2: y lets people hear themselves and ends it; Esc and q close what is shown, and end what is at work", arguments: Page.allCases)
  func listen(page: Page) {
    let begun = press([.character("y")], on: Sample.active(), page: page)
    #expect(begun.commands == [.listen(seconds: 5)] && begun.state.showsAudition)
    let running = Sample.auditioned(.recording)
    let stopped = press([.character("y")], on: running, page: page)
    #expect(stopped.commands == [.stopListening] && stopped.state.showsAudition)
    for key in [Key.escape, .character("q")] {
      var state = begun.state
      let response = state.press(key, on: running, size: .minimum)
      #expect(response.commands == [.stopListening] && !response.quits && !state.showsAudition)
      state = begun.state
      let closed = state.press(key, on: Sample.auditioned(.done), size: .minimum)
      #expect(closed.commands.isEmpty && !closed.quits && !state.showsAudition && state.page == page)
    }
    var state = begun.state
    _ = state.press(.function(1), on: running, size: .minimum)
    #expect(!state.showsAudition && state.page == .call, "a page shows in its place, and it goes on")
  }

  @Test("U2: s loads the next preset, cyclically, or the same again where something was changed since", arguments: Page.allCases)
  func presets(page: Page) {
    var snapshot = Sample.active()
    func pressed() -> (commands: [Command], notice: String?) {
      let pressed = press([.character("s")], on: snapshot, page: page)
      return (pressed.commands, pressed.state.notice)
    }
    #expect(pressed().commands.isEmpty && pressed().notice == "There is no preset; 'nearend preset save NAME' makes one.")
    var presets = PresetsStatus()
    presets.names = ["desk", "headset"]
    snapshot.presets = presets
    #expect(pressed().commands == [.loadPreset("desk")] && pressed().notice == "Preset: desk.")
    presets.loaded = "desk"
    snapshot.presets = presets
    #expect(pressed().commands == [.loadPreset("headset")])
    presets.isChanged = true
    snapshot.presets = presets
    #expect(pressed().commands == [.loadPreset("desk")])
    (presets.loaded, presets.isChanged) = ("headset", false)
    snapshot.presets = presets
    #expect(pressed().commands == [.loadPreset("desk")])
  }
}
