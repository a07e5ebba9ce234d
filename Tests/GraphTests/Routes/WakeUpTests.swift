import Nearend
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("Routes after a sleep", .serialized)
  struct WakeUps {
    @Test("R4: a sleep's change of route is reported as wakeFromSleep, even if the device disappears a moment after waking up")
    func wakeFromSleep() throws {
      var configuration = SessionConfiguration()
      configuration.desk = [DeskCard.make(.laptop)]
      configuration.hasLoginManager = true
      configuration.runsPulse = false
      let session = try PrivateSession(configuration)
      defer { session.end() }
      let (desk, login) = (try #require(session.desk), try #require(session.loginManager))
      desk.set(.headphones, isPlugged: true)
      let live = try LiveGraph(.desk([]), in: session) {
        $0.interruptions.systemBus = .address("unix:path=\(session.path)/system-bus")
      }
      defer { live.stop() }
      let changes = EventRecord(live.service, .routeChange)
      func sleeps() -> Bool { live.service.snapshot().session.interruption?.reason == .sleep }
      func output() -> PortType? { live.service.snapshot().route.current.outputs.first?.portType }
      try live.wait(for: "the headphones") { _ in output() == .headphones }
      try session.wait(for: "the inhibitor") { login.inhibitors.contains { $0.isHeld } }

      // Unplugged during sleep.
      login.prepareForSleep(true)
      try live.wait(for: "the sleep") { _ in sleeps() }
      desk.set(.headphones, isPlugged: false)
      try live.wait(for: "the speaker") { _ in output() == .builtInSpeaker }
      login.prepareForSleep(false)
      try live.wait(for: "the end of the sleep") { _ in !sleeps() }
      // Discovered after waking.
      desk.set(.headphones, isPlugged: true)
      try live.session.wait(for: "both changes") { changes.all.count == 2 }
      #expect(changes.texts("reason") == ["wakeFromSleep", "wakeFromSleep"])
      #expect(changes.texts("outputs").map { $0.prefix { $0 != " " } } == ["builtInSpeaker", "headphones"])
    }
  }
}
