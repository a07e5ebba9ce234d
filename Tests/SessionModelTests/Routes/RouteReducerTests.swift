import SessionModel
import Testing

@Suite("Routes")
struct RouteReducerTests {
  /// A desk whose devices come and go, with the state of its routes.
  private struct Desk {
    var state: RouteState
    var now = RouteObservation()
    var time = 100.0
    private(set) var effects: [RouteEffect] = []

    init(_ state: RouteState = RouteState(), _ devices: RouteDevice..., wanted: SessionDemand = SessionDemand()) {
      self.state = state
      now.wanted = wanted
      now.devices = devices
      now.defaults = SessionDefaults(isKnown: true)
      now.headsets = [HeadsetProfile.Card(name: "bt", profile: "a2dp-sink", callProfile: "headset-head-unit")]
    }

    /// Reduces an event; its effects are in `effects` afterwards.
    mutating func handle(_ event: RouteEvent) { (state, effects) = reduce(state, event, at: time) }

    /// Observes the desk `seconds` later.
    mutating func observe(after seconds: Double = 0) {
      time += seconds
      now.serials = Set(now.devices.map(\.serial))
      handle(.observed(now))
    }

    mutating func add(_ devices: RouteDevice...) { now.devices += devices }
    mutating func remove(_ devices: RouteDevice...) { now.devices.removeAll { device in devices.contains { $0.serial == device.serial } } }

    var microphone: String? { state.choice.microphone?.name }
    var speaker: String? { state.choice.speaker?.name }
    var reasons: [RouteChangeReason] {
      effects.compactMap { if case .changed(let change) = $0 { change.reason } else { nil } }
    }
    var pauses: [Bool] { effects.compactMap { if case .pause(let on) = $0 { on } else { nil } } }
    var profiles: [String] { effects.compactMap { if case .switchProfile(let request) = $0 { request.profile } else { nil } } }
    var waits: Double? {
      for case .observeAgain(let seconds) in effects { return seconds }
      return nil
    }
  }

  private static func device(
    _ serial: UInt64, _ direction: Device.Direction, _ name: String, _ type: PortType, priority: Int = 0, card: UInt32? = nil,
    device: String = "", isPrivate: Bool = false, isPlugged: Bool = true
  ) -> RouteDevice {
    let port = RoutePort(name: name, portType: type, device: device, isPrivate: isPrivate)
    return RouteDevice(
      id: UInt32(serial), serial: serial, direction: direction, priority: priority, card: card, port: port,
      available: isPlugged ? [port.id] : [])
  }

  private static let mic = device(1, .input, "card.in", .builtInMic, priority: 10)
  private static let speaker = device(2, .output, "card.out", .builtInSpeaker, priority: 10)
  private static let screen = device(3, .output, "hdmi.out", .hdmi, priority: 5)
  private static let webcam = device(4, .input, "usb.in", .usbAudio, priority: 5)
  private static let desk: [RouteDevice] = [speaker, screen, mic, webcam]
  private static let emptyJack = device(5, .output, "jack.out", .headphones, priority: 20, isPlugged: false)
  private static let phones = device(5, .output, "jack.out", .headphones, priority: 20, isPrivate: true)
  private static let music = device(10, .output, "bt.out", .bluetoothA2DP, priority: 30, card: 7, device: "bt", isPrivate: true)
  private static let call = device(11, .output, "bt.out", .bluetoothHFP, priority: 30, card: 7, device: "bt", isPrivate: true)
  private static let callMic = device(12, .input, "bt.in", .bluetoothHFP, priority: 1, card: 7, device: "bt")
  private static let calling = SessionDemand(sends: true, receives: true)

  // MARK: The choice

  struct Row: Sendable, CustomTestStringConvertible {
    var what: String
    var picked: [Device.Direction: String] = [:]
    var current: [Device.Direction: String] = [:]
    var configured: [Device.Direction: String] = [:]
    var devices: [RouteDevice] = RouteReducerTests.desk
    var speaker: String?
    var microphone: String?
    var testDescription: String { what }
  }

