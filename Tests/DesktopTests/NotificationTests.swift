import Foundation
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import Desktop
@testable import SimulatedHardware

/// A notifier on the bus of a private session, and what it tells of.
private final class Rig {
  let session: PrivateSession
  let facts = Mutex(NoticeFacts())
  let performed = Mutex<[Command]>([])
  let remarks = Mutex<[String]>([])
  private(set) var notifier: DesktopNotifier!

  init() throws {
    var configuration = SessionConfiguration()
    configuration.runsPulse = false
    session = try PrivateSession(configuration)
    let subject = DesktopNotifier.Subject(
      facts: { [weak self] in self?.facts.withLock { $0 } ?? NoticeFacts() },
      perform: { [weak self] command in self?.performed.withLock { $0.append(command) } },
      remark: { [weak self] text in self?.remarks.withLock { $0.append(text) } })
    notifier = DesktopNotifier(address: "unix:path=\(session.path)/bus", subject)
    set {
      $0.isInCall = true
      $0.isActive = true
      $0.isSending = true
      $0.microphone = "hw.mic"
    }
    notifier.setEnabled(true)
  }

  /// Has a server join the session's bus.
  func serve(_ server: NotificationServer = NotificationServer()) throws -> NotificationServer {
    try server.connect(to: session)
    return server
  }

  func set(_ change: (inout NoticeFacts) -> Void) {
    facts.withLock { change(&$0) }
    notifier.somethingChanged()
  }

  func talk(_ isTalking: Bool = true) { set { ($0.isMicrophoneMuted, $0.isTalkingWhileMuted) = (isTalking, isTalking) } }

  func stop() {
    notifier.stop()
    session.end()
  }
}

extension Rig: @unchecked Sendable {}

@Suite("Desktop notifications", .serialized)
struct NotificationTests {
  private static let talk = "You are talking while muted"

  @Test("O11: a notice is shown with its words and its button, which does what it says; when it is over it is withdrawn")
  func action() throws {
    let rig = try Rig()
    defer { rig.stop() }
    let server = try rig.serve()
    rig.talk()
    #expect(eventually { server.shown.count == 1 })
    let shown = try #require(server.shown.first)
    #expect(shown.application == "nearend" && shown.summary == Self.talk && shown.replaces == 0 && shown.timeout == -1)
    #expect(shown.body == "Others do not hear you: the microphone is muted." && shown.actions == ["unmute", "Unmute"])
    let id = try #require(server.id(of: Self.talk))
    // Neither another's notification nor another button is meant.
    server.press("unmute", on: id + 1)
    server.press("resume", on: id)
    server.press("\u{1B}[2J", on: id)
    server.press("unmute", on: id)
    #expect(eventually { !rig.performed.withLock { $0 }.isEmpty })
    #expect(rig.performed.withLock { $0 } == [.set(.microphoneMuted, .bool(false))])
    rig.talk(false)
    #expect(eventually { server.shown.isEmpty })
    #expect(server.withdrawn == [id] && server.requests.count == 1 && rig.remarks.withLock { $0 } == [])
  }

  @Test("O11: what changes is replaced in place; markup in names is shown, not obeyed; the end withdraws everything")
  func replaced() throws {
    let rig = try Rig()
    let server = try rig.serve()
    rig.set { $0.bypassed = ["<b>Amp</b> & co\u{202E}: it put out NaN"] }
    #expect(eventually { server.shown.count == 1 })
    #expect(server.shown.first?.body == "&lt;b&gt;Amp&lt;/b&gt; &amp; co\u{FFFD}: it put out NaN")
    let id = try #require(server.id(of: "A plug-in is bypassed"))
    rig.set { $0.bypassed.append("Gate: it put out NaN") }
    #expect(eventually { server.shown.first?.summary == "2 plug-ins are bypassed" })
    #expect(server.shown.count == 1 && server.requests.last?.replaces == id)
    rig.notifier.stop()
    #expect(eventually { server.shown.isEmpty })
    #expect(server.withdrawn == [id])
    rig.session.end()
  }

