import Foundation
import SessionModel
import TestSupport
import Testing

@testable import NearendCommand
@testable import SimulatedHardware

/// The icon in the tray of a running `nearend`, and of `nearend tray`, in a private session: what a panel shows, and what clicks do.
@Suite("The tray, live", .serialized)
struct TrayLiveTests {
  private func isMuted(_ session: PrivateSession) throws -> Bool { try session.nearend("get", "microphoneMuted").output == "true\n" }

  /// A program in the session's folder that notes its arguments, and the notes.
  private func noting(_ name: String, in session: PrivateSession, _ lines: String = "") throws -> (file: String, notes: () -> String) {
    let (file, notes) = ("\(session.path)/\(name)", "\(session.path)/\(name).notes")
    let script = Data("#!/bin/sh\necho \"$*\" >>'\(notes)'\n\(lines)".utf8)
    #expect(FileManager.default.createFile(atPath: file, contents: script, attributes: [.posixPermissions: 0o755]))
    return (file, { text(ofFile: notes) ?? "" })
  }

  @Test("O11: a headless nearend shows the icon where its setting says so, mutes by a click, opens the dashboard")
  func service() throws {
    let session = try plainSession()
    let panel = TrayPanel()
    try panel.connect(to: session)
    let terminal = try noting("terminal", in: session)
    let running = try session.start(nearendProgram, ["--headless"], ["TERMINAL": terminal.file, "DISPLAY": ":99"])
    #expect(running.says("control socket"), "\(running.errors)")
    #expect(try session.nearend("get", "tray").output == "false\n" && panel.registrations == 0)
    #expect(try session.nearend("set", "tray", "on").succeeded)
    try session.wait(for: "the icon", detail: { running.errors }) { panel.hasIcon }
    #expect(try panel.menu().first?.label == "Nobody uses nearend")
    try panel.click()
    try session.wait(for: "the mute") { try isMuted(session) }
    try session.wait(for: "the icon to say so") { try panel.menu().first?.label == "The microphone is muted" }
    try panel.choose("Mute microphone")
    try session.wait(for: "the microphone to be open") { try !isMuted(session) }
    try panel.choose("Microphone", "Simulated Microphone")
    try session.wait(for: "the device") { try session.nearend("get", "microphone").output == "hw.mic\n" }
    try panel.choose("Open dashboard")
    try session.wait(for: "the terminal", detail: { running.errors }) { terminal.notes() == "-e \(nearendProgram)\n" }
    // Closed for good: the setting is remembered.
    try panel.choose("Close this icon")
    try session.wait(for: "the icon to go") { !panel.hasIcon }
    #expect(try session.nearend("get", "tray").output == "false\n")
    running.process.signal(SIGTERM)
    #expect(running.process.wait() == .status(0))
  }

  @Test("O11: nearend tray follows whatever nearend there is, starts the service where there is none, and shows no second icon")
  func follower() throws {
    let session = try plainSession()
    let panel = TrayPanel()
    try panel.connect(to: session)
    let systemctl = try noting("systemctl", in: session)
    let path = "\(session.path):\(session.environment["PATH"] ?? "")"
    let tray = try session.start(nearendProgram, ["tray"], ["PATH": path, "TERMINAL": "true", "DISPLAY": "", "WAYLAND_DISPLAY": ""])
    try session.wait(for: "the icon", detail: { tray.errors }) { panel.hasIcon }
    try session.wait(for: "the service in the menu", detail: { tray.errors }) {
      try panel.menu().map(\.label) == ["nearend is not running", "", "Start nearend", "Close this icon"]
    }
    let second = try session.nearend("tray")
    #expect(second.exit == .status(75) && second.errors.contains("another nearend tray shows the icon"), "\(second)")
    try panel.choose("Start nearend")
    try session.wait(for: "the start") { systemctl.notes().hasSuffix("--user start nearend.service\n") }
    for round in 1...2 {
      let running = try session.startNearend("--headless")
      try session.wait(for: "nearend in round \(round)", detail: { tray.errors + running.errors }) {
        try panel.menu().first?.label == "Nobody uses nearend"
      }
      #expect(try panel.menu().contains { $0.label.hasPrefix("Open dashboard (no desktop") && !$0.isEnabled })
      try panel.click()
      try session.wait(for: "the mute") { try isMuted(session) }
      try session.wait(for: "the icon to say so") { try panel.menu().first?.label == "The microphone is muted" }
      if round == 2 {
        #expect(try session.nearend("set", "tray", "on").succeeded)
        // That of nearend itself, which can open no dashboard either, and is the only one.
        try session.wait(for: "the other icon") { panel.registrations == 2 && panel.iconCount == 1 }
        #expect(try session.nearend("set", "tray", "off").succeeded)
        try session.wait(for: "this icon again") { panel.registrations == 3 && panel.iconCount == 1 }
      }
      running.process.signal(SIGTERM)
      #expect(running.process.wait() == .status(0))
      try session.wait(for: "its end", detail: { tray.errors }) { try panel.menu().first?.label == "nearend is not running" }
    }
    try panel.choose("Close this icon")
    #expect(tray.process.wait() == .status(0), "\(tray.errors)")
    #expect(panel.iconCount == 0 && tray.errors == "")
  }

