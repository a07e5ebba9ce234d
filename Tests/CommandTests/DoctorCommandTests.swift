import Doctor
import Foundation
import SessionModel
import Testing

@testable import SimulatedHardware

/// `nearend doctor` in sessions with a staged problem.
@Suite("Doctor", .serialized)
struct DoctorCommandTests {
  private static func findings(_ place: some Place) throws -> (found: [Finding], exit: ChildProcess.Exit) {
    let result = try place.nearend("doctor", "--json")
    return (try JSONDecoder().decode([Finding].self, from: Data(result.output.utf8)), result.exit)
  }

  @Test("O1: without a daemon the doctor says so, what to do, and ends with 1")
  func noDaemon() throws {
    let place = try EmptyPlace()
    let text = try place.nearend("doctor")
    #expect(text.exit == .status(1))
    #expect(text.output.hasPrefix("PROBLEM  no PipeWire daemon answers\n"), "\(text.output)")
    #expect(text.output.contains("→ start it, systemctl --user start pipewire wireplumber"))
    #expect(try Self.findings(place).found.first { $0.id == "daemon" }?.severity == .harm)
    let elsewhere = try Self.findings(try EmptyPlace(["PIPEWIRE_REMOTE": "foo"])).found.first { $0.id == "daemon" }
    #expect(elsewhere?.evidence.first?.contains("which PIPEWIRE_REMOTE names") == true, "\(String(describing: elsewhere))")
    #expect(elsewhere?.remedy?.contains("unset PIPEWIRE_REMOTE") == true)
  }

  @Test("O1: with nothing wrong the doctor ends with 0; then a wrong file, leftovers and a socket that nobody listens at are found")
  func staged() throws {
    let session = try plainSession()
    let nearend = try session.startNearend("--headless")
    #expect(nearend.says("control socket"))
    try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
    let (found, exit) = try Self.findings(session)
    #expect(exit == .status(0), "\(found)")
    #expect(found.contains { $0.id == "nearend" && $0.severity == .fine })
    #expect(found.contains { $0.id == "default-speaker" && $0.summary.contains("hw.speaker") })
    #expect(found.contains { $0.id == "realtime" }, "its thread is seen")
    #expect(found.contains { $0.id == "session-manager" && $0.summary.hasPrefix("WirePlumber 0.") })
    #expect(found.allSatisfy { !$0.evidence.isEmpty || $0.severity == .fine })
    #expect(found.allSatisfy { ($0.severity == .fine) == ($0.remedy == nil) })

    // Killed, so that what it has changed is left behind.
    nearend.process.signal(SIGKILL)
    _ = nearend.result()
    let (config, state) = (session.environment["XDG_CONFIG_HOME"]! + "/nearend", session.environment["XDG_STATE_HOME"]! + "/nearend")
    for folder in [config, state] { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    try Data("ns = 3\n".utf8).write(to: URL(fileURLWithPath: "\(config)/nearend.toml"))
    try Data("{\"formerDefaults\": {\"default.configured.audio.sink\": \"\"}}".utf8).write(
      to: URL(fileURLWithPath: "\(state)/restore.json"))
    try session.wait(for: "nearend's node to go") { try !session.ports().contains("nearend:voice_MONO") }
    let after = try Self.findings(session)
    #expect(after.exit == .status(1))
    #expect(
      after.found.first { $0.id == "configuration" }?.evidence.first?.contains("nearend.toml:1: ns cannot be '3'") == true)
    #expect(after.found.first { $0.id == "leftovers" }?.evidence == ["\(state)/restore.json: the session's default devices"])
    #expect(
      after.found.first { $0.id == "nearend" }?.evidence.contains { $0.contains("control.sock was left by a crashed") } == true,
      "\(after.found)")
  }

  @Test("O1: a microphone of many inputs, whose mean is softer than one of them, is found, and what the doctor says makes one of one")
  func manyInputs() throws {
    let session = try plainSession()
    let positions = (0..<18).map { "AUX\($0)" }.joined(separator: ",")
    let device = try session.spawn(
      "pw-loopback",
      ["-c", "18", "-m", "[\(positions)]", "--playback-props", "media.class=Audio/Source node.name=many"])
    defer { device.end() }
    let nearend = try session.startNearend("--headless")
    #expect(nearend.says("control socket"))
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    try session.wait(for: "the device's ports") { try session.ports().count { $0.hasPrefix("many:capture_") } == 18 }
    func finding() throws -> Finding? { try Self.findings(session).found.first { $0.id == "many-inputs" } }
    #expect(try finding() == nil)
    #expect(try session.nearend("set", "microphone", "many").succeeded)
    try session.wait(for: "the doctor to see it") { try finding() != nil }
    let found = try #require(try finding())
    #expect(found.severity == .hint && found.summary.contains("18 inputs") && found.summary.contains("25 dB lower"), "\(found)")
    let command = try #require(found.remedy?.firstMatch(of: /pw-loopback.*\]'/)?.output)
    let loopback = try session.spawn("sh", ["-c", "exec \(command)"])
    defer { loopback.end() }
    try session.wait(forPorts: ["one-input:capture_MONO"])
    #expect(try session.nearend("set", "microphone", "one-input").succeeded)
    try session.wait(for: "nearend to use one input") { try finding() == nil }
    nearend.process.signal(SIGTERM)
    #expect(nearend.result().succeeded)
  }

  @Test("O1: another canceller in the microphone's path, a recorder that bypasses nearend, and a mute are found in a live graph")
  func path() throws {
    var configuration = SessionConfiguration()
    configuration.runsPulse = false
    configuration.fragments = [
      "echo-cancel": """
      context.modules = [ { name = libpipewire-module-echo-cancel  args = {
        source.props = { node.name = echo-cancel-source }  sink.props = { node.name = echo-cancel-sink } } } ]
      """
    ]
    let session = try PrivateSession(configuration)
    let nearend = try session.startNearend("--headless")
    #expect(nearend.says("control socket"))
    try session.wait(forPorts: ["nearend.microphone:capture_MONO", "echo-cancel-source:capture_FL"])
    func canceller() throws -> Finding? { try Self.findings(session).found.first { $0.id == "other-canceller" } }
    #expect(try session.nearend("set", "microphone", "echo-cancel-source").succeeded)
    try session.wait(for: "the canceller to be in the path") { try canceller()?.severity == .harm }
    let inPath = try canceller()
    #expect(inPath?.evidence.contains { $0.hasSuffix("is in the path of nearend's microphone") } == true, "\(String(describing: inPath))")
    #expect(inPath?.remedy?.contains("unload it") == true)
    // A microphone that nearend has no link to.
    #expect(try session.nearend("set", "microphone", "hw.mic").succeeded)
    try session.wait(for: "the canceller to be out of the path") { try canceller()?.severity == .hint }

    #expect(try session.nearend("mute").succeeded)
    let recorder = try session.spawn("pw-record", ["--target", "hw.mic", "\(session.path)/past.wav"])
    defer { recorder.end() }
    try session.wait(for: "somebody recording past nearend") {
      try Self.findings(session).found.contains { $0.id == "recording-past" && $0.severity == .harm }
    }
    let (found, exit) = try Self.findings(session)
    #expect(exit == .status(1))
    #expect(found.first { $0.id == "recording-past" }?.evidence.contains { $0.contains("pw-record") } == true, "\(found)")
    #expect(found.contains { $0.id == "microphone-muted" && $0.severity == .hint && $0.remedy == "nearend unmute" })
  }
}
