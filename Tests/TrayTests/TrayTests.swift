import Foundation
import MessageBus
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import SimulatedHardware
@testable import Tray

/// An icon on the bus of a private session, and what it shows.
private final class Rig {
  let session: PrivateSession
  let facts: Mutex<TrayFacts>
  let performed = Mutex<[TrayAction]>([])
  let remarks = Mutex<[String]>([])
  private(set) var icon: TrayIcon!

  /// - Parameter isOn: whether the icon is on before there is a panel, which it then says it misses.
  init(_ snapshot: Snapshot? = Snapshot(version: "1"), isOn: Bool = true) throws {
    var configuration = SessionConfiguration()
    configuration.runsPulse = false
    session = try PrivateSession(configuration)
    facts = Mutex(TrayFacts(snapshot: snapshot))
    let subject = TrayIcon.Subject(
      facts: { [weak self] in self?.facts.withLock { $0 } ?? TrayFacts() },
      perform: { [weak self] action in self?.performed.withLock { $0.append(action) } },
      remark: { [weak self] text in self?.remarks.withLock { $0.append(text) } })
    // No icons are installed beside it.
    icon = TrayIcon(address: "unix:path=\(session.path)/bus", program: "/nowhere/bin/nearend", ["XDG_DATA_DIRS": "/nowhere"], subject)
    icon.setEnabled(isOn)
  }

  func panel() throws -> TrayPanel {
    let panel = TrayPanel()
    try panel.connect(to: session)
    icon.setEnabled(true)
    try session.wait(for: "the icon") { panel.hasIcon }
    return panel
  }

  func set(_ change: (inout Snapshot) -> Void) {
    facts.withLock { facts in
      var snapshot = facts.snapshot ?? Snapshot(version: "1")
      change(&snapshot)
      facts.snapshot = snapshot
    }
    icon.somethingChanged()
  }

  var actions: [TrayAction] { performed.withLock { $0 } }

  func stop() {
    icon.stop()
    session.end()
  }
}

extension Rig: @unchecked Sendable {}

@Suite("The tray's icon", .serialized)
struct TrayTests {
  @Test("O11: an icon registers with the panel that is there, and with the next one; a click mutes, and the picture follows")
  func click() throws {
    let rig = try Rig(isOn: false)
    defer { rig.stop() }
    let panel = try rig.panel()
    #expect(try panel.icon("Status") == .text("Active") && panel.icon("Menu") == .path("/MenuBar"))
    #expect(try panel.icon("IconName") == .text("") && panel.icon("ItemIsMenu") == .flag(false))
    let idle = try panel.icon("IconPixmap")
    guard case .array(_, let sizes) = idle else { throw TrayPanel.Refused(error: "", reason: "\(idle)") }
    #expect(sizes.count == TrayPicture.sizes.count)
    try panel.click()
    #expect(eventually { rig.actions == [.command(.set(.microphoneMuted, .bool(true)))] })
    rig.set { $0.session.isMicrophoneMuted = true }
    #expect(eventually { panel.signals.contains("NewIcon") && panel.signals.contains("NewToolTip") })
    let muted = try panel.icon("IconPixmap")
    #expect(muted != idle)
    try panel.click()
    #expect(eventually { rig.actions.last == .command(.set(.microphoneMuted, .bool(false))) })
    rig.set { $0.session.isTalkingWhileMuted = true }
    #expect(eventually { panel.signals.contains("NewStatus") })
    #expect(try panel.icon("Status") == .text("NeedsAttention") && panel.icon("AttentionIconPixmap") != muted)
    // The wheel does nothing, the middle button opens the dashboard.
    try panel.ask("org.kde.StatusNotifierItem", "Scroll") {
      $0.append(Int32(-120))
      $0.append("vertical")
    }
    try panel.ask("org.kde.StatusNotifierItem", "SecondaryActivate") {
      $0.append(Int32(10))
      $0.append(Int32(10))
    }
    #expect(eventually { rig.actions.last == .openDashboard })
    #expect(rig.actions.count == 3)
    panel.leave()
    try panel.connect(to: rig.session)
    #expect(eventually { panel.registrations == 1 })
    #expect(panel.hasIcon && rig.remarks.withLock { $0 } == [])
  }