  @Test("O11: a systemd that does not answer holds up neither the icon of nearend tray nor its end")
  func silentSystemd() throws {
    let session = try plainSession()
    let panel = TrayPanel()
    try panel.connect(to: session)
    let folder = "\(session.path)/silent"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try "#!/bin/sh\necho $$ >'\(folder)/pid'\nexec sleep 3600\n".write(toFile: "\(folder)/systemctl", atomically: true, encoding: .utf8)
    chmod("\(folder)/systemctl", 0o755)
    let tray = try session.start(nearendProgram, ["tray"], ["PATH": "\(folder):\(session.environment["PATH"] ?? "")"])
    func asked() -> pid_t? { text(ofFile: "\(folder)/pid").flatMap { pid_t($0.trimmingCharacters(in: .newlines)) } }
    try session.wait(for: "the question", detail: { tray.errors }) { asked() != nil }
    defer { if let asked = asked() { kill(asked, SIGKILL) } }
    try session.wait(for: "the icon", detail: { tray.errors }) { panel.hasIcon }
    #expect(try panel.menu().map(\.label) == ["nearend is not running", "", "Close this icon"])
    tray.process.signal(SIGTERM)
    #expect(tray.process.wait() == .status(0), "\(tray.errors)")
  }

  @Test("O11: a terminal is the desktop's, that of TERMINAL, or one that is there; a service asks systemd for it; without one it says why")
  func terminals() throws {
    func window(_ environment: [String: String], isUnit: Bool = false, _ programs: String...) -> String {
      do throws(DashboardWindow.Obstacle) {
        return try DashboardWindow("/bin/nearend", environment, isUnit: isUnit) { programs.contains($0) ? "/bin/\($0)" : nil }
          .arguments.joined(separator: " ")
      } catch { return error.words }
    }
    let desk = ["DISPLAY": ":0"]
    #expect(window(desk, "xterm", "xdg-terminal-exec") == "/bin/xdg-terminal-exec /bin/nearend")
    #expect(window(desk, "xterm", "gnome-terminal") == "/bin/gnome-terminal -- /bin/nearend")
    #expect(window(["WAYLAND_DISPLAY": "wayland-0", "TERMINAL": "foot"], "xterm", "foot") == "/bin/foot /bin/nearend")
    #expect(window(["DISPLAY": ":0", "TERMINAL": "gone"], "xterm") == "/bin/xterm -e /bin/nearend")
    #expect(window(desk) == "no terminal found; set TERMINAL")
    #expect(window([:], "xterm") == "no desktop known here; DISPLAY is not set")
    let asked = "systemd-run --user --collect --quiet -- /bin/xterm -e /bin/nearend"
    #expect(window([:], isUnit: true, "xterm", "systemd-run") == asked)
    #expect(window(desk, isUnit: true, "xterm") == "/bin/xterm -e /bin/nearend")
  }

  /// A screen without a monitor, whose pixels are read from a file.
  private final class Screen {
    let name: String
    private let file: String
    private let process: ChildProcess

    init(in session: PrivateSession) throws {
      let number = "\(session.path)/display"
      let folder = "\(session.path)/screen"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      file = "\(folder)/Xvfb_screen0"
      process = try session.spawn(
        "Xvfb", ["-displayfd", "1", "-nolisten", "tcp", "-screen", "0", "640x320x24", "-fbdir", folder], output: number)
      // The last line; what comes before it are complaints.
      func read() -> String? { text(ofFile: number)?.split(separator: "\n").last.flatMap { Int($0) }.map { ":\($0)" } }
      try session.wait(for: "a display", detail: { text(ofFile: number) ?? "" }) { read() != nil }
      name = read() ?? ""
    }

    func end() { process.end() }

    /// The colours of a part of the screen, as 0xRRGGBB, row by row, out of a window dump.
    func pixels(_ columns: Range<Int>, _ rows: Range<Int>) -> [UInt32] {
      let dump = FileManager.default.contents(atPath: file) ?? Data()
      func number(_ index: Int) -> Int { dump[index * 4..<index * 4 + 4].reduce(0) { $0 << 8 | Int($1) } }
      guard dump.count > 100 else { return [] }
      let (start, width) = (number(0) + number(19) * 12, number(12))
      return rows.flatMap { row in
        columns.map { column in
          let at = start + row * width + column * 4
          return UInt32(dump[at + 2]) << 16 | UInt32(dump[at + 1]) << 8 | UInt32(dump[at])
        }
      }
    }
  }

