import SessionModel
import Testing

/// How programs that choose no device come to use nearend.
@Suite("Default device mode")
struct DefaultDeviceModeTests {
  /// A session with a session manager.
  private struct Desk {
    var state: RouteState
    var now = RouteObservation()
    var time = 100.0
    var effects: [RouteEffect] = []

    init(_ mode: DefaultDeviceMode, offers: Bool) {
      state = RouteState(defaults: DefaultDevices(mode: mode))
      now.defaults = SessionDefaults(isKnown: true, offersSmartFilters: offers)
    }

    mutating func observe(after seconds: Double = 0) {
      time += seconds
      (state, effects) = reduce(state, .observed(now), at: time)
    }

    mutating func set(_ mode: DefaultDeviceMode) {
      (state, _) = reduce(state, .setDefaultDeviceMode(mode), at: time)
      observe()
    }

    /// What is done to smart filters and defaults, in order.
    var done: [String] {
      effects.compactMap { effect -> String? in
        switch effect {
        case .beSmart(let isOn): isOn ? "smart" : "not smart"
        case .configure(let direction, .device(let name)) where name.hasPrefix("nearend.none") == false: "\(direction) is \(name)"
        case .configure(let direction, .none): "\(direction) is none"
        default: nil
        }
      }
    }
    static let ours = ["output is nearend.speaker", "input is nearend.microphone"]
    static let none = ["output is none", "input is none"]

    /// The session manager does what it was told.
    mutating func obey() {
      for case .configure(let direction, let value) in effects {
        if case .device(let name) = value { now.defaults.configured[direction] = .init(value: name, name: name) }
        if value == .none { now.defaults.configured[direction] = SessionDefaults.Configured.none }
      }
    }
    var status: DefaultDeviceStatus { state.defaultDeviceStatus }
  }

  @Test(
    "R2: where smart filters are understood, auto and smart make one, at once, and touch no default",
    arguments: [DefaultDeviceMode.auto, .smart])
  func smart(mode: DefaultDeviceMode) {
    var desk = Desk(mode, offers: true)
    desk.observe()
    #expect(desk.done == ["smart"])
    #expect(desk.status == DefaultDeviceStatus(requested: mode, effective: .smart))
    desk.observe(after: 5)
    #expect(desk.done.isEmpty)
    desk.set(.off)
    #expect(desk.done == ["not smart"] && desk.status == DefaultDeviceStatus())
  }

  @Test("R2: where they are not, auto makes nearend the default, and smart leaves it to programs; both say so once, after a second")
  func notUnderstood() {
    for (mode, effective) in [(DefaultDeviceMode.auto, DefaultDeviceMode.on), (.smart, .off)] {
      var desk = Desk(mode, offers: false)
      desk.observe()
      #expect(desk.done.isEmpty && desk.status.reason == nil, "a session manager that starts offers them a moment later")
      #expect(desk.effects.contains { if case .observeAgain = $0 { true } else { false } })
      desk.observe(after: DefaultDevices.patience)
      #expect(desk.done == (mode == .auto ? Desk.ours : []))
      #expect(desk.status.effective == effective)
      #expect(desk.status.reason?.contains("understands no smart filters") == true)
      func remarks() -> Int { desk.effects.count { if case .remark = $0 { true } else { false } } }
      #expect(remarks() == 1)
      desk.obey()
      desk.observe(after: 1)
      #expect(remarks() == 0)
    }
  }

  @Test("R2: a session manager that offers them a moment after the defaults never sees nearend as the default")
  func late() {
    var desk = Desk(.auto, offers: false)
    desk.observe()
    desk.now.defaults.offersSmartFilters = true
    desk.observe(after: 0.5)
    #expect(desk.done == ["smart"])
  }

  @Test("R2: one takes over from the other without a moment in which programs would leave nearend's devices")
  func takesOver() {
    var desk = Desk(.on, offers: true)
    desk.observe()
    #expect(desk.done == Desk.ours)
    desk.obey()
    desk.set(.smart)
    #expect(desk.done == ["smart"] + Desk.none)
    desk.obey()
    desk.set(.on)
    #expect(desk.done == Desk.ours + ["not smart"])
  }

  @Test("R2: what is in effect outlasts a restart of the session manager, and follows one that understands less")
  func restarted() {
    var desk = Desk(.auto, offers: true)
    desk.observe()
    desk.now.defaults = SessionDefaults()
    desk.observe(after: 1)
    #expect(desk.done.isEmpty && desk.status.effective == .smart)
    desk.now.defaults = SessionDefaults(isKnown: true, offersSmartFilters: false)
    desk.observe(after: 5)
    #expect(desk.done.isEmpty && desk.status.effective == .smart)
    desk.observe(after: DefaultDevices.patience)
    #expect(desk.done == Desk.ours + ["not smart"] && desk.status.effective == .on)
  }

  @Test("R2: as a switch, true is on and false is off, as before there were words")
  func switched() throws {
    let setting = Setting.defaultDevices
    for (given, value) in [
      ("true", "on"), ("on", "on"), ("yes", "on"), ("false", "off"), ("off", "off"), ("smart", "smart"), ("auto", "auto"),
    ] {
      let parsed = try setting.parse(given)
      #expect(parsed == .string(value), "\(given)")
    }
    let (on, off) = (try setting.checked(.bool(true)), try setting.checked(.bool(false)))
    #expect(on == "on" && off == "off")
    #expect(throws: SettingError.self) { try setting.parse("perhaps") }
    // An engine's switch means the engine chosen last.
    let engine = try Setting.echoCanceller.checked(.bool(true))
    #expect(engine == true)
  }
}