  @Test("O11: a daemon without bodies, buttons or markup is told all of it in the title, with the command in place of the button")
  func plainDaemon() throws {
    let rig = try Rig()
    defer { rig.stop() }
    let server = try rig.serve(NotificationServer(capabilities: []))
    rig.talk()
    #expect(eventually { server.shown.count == 1 })
    #expect(server.shown.first?.actions == [])
    #expect(
      server.shown.first?.summary == "\(Self.talk): Others do not hear you: the microphone is muted. 'nearend unmute' unmutes it.")
  }

  @Test("O11: without a daemon there is one remark; once one appears it shows what still holds, and the next one after a restart, too")
  func daemonComes() throws {
    let rig = try Rig()
    defer { rig.stop() }
    rig.talk()
    #expect(eventually { rig.remarks.withLock { $0.count } == 1 })
    let server = try rig.serve()
    #expect(eventually { server.id(of: Self.talk) != nil })
    server.leave()
    #expect(server.shown.isEmpty)
    try server.connect(to: rig.session)
    #expect(eventually { server.id(of: Self.talk) != nil })
    #expect(server.requests.map(\.replaces) == [0, 0], "the number of the former daemon means nothing")
    let remarks = rig.remarks.withLock { $0 }
    #expect(remarks.count == 1 && remarks[0].hasPrefix("no desktop notifications (no notification daemon: "), "\(remarks)")
  }

  @Test("O11: without a bus there is one remark, and what still holds is shown once bus and daemon are there")
  func busComes() throws {
    let rig = try Rig()
    defer { rig.stop() }
    let server = try rig.serve()
    rig.talk()
    #expect(eventually { server.shown.count == 1 })
    rig.session.stop(.bus, isAlone: true)
    server.leave()
    rig.notifier.somethingChanged()
    #expect(eventually { rig.remarks.withLock { $0.count } == 1 })
    try rig.session.start(.bus)
    try server.connect(to: rig.session)
    #expect(
      eventually {
        rig.notifier.somethingChanged()
        return server.id(of: Self.talk) != nil
      })
    let remarks = rig.remarks.withLock { $0 }
    #expect(
      remarks.count == 1 && remarks[0].hasPrefix("no desktop notifications (") && remarks[0].contains("bus at unix:path="), "\(remarks)")
  }

  @Test("O11: what a person closes stays closed while it holds; turned off, nothing is shown, and what is there goes")
  func closedAndOff() throws {
    let rig = try Rig()
    defer { rig.stop() }
    let server = try rig.serve()
    rig.talk()
    #expect(eventually { server.shown.count == 1 })
    server.dismiss(try #require(server.id(of: Self.talk)))
    rig.set { $0.isPausedAfterUnplug = true }
    #expect(eventually { server.shown.count == 1 })
    #expect(server.shown.map(\.summary) == ["Playback is paused"] && server.requests.count == 2)
    rig.notifier.setEnabled(false)
    #expect(eventually { server.shown.isEmpty })
    rig.set { $0.bypassed = ["Amp: it put out NaN"] }
    #expect(server.requests.count == 2)
    #expect(server.withdrawn == [2])
  }

  // Swift 6.0 crashes on a closure among the arguments.
  private static let oddManners = NotificationServer.Manner.allCases.filter { $0 != .proper }

  @Test(
    "O11 X1: a daemon that answers with something else costs one remark, and is not asked again and again",
    arguments: oddManners)
  func oddDaemon(_ manner: NotificationServer.Manner) throws {
    let rig = try Rig()
    defer { rig.stop() }
    let server = try rig.serve(NotificationServer(manner: manner))
    rig.talk()
    #expect(eventually { rig.remarks.withLock { $0.count } == 1 })
    rig.talk()
    rig.talk(false)
    rig.set { $0.isPausedAfterUnplug = true }
    if manner != .oddCapabilities { #expect(eventually { server.requests.count == 2 }) }
    // A proper one is used as ever.
    server.leave()
    let next = try rig.serve()
    rig.set { $0.bypassed = ["Amp: it put out NaN"] }
    let isRoom = manner == .oddCapabilities
    #expect(eventually { isRoom ? next.shown.count == 2 : rig.remarks.withLock { $0.count } == 2 }, "\(rig.remarks.withLock { $0 })")
    #expect(next.requests.count == (isRoom ? 2 : 0), "two a minute")
    #expect(server.requests.count == (isRoom ? 0 : 2))
    #expect(rig.remarks.withLock { $0 }.allSatisfy { !$0.contains("\u{1B}") })
  }

  @Test("O11 X1: only the daemon presses buttons: a signal from another on the bus, sent to nearend alone, does nothing")
  func impostor() throws {
    let rig = try Rig()
    defer { rig.stop() }
    let server = try rig.serve()
    rig.talk()
    #expect(eventually { server.shown.count == 1 })
    let id = try #require(server.id(of: Self.talk))
    for peer in 1...20 {
      for member in ["ActionInvoked", "NotificationClosed"] {
        _ = try rig.session.run(
          "dbus-send",
          [
            "--session", "--type=signal", "--dest=:1.\(peer)", "/org/freedesktop/Notifications",
            "org.freedesktop.Notifications.\(member)", "uint32:\(id)", member == "ActionInvoked" ? "string:unmute" : "uint32:2",
          ])
      }
    }
    // In order behind those: from here on the daemon is heard, and nobody else was.
    server.press("unmute", on: id)
    #expect(eventually { !rig.performed.withLock { $0 }.isEmpty })
    #expect(rig.performed.withLock { $0 }.count == 1)
    rig.talk(false)
    #expect(eventually { server.withdrawn == [id] }, "it is still known as shown")
  }
}
