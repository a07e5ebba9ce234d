import Foundation
import Testing

@testable import SimulatedHardware

/// What a killed nearend leaves behind, and what the next one restores.
@Suite("Crash", .serialized)
struct CrashTests {
  private static let keys = ["default.configured.audio.sink", "default.configured.audio.source"]
  private static let laptop = ["alsa_output.pci-0000_00_1f.3.analog-stereo", "alsa_input.pci-0000_00_1f.3.analog-stereo"]

  /// The names of the session's configured defaults, sink first; "" for none.
  private func configured(_ session: PrivateSession) throws -> [String] { try session.deviceNames(Self.keys) }

  /// Starts nearend as the session's default devices, also where `--default` would make smart filters of them.
  private func startAsDefault(_ session: PrivateSession) throws -> RunningProgram {
    let folder = "\(session.path)/first"
    try FileManager.default.createDirectory(atPath: "\(folder)/nearend", withIntermediateDirectories: true)
    try "defaultDevices = true\n".write(toFile: "\(folder)/nearend/nearend.toml", atomically: true, encoding: .utf8)
    return try session.startNearend("--headless", variables: ["XDG_CONFIG_HOME": folder])
  }

  @Test("R2, R6: killed in a call: nothing stays in the graph, and the next start puts defaults and headset back")
  func killed() throws {
    var configuration = SessionConfiguration()
    configuration.desk = [DeskCard.make(.laptop), DeskCard.make(.bluetooth)]
    configuration.runsPulse = false
    let session = try PrivateSession(configuration)
    let desk = try #require(session.desk)
    for (key, name) in zip(Self.keys, ["bluez_output.00_11_22_33_44_55.1", Self.laptop[1]]) {
      _ = try session.run("pw-metadata", "0", key, "{ \"name\": \"\(name)\" }", "Spa:String:JSON")
    }
    let former = try configured(session)
    #expect(former[1] == Self.laptop[1])
    let saved = "\(session.path)/state/nearend/restore.json"

    let first = try startAsDefault(session)
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    let recorder = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
    try session.wait(for: "the headset's microphone") { desk.card(.bluetooth)?.activeProfile.name == DeskCard.headsetHeadUnit }
    try session.wait(for: "the defaults") { try configured(session) == ["nearend.speaker", "nearend.microphone"] }
    first.process.signal(SIGKILL)
    #expect(first.process.wait() == .signal(SIGKILL))
    try session.wait(for: "nearend's ports to go") { try session.ports().allSatisfy { !$0.contains("nearend") } }
    #expect(try !session.run("pw-cli", "ls", "Node").output.contains("nearend"))
    #expect(try session.links().keys.allSatisfy { !$0.from.hasPrefix("nearend") && !$0.to.hasPrefix("nearend") })
    recorder.end()
    // Still as the killed one left them.
    #expect(try configured(session) == ["nearend.speaker", "nearend.microphone"])
    #expect(desk.card(.bluetooth)?.activeProfile.name == DeskCard.headsetHeadUnit)
    #expect(FileManager.default.fileExists(atPath: saved))

    let second = try session.startNearend("--headless")
    try session.wait(for: "the former defaults, not \((try? configured(session)) ?? [])") { try configured(session) == former }
    try session.wait(for: "A2DP") { desk.card(.bluetooth)?.activeProfile.name == "a2dp-sink" }
    try session.wait(for: "nothing to be left to do") { !FileManager.default.fileExists(atPath: saved) }
    #expect(second.process.isRunning)
  }

  @Test("R2: killed as the default where none was configured: the next start leaves the real devices as the defaults")
  func noneConfigured() throws {
    var configuration = SessionConfiguration()
    configuration.desk = [DeskCard.make(.laptop)]
    configuration.runsPulse = false
    let session = try PrivateSession(configuration)
    func effective() throws -> [String] { try session.defaults }
    try session.wait(for: "the laptop's") { try effective() == Self.laptop }
    #expect(try configured(session) == ["", ""])
    let first = try startAsDefault(session)
    try session.wait(for: "ours") { try effective() == ["nearend.speaker", "nearend.microphone"] }
    first.process.signal(SIGKILL)
    #expect(first.process.wait() == .signal(SIGKILL))
    let second = try session.startNearend("--headless")
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    try session.wait(for: "the laptop's again, not \((try? effective()) ?? [])") {
      try configured(session) == ["", ""] && effective() == Self.laptop
    }
    #expect(second.process.isRunning)
  }
}
