import Foundation
import Nearend
import SessionModel
import Synchronization
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// Each interruption in a live graph, in default and in manual mode.
  @Suite("Interruptions", .serialized)
  struct Interruptions {
    private func manager(_ live: LiveGraph) throws -> LoginManager { try #require(live.session.loginManager) }

    /// A minute of silence, written once per session under a temporary name, because players open it while others play it.
    private func silence(_ session: PrivateSession) throws -> String {
      let file = "\(session.path)/silence.wav"
      guard !FileManager.default.fileExists(atPath: file) else { return file }
      var wave = Data("RIFF".utf8)
      func append(_ values: UInt32...) { for value in values { withUnsafeBytes(of: value.littleEndian) { wave.append(contentsOf: $0) } } }
      let bytes: UInt32 = 48_000 * 2 * 60
      append(bytes + 36)
      wave.append(Data("WAVEfmt ".utf8))
      append(16, 0x0001_0001, 48_000, 96_000, 0x0010_0002)
      wave.append(Data("data".utf8))
      append(bytes)
      wave.append(Data(count: Int(bytes)))
      try wave.write(to: URL(fileURLWithPath: file), options: .atomic)
      return file
    }

    /// Starts an application that plays silence with a role to a device.
    private func play(_ live: LiveGraph, role: String, to device: String) throws -> ChildProcess {
      let file = try silence(live.session)
      return try live.session.spawn("pw-cat", ["--playback", "--media-role", role, "--target", device, file])
    }

    @Test(
      "I1, I2, I4: before sleep the devices are released, and only then may the machine sleep; after it sound is back within 1 s",
      arguments: [false, true])
    func sleep(isManual: Bool) throws {
      let live = try LiveGraph(.login, isManual: isManual)
      defer { live.stop() }
      let manager = try manager(live)
      let call = try InterruptedCall(live, isManual: isManual)
      func isHeld() -> Bool { manager.inhibitors.contains { $0.who == "nearend" && $0.what == "sleep" && $0.mode == "delay" && $0.isHeld } }
      try live.session.wait(for: "the inhibitor") { isHeld() }
      let serials = try live.serials()

      manager.prepareForSleep(true)
      try live.session.wait(for: "the inhibitor to be given up") { !isHeld() }
      #expect(try GraphDump(live.session).links(from: "hw.mic").isEmpty)
      #expect(try GraphDump(live.session).links(to: "hw.speaker").isEmpty)
      #expect(live.service.snapshot().session.interruption?.reason == .sleep)
      #expect(live.service.snapshot().session.state == .interrupted)

      let seconds = try call.recovery(.sleep) { manager.prepareForSleep(false) }
      #expect(seconds < 1)
      try live.session.wait(for: "the inhibitor again") { isHeld() }
      #expect(try live.serials() == serials, "filter and devices are the same")
    }

    @Test("I1: while the daemon is away nothing is in use, and the machine may sleep at once")
    func sleepWithoutDaemon() throws {
      let live = try LiveGraph(.login)
      defer { live.stop() }
      let manager = try manager(live)
      func isHeld() -> Bool { manager.inhibitors.contains { $0.who == "nearend" && $0.what == "sleep" && $0.isHeld } }
      try live.session.wait(for: "the inhibitor") { isHeld() }
      live.session.stop(.pipewire)
      try live.wait(for: "the loss") { $0.session.interruption?.reason == .daemonLost }

      manager.prepareForSleep(true)
      try live.session.wait(for: "the inhibitor to be given up") { !isHeld() }
      #expect(!live.service.snapshot().log.contains { $0.message.contains("allowing sleep anyway") })

      manager.prepareForSleep(false)
      try live.session.start()
      try live.wait(for: "the recovery") { $0.session.interruption == nil }
      try live.session.wait(for: "the inhibitor again") { isHeld() }
    }

    @Test("I1, I2, I4: a phone's stream that runs interrupts, its end recovers; a ring sink keeps what it has", arguments: [false, true])
    func role(isManual: Bool) throws {
      let live = try LiveGraph(.login, isManual: isManual)
      defer { live.stop() }
      let call = try InterruptedCall(live, isManual: isManual)
      // If an application plays through nearend, the filter may keep running meanwhile.
      let player = try play(live, role: "Music", to: "nearend.speaker")
      defer { player.end() }
      try live.wait(for: "the player") { $0.session.receiveMedia.count == 3 }
      let phone = try play(live, role: "Phone", to: "hw.speaker")
      defer { phone.end() }
      try live.wait(for: "the interruption") { $0.session.interruption?.reason == .role }
      try call.waitUntilDown()
      #expect(live.service.snapshot().log.contains { $0.message.contains("(Phone) has priority over a call") })
      let before = call.fill
      #expect(call.write())
      // Half a second of the phone's own clock.
      let others = try live.probe("meanwhile", record: ["speaker"], frames: 24_000)
      try live.link([("hw.speaker:monitor_FL", others.recordPort("speaker"))])
      _ = try others.run()
      #expect(call.fill == before + 960, "nothing is taken out while the session is held up")
      let seconds = try call.recovery(.role) { phone.end() }
      #expect(seconds < 1)
      try live.wait(for: "the sink to play") { _ in call.fill < before + 960 }
    }

    @Test("S4, I2: when didRecover is posted the devices are linked and cycles run", arguments: [false, true])
    func soundPasses(isManual: Bool) throws {
      let live = try LiveGraph(.login, isManual: isManual)
      defer { live.stop() }
      let call = try InterruptedCall(live, isManual: isManual)
      let found = Mutex<[GraphStatus]>([])
      let subscription = live.service.events.subscribe { [weak service = live.service] news in
        guard case .event(let event) = news, event.kind == .didRecover, let status = service?.snapshot().graph else { return }
        found.withLock { $0.append(status) }
      }
      for round in 1...3 {
        let phone = try play(live, role: "Phone", to: "hw.speaker")
        try call.waitUntilDown()
        let before = live.service.snapshot().graph.cycles
        phone.end()
        try live.wait(for: "the end of the interruption") { $0.session.interruption == nil }
        if isManual { live.service.session.send(.activatedExternally) }
        try live.session.wait(for: "didRecover") { found.withLock { $0.count } == round }
        let status = try #require(found.withLock { $0.last })
        #expect(status.captureLinks == 1 && status.renderLinks == 2 && status.cycles > before, "round \(round): \(status)")
      }
      withExtendedLifetime(subscription) {}
    }

    @Test("I1, I2: a phone's stream that is corked interrupts no longer, and again as soon as it plays on")
    func cork() throws {
      let live = try LiveGraph(.login)
      defer { live.stop() }
      let call = try InterruptedCall(live)
      let phone = try CorkableStream(in: live.session, role: "Phone", device: "hw.speaker")
      defer { phone.end() }
      for round in 1...2 {
        try live.wait(for: "the interruption") { $0.session.interruption?.reason == .role }
        try call.waitUntilDown()
        phone.cork(true)
        try live.wait(for: "its end") { $0.session.interruption == nil }
        try call.waitUntilUp(recoveries: round)
        #expect(call.count(.interruptionBegan) == round)
        phone.cork(false)
      }
      try live.wait(for: "the interruption") { $0.session.interruption?.reason == .role }
      phone.end()
      try call.waitUntilUp(recoveries: 3)
    }

    @Test("I1: a stream of another role does not interrupt, nor does a phone that calls through nearend")
    func otherRoles() throws {
      let live = try LiveGraph(.login)
      defer { live.stop() }
      let call = try InterruptedCall(live)
      let music = try play(live, role: "Music", to: "hw.speaker")
      let phone = try play(live, role: "Phone", to: "nearend.speaker")
      defer { for client in [music, phone] { client.end() } }
      try live.wait(for: "the phone to be a client") { $0.session.receiveMedia.count == 3 }
      try live.session.wait(for: "the music to play") {
        try GraphDump(live.session).links(to: "hw.speaker").count { $0.state == "active" } > 2
      }
      #expect(call.count(.interruptionBegan) == 0)
      #expect(live.service.snapshot().session.state == .active)
    }

    @Test(
      "I1, I3, I4: without the seat the session is interrupted; what else ends meanwhile recovers on return, once",
      arguments: [false, true])
    func seat(isManual: Bool) throws {
      let live = try LiveGraph(.login, isManual: isManual)
      defer { live.stop() }
      let manager = try manager(live)
      let call = try InterruptedCall(live, isManual: isManual)
      manager.setActive(false)
      defer { manager.setActive(true) }
      try live.wait(for: "the interruption") { $0.session.interruption?.reason == .sessionInactive }
      try call.waitUntilDown()
      let phone = try play(live, role: "Emergency", to: "hw.speaker")
      try live.session.wait(for: "the alarm to be heard of") { live.service.session.current.interruptions.contains(.role) }
      phone.end()
      try live.session.wait(for: "the alarm's end") { !live.service.session.current.interruptions.contains(.role) }
      #expect(call.count(.didRecover) == 0)
      let seconds = try call.recovery(.sessionInactive) { manager.setActive(true) }
      #expect(seconds < 1)
    }

    @Test("I3, I5: with --when-inactive continue a return to the foreground touches nothing, but recovers what ended in the background")
    func background() throws {
      let live = try LiveGraph(.login) { $0.interruptions.whenInactive = .goOn }
      defer { live.stop() }
      let manager = try manager(live)
      let call = try InterruptedCall(live)
      func links() throws -> [Int] { try GraphDump(live.session).oursLinks.map(\.serial).sorted() }
      let before = try links()
      manager.setActive(false)
      defer { manager.setActive(true) }
      try live.session.wait(for: "the background") { !live.service.session.current.isInForeground }
      manager.setActive(true)
      try live.session.wait(for: "the foreground") { live.service.session.current.isInForeground }
      #expect(try links() == before)
      #expect(call.events.isEmpty)

      manager.setActive(false)
      try live.session.wait(for: "the background") { !live.service.session.current.isInForeground }
      let phone = try play(live, role: "Phone", to: "hw.speaker")
      try call.waitUntilDown()
      phone.end()
      try live.session.wait(for: "the end") { live.service.session.current.awaitsRecovery }
      #expect(call.count(.didRecover) == 0)
      let seconds = try call.recovery(.role) { manager.setActive(true) }
      #expect(seconds < 1)
    }

    @Test("I1 X1: only the login manager announces sleep: a signal from another on the bus, sent to nearend alone, does nothing")
    func impostor() throws {
      let live = try LiveGraph(.login)
      defer { live.stop() }
      let manager = try manager(live)
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try live.wait(for: "the call") { $0.session.state == .active }
      try live.session.wait(for: "the inhibitor") { manager.inhibitors.contains { $0.isHeld } }
      // Sessions are kept for the next test, so that the connection's number is not a small one.
      let own = try live.session.run(
        "dbus-send", ["--system", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.GetId"])
      let last = try #require(own.output.firstMatch(of: /destination=:1\.(\d+)/).flatMap { Int($0.output.1) })
      for peer in 0...last {
        _ = try live.session.run(
          "dbus-send",
          [
            "--system", "--type=signal", "--dest=:1.\(peer)", "/org/freedesktop/login1", "org.freedesktop.login1.Manager.PrepareForSleep",
            "boolean:true",
          ])
      }
      // In order behind those.
      manager.setActive(false)
      try live.wait(for: "the manager's own word") { $0.session.interruption?.reason == .sessionInactive }
      #expect(live.service.snapshot().session.interruptions.map(\.reason) == [.sessionInactive])
      manager.setActive(true)
      try live.wait(for: "the seat") { $0.session.interruption == nil }
    }

    @Test("I6: the system bus dies and comes back: no interruption, and sleep is noticed again within 2 s")
    func systemBus() throws {
      let live = try LiveGraph(.login)
      defer { live.stop() }
      let manager = try manager(live)
      let call = try InterruptedCall(live)
      func held() -> Int { manager.inhibitors.count { $0.isHeld } }
      try live.session.wait(for: "the inhibitor") { held() == 1 }
      live.session.stop(.systemBus)
      try live.session.wait(for: "the inhibitor to be given up") { held() == 0 }
      try live.session.start()
      let back = SimulatedHardware.monotonicSeconds()
      try live.session.wait(for: "the inhibitor again") { held() == 1 }
      let seconds = SimulatedHardware.monotonicSeconds() - back
      print("I6: the login manager is heard \(Int(seconds * 1_000)) ms after it is back")
      #expect(seconds < 2)
      #expect(call.events.isEmpty)
      #expect(live.service.snapshot().session.state == .active)
    }

    @Test("I6: the session's bus dies and comes back alone: within 2 s everything is whole, the devices the same")
    func sessionBus() throws {
      let live = try LiveGraph(.login)
      defer { live.stop() }
      let call = try InterruptedCall(live)
      let serials = try live.serials()
      live.session.stop(.bus, isAlone: true)
      try call.waitUntilUp()
      try live.session.start()
      let back = SimulatedHardware.monotonicSeconds()
      try call.waitUntilUp()
      #expect(SimulatedHardware.monotonicSeconds() - back < 2)
      #expect(try live.serials() == serials)
      #expect(call.count(.interruptionBegan) == 0)
    }

    @Test("I1: without a system bus one remark says so, and everything else works")
    func noSystemBus() throws {
      let live = try LiveGraph(.hardware) { $0.interruptions.systemBus = .address("unix:path=/nonexistent/bus") }
      defer { live.stop() }
      let call = try InterruptedCall(live)
      #expect(live.service.snapshot().log.count { $0.message.contains("no login manager (") } == 1)
      #expect(live.service.snapshot().log.allSatisfy { $0.level != .error })
      withExtendedLifetime(call) {}
    }
  }
}
