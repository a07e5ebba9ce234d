import Foundation
import Testing

@testable import SimulatedHardware

/// What is left when nearend ends: nothing in the daemon, a usable terminal, no process.
@Suite("Signals", .serialized)
struct SignalTests {
  private static let reasons = [SIGINT, SIGTERM, SIGHUP]

  /// A session in which an application records, so that nearend has something to clean up.
  private static func session() throws -> (session: PrivateSession, defaults: String) {
    let session = try plainSession()
    return (session, try session.metadata())
  }

  private static func record(in session: PrivateSession) throws {
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    _ = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
    try session.wait(for: "the microphone to open") {
      try session.links().keys.contains(.init(from: "hw.mic:capture_MONO", to: "nearend:mic_MONO"))
    }
  }

  /// Expects no node, link or changed metadata of nearend's in the daemon.
  private static func expectNothing(in session: PrivateSession, defaults: String) throws {
    try session.wait(for: "nearend's ports to go") { try session.ports().allSatisfy { !$0.contains("nearend") } }
    let nodes = try session.run("pw-cli", "ls", "Node").output
    #expect(!nodes.contains("nearend"))
    #expect(try session.links().keys.allSatisfy { !$0.from.hasPrefix("nearend") && !$0.to.hasPrefix("nearend") })
    // The session manager chooses anew when a device disappears.
    try session.wait(for: "the defaults to be as they were") { try session.metadata() == defaults }
  }

  @Test("O1: a signal ends --headless with 0, and nothing is left in the daemon", arguments: reasons)
  func headless(signal: Int32) throws {
    let (session, defaults) = try Self.session()
    let running = try session.startNearend("--headless", "--json")
    try Self.record(in: session)
    #expect(running.says("records from Nearend Microphone"))
    running.process.signal(signal)
    #expect(running.process.wait() == .status(0))
    #expect(try running.status().session.state == .active)
    try Self.expectNothing(in: session, defaults: defaults)
  }

  @Test("O1 U3: a signal ends the dashboard with 0; the terminal is as before and nothing is left in the daemon", arguments: reasons)
  func dashboard(signal: Int32) throws {
    let (session, defaults) = try Self.session()
    let terminal = try Terminal(in: session)
    try Self.record(in: session)
    try terminal.expect("ACTIVE", "pw-record")
    #expect(try terminal.isOnAlternateScreen())
    let pid = try #require(terminal.pid)
    kill(pid, signal)
    try terminal.expectEnd()
    #expect(terminal.exitStatus == 0)
    #expect(terminal.modesAreRestored)
    #expect(try !terminal.isOnAlternateScreen())
    try Self.expectNothing(in: session, defaults: defaults)
  }

  @Test("O1 U3: closing the terminal's window ends nearend, and nothing is left in the daemon")
  func closedTerminal() throws {
    let (session, defaults) = try Self.session()
    let terminal = try Terminal(in: session)
    try terminal.expect("IDLE")
    let pid = try #require(terminal.pid)
    try terminal.close()
    #expect(poll { kill(pid, 0) != 0 ? true : nil } == true, "nearend still runs")
    try Self.expectNothing(in: session, defaults: defaults)
  }

  @Test("R1: killed by SIGKILL, nearend leaves no node and no link in the daemon")
  func killed() throws {
    let (session, defaults) = try Self.session()
    let running = try session.startNearend("--headless", "--sink", "alice")
    try Self.record(in: session)
    running.process.signal(SIGKILL)
    #expect(running.process.wait() == .signal(SIGKILL))
    try Self.expectNothing(in: session, defaults: defaults)
    // A new instance starts as usual.
    let next = try session.startNearend("--headless")
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    #expect(next.process.isRunning)
  }

  @Test("O3: a signal ends a rehearsal with 0, and its session goes with it", arguments: reasons)
  func rehearsal(signal: Int32) throws {
    let place = try EmptyPlace()
    let running = try place.startNearend("rehearse", "--headless")
    #expect(running.says("room.observer"), "\(running.errors)")
    let session = try #require(rehearsalSession(of: running))
    #expect(processes(in: session).count >= 4)
    running.process.signal(signal)
    #expect(running.process.wait() == .status(0))
    expectGone(session)
  }

  @Test("O3: killed by SIGKILL, a rehearsal's session goes with it")
  func killedRehearsal() throws {
    let place = try EmptyPlace()
    let running = try place.startNearend("rehearse", "--headless")
    #expect(running.says("the private session"), "\(running.errors)")
    let session = try #require(rehearsalSession(of: running))
    running.process.signal(SIGKILL)
    expectGone(session)
  }
}

/// The folder of the private session of a rehearsal, from its log.
func rehearsalSession(of running: RunningProgram) -> String? {
  running.errors.firstMatch(of: /PIPEWIRE_RUNTIME_DIR=(\S+)/).map { String($0.1) }
}

/// Expects no process to live in the session folder `path`, and the folder to be removed.
func expectGone(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) {
  let isGone = poll { processes(in: path).isEmpty && !FileManager.default.fileExists(atPath: path) ? true : nil }
  #expect(isGone == true, "left: \(processes(in: path))", sourceLocation: sourceLocation)
}