  /// A panel of Xfce's with nothing but a tray.
  private static let panel = """
    <?xml version="1.0" encoding="UTF-8"?>
    <channel name="xfce4-panel" version="1.0">
      <property name="configver" type="int" value="2"/>
      <property name="panels" type="array">
        <value type="int" value="1"/>
        <property name="dark-mode" type="bool" value="true"/>
        <property name="panel-1" type="empty">
          <property name="position" type="string" value="p=6;x=0;y=0"/>
          <property name="position-locked" type="bool" value="true"/>
          <property name="length" type="uint" value="100"/>
          <property name="size" type="uint" value="32"/>
          <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
        </property>
      </property>
      <property name="plugins" type="empty"><property name="plugin-1" type="string" value="systray"/></property>
    </channel>
    """

  /// Xfce's store of settings, which a bus with services would start: its path is in the service's file.
  private static func store() throws -> String {
    let service = text(ofFile: "/usr/share/dbus-1/services/org.xfce.Xfconf.service") ?? ""
    let line = try #require(service.split(separator: "\n").first { $0.hasPrefix("Exec=") }, "xfconf is not installed")
    return String(line.dropFirst(5))
  }

  @Test(
    "O11: a real panel shows the icon in every state; a click mutes, and an entry of the menu does what it says",
    .enabled(
      if: AudioClient.isInstalled("xfce4-panel", "Xvfb", "xdotool"),
      "xfce4-panel, Xvfb and xdotool are not installed: apt install xfce4-panel xvfb xdotool"))
  func xfce() throws {
    let session = try plainSession()
    let folder = "\(session.path)/config/xfce4/xfconf/xfce-perchannel-xml"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(Self.panel.utf8).write(to: URL(fileURLWithPath: "\(folder)/xfce4-panel.xml"))
    let screen = try Screen(in: session)
    let variables = ["DISPLAY": screen.name, "NO_AT_BRIDGE": "1", "GTK_A11Y": "none", "GSETTINGS_BACKEND": "memory"]
    let store = try session.start(Self.store(), [], variables)
    let panel = try session.start("xfce4-panel", ["--disable-wm-check"], variables)
    defer {
      for process in [panel.process, store.process] { process.end() }
      screen.end()
    }
    let running = try session.startNearend("--headless")
    #expect(running.says("control socket"), "\(running.errors)")
    /// Whether there are some pixels that are nearly of this colour.
    func has(_ colour: (Int, Int, Int), _ picture: [UInt32]) -> Bool {
      picture.filter { pixel in
        let parts = [(Int(pixel >> 16), colour.0), (Int(pixel >> 8 & 255), colour.1), (Int(pixel & 255), colour.2)]
        return parts.allSatisfy { abs($0 - $1) < 40 }
      }.count > 8
    }
    /// Waits until the icon at the panel's left end is white, with red or orange where it is meant, and different from the others seen.
    var seen: [[UInt32]] = []
    func see(_ what: String, isMuted: Bool, isAlarm: Bool) throws {
      var last: [UInt32] = []
      try session.wait(for: what, detail: { panel.errors + running.errors }) {
        let new = screen.pixels(0..<24, 0..<32)
        defer { last = new }
        let isMeant = has((250, 250, 250), new) && has((237, 51, 59), new) == isMuted && has((255, 140, 0), new) == isAlarm
        // Drawn to its end.
        return isMeant && new == last && !seen.contains(new)
      }
      seen.append(last)
    }
    func xdotool(_ words: String...) throws {
      let result = try session.start("xdotool", words, variables).result()
      #expect(result.succeeded, "\(result)")
    }
    #expect(try session.nearend("set", "tray", "on").succeeded)
    try see("the idle icon", isMuted: false, isAlarm: false)
    let recorder = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
    try see("the active icon", isMuted: false, isAlarm: false)
    try xdotool("mousemove", "12", "16", "click", "1", "mousemove", "600", "300")
    try session.wait(for: "the mute", detail: { running.errors }) { try isMuted(session) }
    try see("the muted icon", isMuted: true, isAlarm: false)

    // Where only the menu's last entries are, and no tooltip. The first entry that can be chosen is the mute.
    let below = screen.pixels(0..<200, 180..<260)
    try xdotool("mousemove", "12", "16", "click", "3")
    try session.wait(for: "the menu", detail: { panel.errors }) { screen.pixels(0..<200, 180..<260) != below }
    try xdotool("key", "Down", "Return")
    try session.wait(for: "the microphone to be open", detail: { panel.errors }) { try !isMuted(session) }
    try xdotool("mousemove", "600", "300")
    session.stop(.pipewire)
    try see("the alarm", isMuted: false, isAlarm: true)
    withExtendedLifetime(recorder) {}
  }
}
