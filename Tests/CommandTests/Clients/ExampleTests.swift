import Foundation
import TestSupport
import Testing

@testable import SimulatedHardware

/// The examples, run as readers would run them.
@Suite("Examples", .serialized)
struct ExampleTests {
  private static let examples =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../Examples").standardized.path

  @Test("L1, K1, L5: the softphone plays what comes in, sends the microphone out, and hands everything back at the end")
  func softphone() throws {
    let session = try plainSession()
    let far = sine(500, frames: 160_000, rate: 16_000, level: 0.2)
    try pcm(far).withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: "\(session.path)/far.pcm")) }
    try SoftphoneProgram.network.write(toFile: "\(session.path)/network.py", atomically: false, encoding: .utf8)
    let near = try Speech(.nearEnd, rate: 48_000).samples
    let probe = try GraphProbe(socket: session.socket, play: ["near": near], record: ["speaker"], frames: 4 * 48_000)
    let call = try session.start(
      "sh", ["-c", "cd '\(session.path)' && python3 network.py < far.pcm | '\(SoftphoneProgram.path)' > near.pcm"])
    try session.wait(forPorts: ["nearend:speaker_FL", probe.playPort("near"), probe.recordPort("speaker")])
    for (from, to) in [("nearend:speaker_FL", probe.recordPort("speaker")), (probe.playPort("near"), "hw.mic:input_MONO")] {
      _ = try session.run("pw-link", from, to)
      try session.wait(for: "\(from) → \(to)") { try session.links()[.init(from: from, to: to)] == "active" }
    }
    let heard = try #require(try probe.run().samples["speaker"])
    #expect(Measures.share(ofTone: 500, in: heard, rate: 48_000) > 0.9)
    let result = call.result()
    #expect(result.exit == .status(0), "\(result.errors)")
    let sent = SoftphoneProgram.samples(in: "\(session.path)/near.pcm")
    #expect(sent.count > 5 * 16_000, "\(sent.count) samples of the microphone")
    #expect(Measures.activeLevel(sent, rate: 16_000).map { $0 > -40 } == true, "somebody talks in what is sent")
    #expect(try !session.ports().contains { $0.hasPrefix("nearend") })
  }

  @Test("O1, K1, L5: Python's standard library is enough to be a participant, to record, and to change a setting")
  func python() throws {
    let session = try plainSession()
    let nearend = try session.startNearend("--headless")
    #expect(nearend.says("control socket"))
    let client = "\(Self.examples)/control_client.py"
    func run(_ arguments: String...) throws -> ToolResult { try session.run("python3", [client] + arguments) }

    let tune = "\(session.path)/tune.wav"
    try WaveFile(samples: sine(700, frames: 48_000, level: 0.2)).write(to: tune)
    let played = try run("play", "alice", tune)
    #expect(played.succeeded, "\(played.errors)")
    #expect(played.output.contains("48000"), "every frame: \(played.output)")
    #expect(try run("record", "\(session.path)/near.wav", "1").succeeded)
    #expect(FileManager.default.contents(atPath: "\(session.path)/near.wav")?.count == 44 + 96_000)
    #expect(try run("set", "bypassVoiceProcessing", "true").succeeded)
    #expect(try run("status").output.contains("voice processing by"))
    let refused = try run("set", "bypassVoiceProcessing", "7")
    #expect(!refused.succeeded)
    #expect(refused.errors.contains("true or false"))
    #expect(try run().errors.contains("record near.wav 5"), "without a command it says what there is")
  }
}
