import Foundation
import Testing

@testable import SimulatedHardware

/// What a killed nearend leaves behind where it was a smart filter: nothing.
@Suite("Smart filter, killed", .serialized)
struct SmartFilterCrashTests {
  private func sink(_ session: PrivateSession) throws -> Set<String> {
    Set(try session.links().keys.filter { $0.from.hasPrefix("music:") }.map { String($0.to.prefix { $0 != ":" }) })
  }

  @Test("R2: killed as a smart filter, the sound is on the real speaker within a second; started again, it comes through nearend")
  func killed() throws {
    let session = try plainSession()
    defer { session.end() }
    let file = "\(session.path)/noise.wav"
    try WaveFile(samples: (0..<(48_000 * 60)).map { Float(($0 / 24) % 2 == 0 ? 0.1 : -0.1) }).write(to: file)
    let first = try session.startNearend("--headless", "--default")
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    let player = try session.spawn("pw-play", ["-P", "{ node.name = music }", file])
    try session.wait(for: "the music in nearend") { try sink(session) == ["nearend.speaker"] }
    let isSmart = try !session.run("wireplumber", "--version").output.contains("libwireplumber 0.4.")
    #expect(try session.metadata("default.audio.sink").contains(isSmart ? "hw.speaker" : "nearend.speaker"))
    first.process.signal(SIGKILL)
    #expect(first.process.wait() == .signal(SIGKILL))
    try session.wait(for: "the music on the real speaker", timeout: isSmart ? 1 : nil) { try sink(session) == ["hw.speaker"] }
    try session.wait(for: "it to be heard") {
      let probe = try GraphProbe(socket: session.socket, name: "ear", play: [:], record: ["left"], frames: 4_800)
      try session.link("hw.speaker:monitor_FL", probe.recordPort("left"))
      return try probe.run().samples["left"]?.contains { abs($0) > 0.05 } == true
    }
    let second = try session.startNearend("--headless", "--default")
    try session.wait(for: "the music in nearend again") { try sink(session) == ["nearend.speaker"] }
    #expect(player.isRunning && second.process.isRunning)
    if isSmart {
      #expect(try session.metadata("default.audio.sink").contains("hw.speaker"))
      #expect(!FileManager.default.fileExists(atPath: "\(session.path)/state/nearend/restore.json"))
    }
  }
}