  static let rows: [Row] = [
    Row(what: "nothing known: the highest priority", speaker: "card.out", microphone: "card.in"),
    Row(
      what: "the session's defaults", current: [.output: "hdmi.out", .input: "usb.in"], speaker: "hdmi.out", microphone: "usb.in"),
    Row(
      what: "picked, whatever the default is", picked: [.output: "card.out"], current: [.output: "hdmi.out"], speaker: "card.out",
      microphone: "card.in"),
    Row(
      what: "picked and not there: the default", picked: [.output: "gone"], current: [.output: "hdmi.out"], speaker: "hdmi.out",
      microphone: "card.in"),
    Row(
      what: "nearend's are the defaults: what a person configured", current: [.output: "nearend.speaker", .input: "nearend.microphone"],
      configured: [.output: "hdmi.out", .input: "usb.in"], speaker: "hdmi.out", microphone: "usb.in"),
    Row(
      what: "nearend's are default and configured: the highest priority", current: [.output: "nearend.speaker"],
      configured: [.output: "nearend.speaker"], speaker: "card.out", microphone: "card.in"),
    Row(
      what: "the default has nothing plugged in", current: [.output: "jack.out"],
      devices: [emptyJack, speaker], speaker: "card.out"),
    Row(
      what: "picked, with nothing plugged in", picked: [.output: "jack.out"],
      devices: [emptyJack, speaker], speaker: "jack.out"),
    Row(
      what: "nothing is plugged in anywhere", devices: [emptyJack], speaker: "jack.out"),
    Row(
      what: "a headset in a call is both ends", current: [.output: "bt.out", .input: "card.in"], devices: [mic, call, callMic],
      speaker: "bt.out", microphone: "bt.in"),
    Row(
      what: "unless another microphone is picked", picked: [.input: "card.in"], current: [.output: "bt.out"],
      devices: [mic, call, callMic],
      speaker: "bt.out", microphone: "card.in"),
    Row(what: "there is none", devices: []),
  ]

  @Test("R1, R2, R6: which devices are used", arguments: rows)
  func choice(_ row: Row) {
    var desk = Desk(RouteState(picked: row.picked))
    desk.now.devices = row.devices
    desk.now.defaults.current = row.current
    desk.now.defaults.configured = row.configured.mapValues { .init(value: $0, name: $0) }
    desk.observe()
    #expect(desk.speaker == row.speaker)
    #expect(desk.microphone == row.microphone)
  }

  @Test("R2: a pick holds until it is given up, and is a person's choice")
  func pick() {
    var desk = Desk(RouteState(), Self.mic, Self.speaker, Self.screen)
    desk.observe()
    desk.handle(.pick(.output, name: "hdmi.out"))
    desk.observe(after: 1)
    #expect(desk.speaker == "hdmi.out" && desk.reasons == [.override])
    desk.handle(.pick(.output, name: nil))
    desk.now.defaults.current[.output] = "card.out"
    desk.observe(after: 1)
    #expect(desk.speaker == "card.out" && desk.reasons == [.override])
  }

  @Test("R1: among equal candidates the device used last is preferred, even after it was away")
  func usedLast() {
    var desk = Desk(RouteState(), Self.mic, Self.screen)
    let other = Self.device(6, .output, "dock.out", .lineOut, priority: 5)
    desk.observe()
    desk.remove(Self.screen)
    desk.observe()
    desk.add(other, Self.screen)
    desk.observe()
    #expect(desk.speaker == "hdmi.out")
  }

  // MARK: Changes of the route

  @Test("R4: a port that is used a moment after it came is new; one that has been there is not")
  func arrival() {
    for (wait, reason) in [(1.0, RouteChangeReason.newDeviceAvailable), (3, .unknown)] {
      var desk = Desk(RouteState(), Self.mic, Self.speaker)
      desk.now.defaults.current[.output] = "card.out"
      desk.observe()
      desk.add(Self.screen)
      desk.observe(after: 10)
      #expect(desk.effects.isEmpty)
      desk.now.defaults.current[.output] = "hdmi.out"
      desk.observe(after: wait)
      #expect(desk.reasons == [reason])
    }
  }

  @Test("R4: a device that was there from the start is not reported as new, however soon it is used")
  func firstDevices() {
    var desk = Desk(RouteState(), Self.mic, Self.speaker, Self.screen)
    desk.observe()
    #expect(desk.effects.isEmpty)
    desk.now.defaults.current[.output] = "hdmi.out"
    desk.observe(after: 0.1)
    #expect(desk.reasons == [.unknown])
  }

  @Test("R4: a device is reported only once it is fully known")
  func unknown() {
    var desk = Desk(RouteState(), Self.mic, Self.speaker)
    desk.observe()
    var early = Self.phones
    early.isKnown = false
    desk.add(early)
    desk.now.defaults.current[.output] = "jack.out"
    desk.observe(after: 1)
    #expect(desk.speaker == "jack.out" && desk.effects.isEmpty)
    desk.now.devices[2].isKnown = true
    desk.observe(after: 0.1)
    #expect(desk.reasons == [.newDeviceAvailable])
  }

