import Foundation
import SessionModel
import Testing

@testable import SimulatedHardware

/// Two softphones in a room with echo, joined to a running nearend.
@Suite("Joined programs", .serialized)
struct JoinedProgramsTests {
  private static let rate = 16_000
  /// The tone in what each softphone plays, in Hz, above most of the spectrum of speech.
  private static let tones = ["one": 5_000.0, "two": 6_000.0]
  private static let seconds = 90

  /// Starts a softphone that plays a voice with a tone in it; returns its process.
  private func softphone(_ name: String, voice: Voice, in session: PrivateSession) throws -> RunningProgram {
    let speech = try Speech(voice, rate: Self.rate).samples
    let step: Double = 2 * .pi * Self.tones[name]! / Double(Self.rate)
    let far = (0..<Self.seconds * Self.rate).map { frame -> Int16 in
      let tone = Float(sin(step * Double(frame)))
      let sample: Float = 0.7 * speech[frame % speech.count] + 0.02 * tone
      return Int16(max(-1, min(1, sample)) * 32_767)
    }
    try far.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: "\(session.path)/\(name).far")) }
    let script = """
      cd '\(session.path)' && mkfifo \(name).net && { python3 network.py <\(name).far >\(name).net 2>/dev/null & } &&
      exec '\(SoftphoneProgram.path)' <\(name).net >\(name).near
      """
    return try session.start("sh", ["-c", script])
  }

  private func near(_ name: String, _ session: PrivateSession) -> [Float] {
    SoftphoneProgram.samples(in: "\(session.path)/\(name).near")
  }

  private func status(_ session: PrivateSession) throws -> Snapshot? {
    let result = try session.nearend("status", "--json")
    return result.succeeded ? try JSONDecoder().decode(Snapshot.self, from: Data(result.output.utf8)) : nil
  }

  private func wait(for what: String, _ session: PrivateSession, _ fact: (Snapshot) -> Bool) throws {
    try session.wait(for: what) { try status(session).map(fact) ?? false }
  }

  @Test(
    "O8, L1, V4, S4: two programs on the library and the dashboard share the nearend that runs: both heard, both with the echo cancelled")
  func share() throws {
    let session = try plainSession()
    try SoftphoneProgram.network.write(toFile: "\(session.path)/network.py", atomically: false, encoding: .utf8)
    var host = try session.startNearend("--headless")
    #expect(host.says("control socket"))
    var options = RoomOptions(socket: session.socket, epoch: monotonicSeconds() + 10_000)
    options.noise = -75
    let room = try Room(options)
    try room.start()
    defer { room.stop() }
    try session.wait(for: "the room's links") { room.report.isLinked }

    let dashboard = try Terminal(in: session)
    let one = try softphone("one", voice: Voice.farEnd[0], in: session)
    try wait(for: "the first", session) { $0.sinks.map(\.id) == ["call"] }
    let two = try softphone("two", voice: Voice.farEnd[1], in: session)
    try wait(for: "both to play", session) { $0.sinks.map(\.state) == [.playing, .playing] && $0.graph.captureLinks > 0 }
    #expect(try status(session)?.session.sendMedia == ["call", "call.2"])
    try dashboard.expect("ACTIVE", "2 sinks", "call.2")

    try expectBothHeard(session)
    try sendVoices(session)
    try talk(session)

    two.process.signal(SIGKILL)
    try wait(for: "the killed one's media to be gone", session) {
      $0.session.sendMedia == ["call"] && $0.session.receiveMedia == ["call"] && $0.sinks.map(\.id) == ["call"]
    }
    let before = near("one", session).count
    #expect(host.process.end() == .status(0))
    try session.wait(for: "the node to be gone") { try !session.ports().contains { $0.hasPrefix("nearend") } }
    host = try session.startNearend("--headless")
    try wait(for: "the other to play again", session) {
      $0.sinks.map(\.id) == ["call"] && $0.sinks.first?.state == .playing && $0.session.sendMedia == ["call"]
    }
    try session.wait(for: "the voice to come again") { near("one", session).count > before + Self.rate }
    #expect(one.process.isRunning)
  }

  /// Expects both programs' tones on the real speaker.
  private func expectBothHeard(_ session: PrivateSession) throws {
    let ear = try GraphProbe(socket: session.socket, name: "ear", play: [:], record: ["left"], frames: 3 * 48_000)
    try session.link("hw.speaker:monitor_FL", ear.recordPort("left"))
    let heard = try ear.run().samples["left"] ?? []
    // The median over quarters of a second: a busy machine loses cycles, which breaks the phase. A participant's sound is resampled to the
    // graph's clock, which shifts its frequency by up to half a percent.
    func level(_ tone: Double) -> Double {
      let levels = stride(from: 0, to: heard.count - 12_000, by: 12_000).map { start in
        stride(from: 0.995, through: 1.005, by: 0.0004).map {
          Measures.level(ofTone: tone * $0, in: heard[start..<start + 12_000], rate: 48_000)
        }.max()!
      }
      return levels.sorted()[levels.count / 2]
    }
    try #require(heard.count > 24_000)
    let nobody = level(5_500)
    for (name, tone) in Self.tones { #expect(level(tone) > nobody + 6, "\(name): \(level(tone)), beside it \(nobody)") }
  }

  /// Expects both programs to receive the same voice with 20 dB less echo than the microphone has, once the canceller has converged.
  private func sendVoices(_ session: PrivateSession) throws {
    let probe = try GraphProbe(socket: session.socket, name: "wire", play: [:], record: ["microphone"], frames: 8 * 48_000)
    try session.link("hw.mic:capture_MONO", probe.recordPort("microphone"))
    let recording = try probe.run()
    // The median over quarters of a second: each cycle that a busy machine loses sets the canceller back for a moment.
    func level(_ samples: [Float], rate: Int) -> Double { Measures.medianLevel(Array(samples.suffix(4 * rate)), piece: rate / 4) }
    let microphone = level(try #require(recording.samples["microphone"]), rate: 48_000)
    #expect(microphone > -50, "there is echo to cancel")
    for name in Self.tones.keys {
      let voice = near(name, session)
      try #require(voice.count > 5 * Self.rate, "\(name)")
      let echo = level(voice, rate: Self.rate)
      print("O8: \(name) hears the echo at \(echo) dBFS, the microphone at \(microphone) dBFS")
      #expect(microphone - echo > 20, "\(name): \(echo) dBFS of \(microphone)")
    }
  }

  /// Talks into the microphone, and expects both programs to receive it.
  private func talk(_ session: PrivateSession) throws {
    let near = Array(try Speech(.nearEnd, rate: 48_000).samples.prefix(3 * 48_000))
    let mouth = try GraphProbe(socket: session.socket, name: "mouth", play: ["voice": near], record: ["clock"], frames: near.count)
    try session.link(mouth.playPort("voice"), "hw.mic:input_MONO")
    try session.link("hw.speaker:monitor_FL", mouth.recordPort("clock"))
    _ = try mouth.run()
    for name in Self.tones.keys {
      let level = Measures.activeLevel(Array(self.near(name, session).suffix(4 * Self.rate)), rate: Self.rate)
      #expect(level.map { $0 > -40 } == true, "\(name) hears the near end at \(level ?? -.infinity) dBFS")
    }
  }
}
