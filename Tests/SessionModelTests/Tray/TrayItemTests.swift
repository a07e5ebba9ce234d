import SessionModel
import Testing
import VoiceFacts

@Suite("The tray's icon and menu, by the facts")
struct TrayItemTests {
  private static let devices = [
    Device(name: "hw.mic", description: "Built-in Microphone", direction: .input, isDefault: true),
    Device(name: "usb.mic", description: "USB_Mic\u{1B}[2J", direction: .input),
    Device(name: "hw.speaker", description: "", direction: .output, isDefault: true),
  ]

  /// Of a call with a microphone and a speaker.
  private func item(_ facts: TrayFacts = TrayFacts(), _ change: (inout Snapshot) -> Void = { _ in }) -> TrayItem {
    var snapshot = Snapshot(version: "1")
    snapshot.session.state = .active
    snapshot.session.sendMedia = ["parec-71"]
    snapshot.route.devices = Self.devices
    (snapshot.route.microphone, snapshot.route.speaker) = (Self.devices[0], Self.devices[2])
    change(&snapshot)
    var facts = facts
    facts.snapshot = snapshot
    return TrayItem(facts)
  }

  private func entry(_ item: TrayItem, _ key: String) -> TrayEntry? { item.menu.flatMap(\.all).first { $0.key == key } }

  @Test("O11: a call is active, nobody is idle, whoever mutes the microphone mutes the icon, and what ends or spoils a call is an alarm")
  func states() {
    #expect(item().state == .active && item().title == "Others hear you")
    #expect(item { $0.session = SessionStatus() }.state == .idle)
    #expect(item { ($0.session.state, $0.session.sendMedia) = (.waiting, ["a"]) }.state == .idle)
    #expect(item { $0.session.isMicrophoneMuted = true }.state == .muted)
    #expect(item { $0.route.volumes.microphone.isMuted = true }.state == .muted)
    #expect(item { $0.route.volumes.nearendMicrophone.isMuted = true }.state == .muted)
    let alarms: [(String, (inout Snapshot) -> Void)] = [
      ("You are talking while muted", { ($0.session.isMicrophoneMuted, $0.session.isTalkingWhileMuted) = (true, true) }),
      ("Interrupted: the PipeWire daemon is gone", { $0.session.interruption = Interruption(reason: .daemonLost, duration: 3) }),
      ("Playback is paused: headphones were unplugged", { $0.route.isPausedAfterUnplug = true }),
      ("Others hear an echo: turn the speaker down", { $0.processing.echo = .failing }),
      ("loop plays nearend's sound back into it, and is cut off", { $0.graph.loops = ["loop"] }),
    ]
    for (title, change) in alarms {
      let alarm = item(TrayFacts(), change)
      #expect(alarm.state == .alarm && alarm.title == title)
    }
    // Told in words, and no alarm.
    let low = item { $0.route.volumes.nearendMicrophone.volume = 0.2 }
    #expect(low.state == .active && low.title == "Nearend Microphone is at 20 %: turn it up in a mixer")
  }