  @Test("R4, I6: devices that return after the daemon are no change, once they are all there; one that stays away is")
  func settling() {
    var desk = Desk(RouteState(), Self.mic, Self.speaker)
    desk.handle(.connected)
    desk.observe()
    #expect(desk.waits == nil, "the first daemon's devices are no news")
    desk.handle(.disconnected)
    desk.handle(.connected)
    desk.remove(Self.mic, Self.speaker)
    desk.observe(after: 0.5)
    #expect(desk.reasons.isEmpty)
    #expect(desk.waits == 1.5)
    var returned = desk
    returned.add(Self.mic, Self.speaker)
    returned.observe(after: 1)
    #expect(returned.reasons.isEmpty)
    returned.observe(after: 5)
    #expect(returned.reasons.isEmpty)
    desk.add(Self.mic)
    desk.observe(after: 2)
    #expect(desk.reasons == [.oldDeviceUnavailable])
  }

  @Test("R4: route changes during sleep and 5 s after it are reported as wakeFromSleep; later ones are not")
  func wakeUp() {
    for (wait, reason) in [(1.0, RouteChangeReason.wakeFromSleep), (6, .oldDeviceUnavailable)] {
      var desk = Desk(RouteState(), Self.mic, Self.speaker, Self.phones)
      desk.observe()
      desk.handle(.sleep(isGoing: true))
      desk.time += 3_600
      desk.handle(.sleep(isGoing: false))
      desk.remove(Self.phones)
      desk.observe(after: wait)
      #expect(desk.reasons == [reason])
    }
    var asleep = Desk(RouteState(), Self.mic, Self.speaker, Self.phones)
    asleep.observe()
    asleep.handle(.sleep(isGoing: true))
    asleep.remove(Self.phones)
    asleep.observe(after: 3_600)
    #expect(asleep.reasons == [.wakeFromSleep])
  }

  // MARK: The pause after unplugging

  @Test("R5: headphones gone while something plays: paused before the route changes, until they are back, or a person resumes")
  func pause() {
    var desk = Desk(RouteState(), Self.mic, Self.speaker, Self.phones, wanted: Self.calling)
    desk.now.defaults.current[.output] = "jack.out"
    desk.observe()
    desk.remove(Self.phones)
    desk.observe(after: 10)
    #expect(desk.state.isPaused && desk.pauses == [true] && desk.reasons == [.oldDeviceUnavailable])
    #expect(desk.effects.first == .pause(true))
    var back = desk
    back.add(Self.phones)
    back.observe(after: 1)
    #expect(!back.state.isPaused && back.pauses == [false])
    desk.handle(.resume)
    #expect(desk.effects == [.pause(false)])
    desk.observe(after: 1)
    #expect(!desk.state.isPaused && desk.pauses.isEmpty)
  }

  @Test("R5, S5: nothing is paused where others manage the devices, nobody listens, or it is switched off")
  func noPause() {
    for (wanted, isEnabled) in [
      (SessionDemand(receives: true, linksDevices: false), true), (SessionDemand(sends: true), true), (Self.calling, false),
    ] {
      var desk = Desk(RouteState(pausesOnUnplug: isEnabled), Self.mic, Self.speaker, Self.phones, wanted: wanted)
      desk.observe()
      desk.remove(Self.phones)
      desk.observe(after: 10)
      #expect(!desk.state.isPaused && desk.pauses.isEmpty)
    }
    var desk = Desk(RouteState(), Self.mic, Self.speaker, Self.phones, wanted: Self.calling)
    desk.observe()
    desk.remove(Self.phones)
    desk.observe(after: 10)
    desk.handle(.setPauseOnUnplug(false))
    #expect(desk.effects == [.pause(false)] && !desk.state.pausesOnUnplug)
  }

  // MARK: A headset's profile

