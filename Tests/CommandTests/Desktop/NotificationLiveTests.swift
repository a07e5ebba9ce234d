import Foundation
import SessionModel
import TestSupport
import Testing

@testable import SimulatedHardware

/// Desktop notifications of a running `nearend`, in a private session: what a person in a call is told, and what pressing the button does.
@Suite("Notifications, live", .serialized)
struct NotificationLiveTests {
  private static let talk = "You are talking while muted"

  /// Somebody records, is muted, and talks all the time.
  private final class Talk {
    private let talker: GraphProbe
    private let recorder: ChildProcess

    init(_ session: PrivateSession) throws {
      try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
      recorder = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
      let speech = try Speech(.nearEnd, rate: 48_000).samples
      let voice = Array(repeating: speech, count: 120 * 48_000 / speech.count + 1).flatMap { $0 }
      talker = try GraphProbe(socket: session.socket, name: "mouth", play: ["voice": voice], record: ["clock"], frames: voice.count)
      try session.link(talker.playPort("voice"), "hw.mic:input_MONO")
      try session.link("hw.speaker:monitor_FL", talker.recordPort("clock"))
      talker.start()
      #expect(try session.nearend("mute").succeeded)
    }

    deinit { recorder.end() }
  }

  private func isMuted(_ session: PrivateSession) throws -> Bool { try session.nearend("get", "microphoneMuted").output == "true\n" }

  @Test("O11 D2: who talks into the muted microphone of a headless nearend is told, and unmutes by the notification; off, nobody is told")
  func unmutes() throws {
    let session = try plainSession()
    let server = NotificationServer()
    try server.connect(to: session)
    let running = try session.startNearend("--headless")
    #expect(running.says("control socket"), "\(running.errors)")
    #expect(try session.nearend("get", "notifications").output == "auto\n")
    let talk = try Talk(session)
    try session.wait(for: "the notification", detail: { "\(running.errors)" }) { server.id(of: Self.talk) != nil }
    server.press("unmute", on: try #require(server.id(of: Self.talk)))
    try session.wait(for: "the microphone to be open") { try !isMuted(session) }
    try session.wait(for: "the notification to go") { server.shown.isEmpty }
    #expect(server.requests.count == 1)

    #expect(try session.nearend("mute").succeeded)
    try session.wait(for: "the next notification") { server.id(of: Self.talk) != nil }
    #expect(try session.nearend("set", "notifications", "off").succeeded)
    try session.wait(for: "the notification to go") { server.shown.isEmpty }
    #expect(try !session.nearend("set", "notifications", "loud").succeeded)
    #expect(try session.nearend("set", "notifications", "on").succeeded)
    // No more than two in a minute.
    #expect(running.says("notification held back, after 2 within a minute: \(Self.talk)"), "\(running.errors)")
    withExtendedLifetime(talk) {}
    running.process.signal(SIGTERM)
    #expect(running.process.wait() == .status(0))
  }

  @Test("O11: a dashboard shows it itself: by default there is no notification beside it, and there is one where the file says so")
  func dashboard() throws {
    let session = try plainSession()
    let server = NotificationServer()
    try server.connect(to: session)
    let terminal = try Terminal(in: session)
    try terminal.expect("IDLE")
    let talk = try Talk(session)
    try terminal.expect("YOU ARE TALKING WHILE MUTED")
    #expect(server.requests == [])
    let folder = "\(session.path)/config/nearend"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("notifications = \"on\"\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/nearend.toml"), options: .atomic)
    try session.wait(for: "the notification") { server.id(of: Self.talk) != nil }
    withExtendedLifetime(talk) {}
    // What is shown goes with nearend.
    try terminal.type("q")
    try terminal.expectEnd()
    #expect(server.shown.isEmpty)
  }

  @Test("O11 I1: an interruption of a call is told, and its end in its place; a nearend without calls tells nothing")
  func interruption() throws {
    let session = try plainSession()
    let server = NotificationServer()
    try server.connect(to: session)
    let running = try session.startNearend("--headless")
    try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
    #expect(server.requests == [])
    let send = try session.nearend("send", "--rtp", "127.0.0.1:9")
    #expect(send.succeeded, "\(send.errors)")
    try session.wait(for: "the call") { try session.nearend("status").output.contains("active") }
    session.stop(.pipewire)
    try session.wait(for: "the interruption", detail: { "\(server.requests) \(running.errors)" }) {
      server.id(of: "The call's sound is interrupted") != nil
    }
    let id = try #require(server.id(of: "The call's sound is interrupted"))
    try session.start()
    try session.wait(for: "the end") { server.id(of: "The call's sound is back") == id }
    #expect(server.requests.count == 2 && server.shown.first?.timeout == 5000)
    try session.wait(for: "that to go, too") { server.shown.isEmpty }
  }

  @Test(
    "O11: a real daemon shows the notification, presses its button and closes it when it is over",
    .enabled(if: AudioClient.isInstalled("dunst", "Xvfb"), "dunst and Xvfb are not installed: apt install dunst xvfb"))
  func dunst() throws {
    let session = try plainSession()
    let number = "\(session.path)/display"
    let display = try session.spawn("Xvfb", ["-displayfd", "1", "-nolisten", "tcp", "-screen", "0", "640x480x24"], output: number)
    // The last line; what comes before it are complaints.
    func name() -> String? { text(ofFile: number)?.split(separator: "\n").last.flatMap { Int($0) }.map { ":\($0)" } }
    try session.wait(for: "a display", detail: { text(ofFile: number) ?? "" }) { name() != nil }
    let daemon = try session.start("dunst", [], ["DISPLAY": try #require(name())])
    defer {
      daemon.process.end()
      // It removes its socket in /tmp only where it is asked to end.
      display.end()
    }
    func dunstctl(_ arguments: String...) throws -> String { try session.run("dunstctl", arguments).output }
    try session.wait(for: "dunst", detail: { daemon.errors }) { try dunstctl("is-paused").contains("false") }

    let running = try session.startNearend("--headless")
    let talk = try Talk(session)
    try session.wait(for: "the notification", detail: { running.errors }) { try dunstctl("count", "displayed").contains("1") }
    _ = try dunstctl("action", "0")
    try session.wait(for: "the microphone to be open", detail: { daemon.errors }) { try !isMuted(session) }
    try session.wait(for: "the notification to go") { try dunstctl("count", "displayed").contains("0") }
    let history = try dunstctl("history")
    #expect(history.contains(Self.talk) && history.contains("Others do not hear you: the microphone is muted."), "\(history)")
    withExtendedLifetime(talk) {}
  }
}