  @Test("O11: the tooltip says who records and plays, with what, in printable words of bounded length")
  func words() {
    let words = item {
      $0.session.receiveMedia = (1...6).map { "p\u{202E}-\($0)" }
      $0.processing.micMode.requested = .wideSpectrum
      $0.processing.micMode.effective = .wideSpectrum
      $0.route.microphone = Self.devices[1]
    }.words
    #expect(
      words == [
        "Records: parec-71", "Plays: p\u{FFFD}-1, p\u{FFFD}-2, p\u{FFFD}-3, p\u{FFFD}-4 and 2 more", "Microphone: USB_Mic\u{FFFD}[2J",
        "Speaker: hw.speaker", "Mode: wide spectrum",
      ])
    #expect(item { $0.session = SessionStatus() }.words == ["Microphone: Built-in Microphone", "Speaker: hw.speaker"])
  }

  @Test("O11: a click mutes and unmutes; the menu's switches and choices say what is, and do the other")
  func menu() {
    #expect(item().activation == .command(.set(.microphoneMuted, .bool(true))))
    let muted = item {
      $0.session.isMicrophoneMuted = true
      $0.route.pickedMicrophone = "usb.mic"
      $0.route.pickedSpeaker = "gone"
    }
    #expect(muted.activation == .command(.set(.microphoneMuted, .bool(false))))
    let mute = entry(muted, "microphoneMuted")
    #expect(mute?.kind == .check(true) && mute?.action == .command(.set(.microphoneMuted, .bool(false))))
    #expect(entry(muted, "bypassVoiceProcessing")?.kind == .check(false))
    #expect(entry(muted, "micMode")?.children.map(\.label) == ["Standard", "Voice isolation", "Wide spectrum"])
    #expect(entry(muted, "micMode:voiceIsolation")?.action == .command(.set(.micMode, .string("voiceIsolation"))))
    let microphones = entry(muted, "microphone")?.children ?? []
    #expect(microphones.map(\.label) == ["The system's default", "Built-in Microphone", "USB_Mic\u{FFFD}[2J"])
    #expect(microphones.map(\.kind) == [.choice(false), .choice(false), .choice(true)])
    #expect(microphones.first?.action == .command(.set(.microphone, .string(""))))
    #expect(entry(muted, "speaker")?.children.map(\.label) == ["The system's default", "gone (not there)", "hw.speaker"])
    #expect(entry(muted, "speaker:gone")?.kind == .choice(true) && entry(muted, "speaker:gone")?.isEnabled == false)
    #expect(entry(item(), "speaker")?.children.first?.label == "The system's default: hw.speaker")
    #expect(entry(item(), "resume") == nil && entry(item { $0.route.isPausedAfterUnplug = true }, "resume") != nil)
  }

  @Test("O11, R2: the menu has the ways for programs that choose no device, and the presets if there are any, with what is chosen")
  func defaultsAndPresets() {
    let smart = item { $0.route.defaults = DefaultDeviceStatus(requested: .smart, effective: .on, reason: "not understood") }
    let ways = entry(smart, "defaultDevices")?.children ?? []
    #expect(ways.map(\.key) == ["off", "on", "smart", "auto"].map { "defaultDevices:\($0)" })
    #expect(ways.map(\.kind) == [.choice(false), .choice(false), .choice(true), .choice(false)])
    #expect(ways.last?.action == .command(.set(.defaultDevices, .string("auto"))))

    #expect(entry(item(), "preset") == nil)
    var presets = PresetsStatus()
    (presets.names, presets.loaded) = (["desk", "headset"], "desk")
    #expect(entry(item { $0.presets = presets }, "preset")?.children.map(\.kind) == [.choice(true), .choice(false)])
    #expect(entry(item { $0.presets = presets }, "preset:headset")?.action == .command(.loadPreset("headset")))
    presets.isChanged = true
    #expect(entry(item { $0.presets = presets }, "preset:desk")?.kind == .choice(false))
  }

  @Test("O11: without a nearend it says so, and offers to start a service that there is; without a terminal the dashboard says why")
  func obstacles() {
    let alone = TrayItem(TrayFacts())
    #expect(alone.state == .idle && alone.title == "nearend is not running" && alone.activation == nil)
    #expect(alone.menu.map(\.key) == ["state", "separator:1", "close"])
    #expect(entry(TrayItem(TrayFacts(canStart: true)), "start")?.action == .startService)
    #expect(entry(item(), "dashboard")?.action == .openDashboard)
    let none = entry(item(TrayFacts(dashboardObstacle: "no terminal found")), "dashboard")
    #expect(none?.label == "Open dashboard (no terminal found)" && none?.isEnabled == false)
  }

  @Test("O11: an entry keeps its number while it is there, and no other entry ever has it; only what differs is told")
  func numbers() throws {
    var numbers = TrayNumbers()
    #expect(numbers.update(item().menu) == .layout)
    let revision = numbers.revision
    #expect(numbers.update(item().menu) == .none)
    let all = numbers.entries.flatMap(\.all)
    #expect(Set(all.map { numbers.number(of: $0) }).count == all.count)
    let mute = try #require(entry(item(), "microphoneMuted"))
    let number = numbers.number(of: mute)
    #expect(numbers.update(item { $0.session.isMicrophoneMuted = true }.menu) == .words([numbers.number(of: all[0]), number]))
    #expect(numbers.revision == revision && numbers.entry(number)?.kind == .check(true))
    let usb = try #require(all.first { $0.key == "microphone:usb.mic" }.map { numbers.number(of: $0) })
    #expect(numbers.update(item { $0.route.devices.remove(at: 1) }.menu) == .layout)
    #expect(numbers.revision == revision + 1 && numbers.entry(usb) == nil && numbers.children(of: usb) == nil)
    #expect(numbers.update(item().menu) == .layout)
    let again = try #require(numbers.entries.flatMap(\.all).first { $0.key == "microphone:usb.mic" })
    #expect(numbers.number(of: again) > usb && numbers.number(of: mute) == number)
    #expect(numbers.children(of: TrayNumbers.root)?.count == item().menu.count)
  }
}