  @Test("R6: sending for a while switches the headset to calls; its nodes are waited for, and only the whole is a change of category")
  func headset() {
    var desk = Desk(RouteState(), Self.mic, Self.speaker, Self.music, wanted: Self.calling)
    desk.observe()
    #expect(desk.speaker == "bt.out" && desk.profiles.isEmpty && desk.waits == HeadsetProfile.callDelay)
    desk.observe(after: HeadsetProfile.callDelay)
    let change = HeadsetProfile.Change(card: "bt", former: "a2dp-sink", ours: "headset-head-unit")
    #expect(
      desk.effects.prefix(3) == [
        .saveHeadset(change), .remark(.info, "headset bt: profile headset-head-unit"),
        .switchProfile(.init(card: "bt", profile: "headset-head-unit")),
      ])
    desk.now.headsets[0].profile = "headset-head-unit"
    desk.remove(Self.music)
    desk.observe(after: 0.2)
    #expect(desk.state.isHeadsetInTransition)
    #expect(desk.speaker == nil, "private audio is not for the room")
    #expect(desk.microphone == "card.in", "the other end goes on")
    #expect(desk.reasons.isEmpty && desk.pauses.isEmpty)
    desk.add(Self.call)
    desk.observe(after: 0.2)
    #expect(desk.speaker == "bt.out" && desk.reasons.isEmpty, "its microphone is missing")
    desk.add(Self.callMic)
    desk.observe(after: 0.2)
    #expect(desk.microphone == "bt.in" && desk.reasons == [.categoryChange] && desk.pauses.isEmpty)
  }

  @Test("R6: a headset that does not come back is given up, at once if its card is gone")
  func headsetGone() throws {
    for isCardGone in [false, true] {
      var desk = Desk(RouteState(), Self.mic, Self.speaker, Self.music, wanted: Self.calling)
      desk.observe()
      desk.remove(Self.music)
      if isCardGone { desk.now.headsets = [] }
      desk.observe(after: 0.1)
      #expect(desk.state.isHeadsetInTransition == !isCardGone)
      #expect((desk.speaker == nil) == !isCardGone)
      if !isCardGone { desk.observe(after: try #require(desk.waits)) }
      while desk.state.isHeadsetInTransition { desk.observe(after: 0.5) }
      #expect(desk.speaker == "card.out" && desk.reasons == [.oldDeviceUnavailable] && desk.state.isPaused)
    }
  }

  @Test("R6: while the headset changes its profile, another default does not take its place")
  func held() {
    var desk = Desk(RouteState(), Self.mic, Self.speaker, Self.music, wanted: Self.calling)
    desk.now.defaults.current[.output] = "bt.out"
    desk.observe()
    desk.remove(Self.music)
    desk.now.defaults.current[.output] = "card.out"
    desk.observe(after: 0.1)
    desk.add(Self.call, Self.callMic)
    desk.observe(after: 0.1)
    #expect(desk.speaker == "bt.out" && desk.reasons == [.categoryChange])
  }

  @Test("R6, S5: a headset keeps its music where another microphone is picked, or others manage the devices")
  func music() {
    for (picked, links) in [([Device.Direction.input: "card.in"], true), ([:], false)] {
      var desk = Desk(
        RouteState(picked: picked), Self.mic, Self.music, wanted: SessionDemand(sends: true, receives: true, linksDevices: links))
      for _ in 0..<20 {
        desk.observe(after: 0.5)
        #expect(desk.profiles.isEmpty)
      }
    }
  }

  // MARK: The default devices

  private static let ours: [Device.Direction: SessionDefaults.Configured] = [
    .output: .init(value: "ours", name: "nearend.speaker"), .input: .init(value: "ours", name: "nearend.microphone"),
  ]

  @Test("R2: nearend's become the defaults once the session manager has told; the former ones are saved first, and used meanwhile")
  func takeDefaults() {
    let former = SessionDefaults.Configured(value: "{hdmi}", name: "hdmi.out")
    var desk = Desk(RouteState(defaults: DefaultDevices(mode: .on)), Self.mic, Self.speaker, Self.screen)
    desk.now.defaults = SessionDefaults(configured: [.output: former])
    desk.observe()
    #expect(desk.effects.isEmpty)
    desk.now.defaults.isKnown = true
    desk.observe()
    #expect(
      desk.effects == [
        .saveDefaults([.output: former, .input: .none]), .configure(.output, .device("nearend.speaker")),
        .configure(.input, .device("nearend.microphone")),
      ])
    desk.now.defaults.configured = Self.ours
    desk.now.defaults.current = [.output: "nearend.speaker", .input: "nearend.microphone"]
    desk.observe()
    #expect(desk.effects.isEmpty && desk.speaker == "hdmi.out")
    desk.now.defaults.configured[.output] = .init(value: "{card}", name: "card.out")
    desk.observe()
    #expect(desk.speaker == "card.out")
    #expect(!desk.effects.contains { if case .configure = $0 { true } else { false } }, "anybody's change wins")
  }

  @Test(
    "R2: leaving, or wanting it no longer, restores the former defaults, and makes the session manager forget nearend's where there were none"
  )
  func giveBack() {
    let former: [Device.Direction: SessionDefaults.Configured] = [.output: .init(value: "{hdmi}", name: "hdmi.out"), .input: .none]
    for isLeaving in [false, true] {
      var desk = Desk(RouteState(defaults: DefaultDevices(mode: .on, former: former)), Self.mic, Self.speaker)
      desk.now.defaults.configured = Self.ours
      desk.observe()
      if isLeaving {
        desk.handle(.leave(desk.now))
      } else {
        desk.handle(.setDefaultDeviceMode(.off))
        desk.observe()
      }
      let configured = desk.effects.compactMap { effect -> String? in
        guard case .configure(let direction, let value) = effect else { return nil }
        return "\(direction) \(value)"
      }
      #expect(configured.first == "output value(\"{hdmi}\")")
      #expect(configured.count == 18 && configured.last == "input none")
      #expect(desk.effects.contains(.saveDefaults([:])))
    }
  }

  @Test("R2: a default that somebody changed meanwhile stays, and one that the session manager has not told yet is waited for")
  func others() {
    let former: [Device.Direction: SessionDefaults.Configured] = [.output: .init(value: "{hdmi}", name: "hdmi.out"), .input: .none]
    var desk = Desk(RouteState(defaults: DefaultDevices(former: former)), Self.mic, Self.speaker)
    desk.now.defaults.configured = [.output: .init(value: "{card}", name: "card.out")]
    desk.observe()
    #expect(desk.effects == [.saveDefaults([.input: .none])])
  }

  @Test("R2: where another program makes nearend's the default, the one that was configured before is used")
  func byAnotherProgram() {
    var desk = Desk(RouteState(), Self.mic, Self.speaker, Self.screen)
    desk.now.defaults.configured[.output] = .init(value: "{hdmi}", name: "hdmi.out")
    desk.observe()
    desk.now.defaults.configured = Self.ours
    desk.now.defaults.current[.output] = "nearend.speaker"
    desk.observe(after: 1)
    #expect(desk.speaker == "hdmi.out")
  }

  @Test("R2 O6: a picked name of a device of the other direction is told once, unless one of this direction comes soon")
  func misplaced() {
    var desk = Desk(RouteState(picked: [.input: "card.out"]), Self.mic)
    let patience = 2.0
    func told() -> [RouteEffect] { desk.effects.filter { if case .misplaced = $0 { true } else { false } } }
    desk.observe()
    #expect(desk.effects.isEmpty, "it may come")
    desk.add(Self.speaker)
    desk.observe(after: 60)
    #expect(told().isEmpty && desk.waits == patience)
    let twin = Self.device(6, .input, "card.out", .builtInMic)
    desk.add(twin)
    desk.observe(after: patience)
    #expect(told().isEmpty && desk.microphone == "card.out")
    desk.remove(twin)
    desk.observe(after: 1)
    desk.observe(after: patience)
    #expect(told() == [.misplaced(.input, name: "card.out")] && desk.microphone == "card.in")
    desk.observe(after: 60)
    #expect(desk.effects.isEmpty)
    desk.handle(.pick(.input, name: "card.out"))
    desk.observe()
    desk.observe(after: patience)
    #expect(told() == [.misplaced(.input, name: "card.out")])
  }

  // MARK: Leaving

  @Test("R6: leaving gives the headset its music back")
  func leave() {
    let change = HeadsetProfile.Change(card: "bt", former: "a2dp-sink", ours: "headset-head-unit")
    var desk = Desk(RouteState(headset: change), Self.mic, Self.call)
    desk.now.headsets[0].profile = "headset-head-unit"
    desk.handle(.leave(desk.now))
    #expect(desk.effects == [.switchProfile(.init(card: "bt", profile: "a2dp-sink")), .saveHeadset(nil)])
  }

  @Test("X1: each exceeded limit is logged once")
  func omissions() {
    var desk = Desk(RouteState(), Self.mic, Self.speaker)
    desk.now.omissions = ["too many sound cards"]
    desk.observe()
    #expect(desk.effects == [.remark(.warning, "too many sound cards")])
    desk.observe()
    #expect(desk.effects.isEmpty)
  }
}