  @Test("O11: the menu has what nearend offers now; what is chosen is done; entries keep their numbers, and changes are told")
  func menu() throws {
    let rig = try Rig()
    defer { rig.stop() }
    rig.set {
      $0.route.devices = [Device(name: "usb", description: "USB_<b>Mic</b>\u{202E}", direction: .input)]
    }
    let panel = try rig.panel()
    #expect(eventually { (try? panel.menu().contains { $0.entries.contains { $0.label == "USB__<b>Mic</b>\u{FFFD}" } }) == true })
    let before = try panel.menu()
    #expect(before.first?.isEnabled == false && before.first?.label == "Nobody uses nearend")
    try panel.choose("Bypass voice processing")
    try panel.choose("Microphone mode", "Wide spectrum")
    try panel.choose("Microphone", "USB__<b>Mic</b>\u{FFFD}")
    #expect(
      eventually {
        rig.actions == [
          .command(.set(.bypassVoiceProcessing, .bool(true))), .command(.set(.micMode, .string("wideSpectrum"))),
          .command(.set(.microphone, .string("usb"))),
        ]
      })
    rig.set { $0.processing.isBypassed = true }
    #expect(eventually { panel.signals.contains("ItemsPropertiesUpdated") })
    let after = try panel.menu()
    #expect(after.map(\.number) == before.map(\.number) && after.first { $0.label == "Bypass voice processing" }?.isOn == true)
    #expect(!panel.signals.contains("LayoutUpdated") || before.count == after.count)
    // Seen without a sign: it is looked when the menu opens.
    rig.facts.withLock { $0.snapshot?.route.isPausedAfterUnplug = true }
    let isNew = try panel.ask("com.canonical.dbusmenu", "AboutToShow", inMenu: true) { $0.append(Int32(0)) }
    #expect(isNew == [.flag(true)])
    try panel.choose("Resume on the speaker")
    #expect(eventually { rig.actions.last == .command(.resumeAfterUnplug) })
    #expect(eventually { panel.signals.contains("LayoutUpdated") })
    let resume = try panel.menu().first { $0.label == "Resume on the speaker" }
    #expect(resume.map { entry in !before.contains { $0.number == entry.number } } == true)
  }

  @Test("O11 X1: a call with anything but its arguments is refused with what it takes, and does nothing")
  func malformed() throws {
    let rig = try Rig()
    defer { rig.stop() }
    let panel = try rig.panel()
    let (item, menu) = ("org.kde.StatusNotifierItem", "com.canonical.dbusmenu")
    let invalid = "org.freedesktop.DBus.Error.InvalidArgs"
    func error(_ interface: String, _ member: String, inMenu: Bool = false, _ fill: (BusMessage) -> Void = { _ in }) -> String {
      do {
        try panel.ask(interface, member, inMenu: inMenu, fill)
        return "answered"
      } catch { return (error as? TrayPanel.Refused)?.error ?? "" }
    }
    for member in ["Activate", "SecondaryActivate", "ContextMenu", "Scroll"] {
      #expect(error(item, member) == invalid)
      #expect(error(item, member) { $0.append("\u{1B}[2J") } == invalid)
    }
    for member in ["GetLayout", "GetGroupProperties", "GetProperty", "Event", "EventGroup", "AboutToShow", "AboutToShowGroup"] {
      #expect(error(menu, member, inMenu: true) == invalid)
      #expect(error(menu, member, inMenu: true) { $0.append(bare: .array(of: "v", [.variant(.flag(true))])) } == invalid)
    }
    // Entries that are not there.
    for number in [Int32.min, -1, 9_999, .max] {
      #expect(
        error(menu, "Event", inMenu: true) {
          $0.append(number)
          $0.append("clicked")
          $0.append(BusValue.integer(1))
          $0.append(UInt32(0))
        } == invalid)
      #expect(error(menu, "AboutToShow", inMenu: true) { $0.append(number) } == invalid)
    }
    #expect(error(item, "Nothing") == "org.freedesktop.DBus.Error.UnknownMethod")
    #expect(error("org.freedesktop.DBus.Properties", "Get") { $0.append("org.kde.StatusNotifierItem") } == invalid)
    #expect(
      error("org.freedesktop.DBus.Properties", "Set") {
        $0.append(item)
        $0.append("Title")
        $0.append(BusValue.text("x"))
      } == "org.freedesktop.DBus.Error.PropertyReadOnly")
    #expect(throws: TrayPanel.Refused.self) { try panel.icon("Nothing") }
    // A group in which some are there.
    let mute = try #require(try panel.menu().first { $0.label == "Mute microphone" })
    let events = [mute.number, 9_999].map { number in
      BusValue.structure([.integer(number), .text("clicked"), .variant(.text("")), .count(0)])
    }
    #expect(
      try panel.ask(menu, "EventGroup", inMenu: true) { $0.append(bare: .array(of: "(isvu)", events)) } == [
        .array(of: "i", [.integer(9_999)])
      ])
    #expect(eventually { rig.actions == [.command(.set(.microphoneMuted, .bool(true)))] })
    #expect(panel.hasIcon)
  }

  @Test("O11: without a panel there is one remark, and the icon is there as soon as one is; off, or without its bus, it is gone")
  func comesAndGoes() throws {
    let rig = try Rig(nil)
    defer { rig.stop() }
    #expect(eventually { rig.remarks.withLock { $0.count } == 1 })
    #expect(rig.remarks.withLock { $0 }[0].hasPrefix("no icon in the tray ("))
    let panel = try rig.panel()
    #expect(try panel.menu().map(\.label) == ["nearend is not running", "", "Close this icon"])
    rig.icon.setEnabled(false)
    #expect(eventually { !panel.hasIcon })
    rig.icon.setEnabled(true)
    #expect(eventually { panel.registrations == 2 && panel.hasIcon })
    rig.session.stop(.bus, isAlone: true)
    panel.leave()
    try rig.session.start(.bus)
    let next = TrayPanel()
    try next.connect(to: rig.session)
    // A change does not wait for the next attempt.
    #expect(
      eventually {
        rig.icon.somethingChanged()
        return next.hasIcon
      })
    #expect(rig.remarks.withLock { $0.count } == 1)
  }

  @Test("O11: a bus that comes later than the icon, and one that comes back, is found although nothing else changes")
  func busComes() throws {
    let rig = try Rig(isOn: false)
    defer { rig.stop() }
    rig.session.stop(.bus, isAlone: true)
    rig.icon.setEnabled(true)
    #expect(eventually { rig.remarks.withLock { $0.count } == 1 })
    for time in ["first", "again"] {
      try rig.session.start(.bus)
      let panel = TrayPanel()
      try panel.connect(to: rig.session)
      #expect(eventually { panel.hasIcon }, "\(time)")
      rig.session.stop(.bus, isAlone: true)
      panel.leave()
    }
    #expect(rig.remarks.withLock { $0.count } == 1)
  }

  @Test("O11: a bus that is not there is tried again soon, then ever more rarely; a change has it tried after five seconds at most")
  func retries() {
    var retries = BusRetries()
    #expect(retries.isPossible(at: 0))
    var times: [Double] = []
    while retries.next < 3600 {
      retries.noteAttempt(at: max(retries.next, 0))
      times.append(retries.next)
      #expect(!retries.isPossible(at: retries.next - 60) && retries.isPossible(at: retries.next))
    }
    #expect(Array(times.prefix(7)) == [1, 3, 7, 15, 31, 63, 123] && times.count < 70)
    let last = times[times.count - 2]
    #expect(!retries.isPossible(at: last + 4.9) && retries.isPossible(at: last + 5))
    // One that lets nobody in, again and again.
    let wait = BusRetries.patience.most
    retries.noteLoss(at: last + 0.1)
    #expect(retries.next == last + 0.1 + wait)
    // One that was there for long.
    retries.noteLoss(at: 7200)
    #expect(retries.next == 7201)
  }

  @Test("O11: icons beside the program are named with their folder, but not in a sandbox, whose folders a panel does not see")
  func icons() throws {
    let place = FileManager.default.temporaryDirectory.appending(path: "nearend-icons-\(UUID())")
    let folder = place.appending(path: "share/icons/hicolor/symbolic/apps")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    for state in TrayItem.State.allCases { try Data().write(to: folder.appending(path: "\(InstalledIcons.name(state)).svg")) }
    let program = "\(place.path)/bin/nearend"
    let nowhere = ["XDG_DATA_DIRS": "/nowhere"]
    #expect(InstalledIcons(program: program, nowhere, sandbox: "/nowhere").folder == "\(place.path)/share/icons")
    #expect(InstalledIcons(program: program, nowhere, sandbox: place.path).folder == nil)
  }

  @Test("O11: a state's picture has the microphone in its middle, nothing in its corners, and differs from every other state's")
  func pictures() {
    var seen: [[UInt8]] = []
    for state in TrayItem.State.allCases {
      for size in TrayPicture.sizes {
        let picture = TrayPicture(state, size: size)
        #expect(picture.pixels.count == size * size * 4)
        func alpha(_ x: Int, _ y: Int) -> UInt8 { picture.pixels[(y * size + x) * 4] }
        #expect(alpha(size / 2, size * 14 / 16) > 200 && alpha(0, size - 1) == 0)
        #expect(!seen.contains(picture.pixels))
        seen.append(picture.pixels)
      }
    }
  }
}
