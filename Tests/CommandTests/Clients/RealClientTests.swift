import Foundation
import Testing

@testable import SimulatedHardware

/// A program that plays a file into a device, and one that records a device into a file.
struct AudioClient: Sendable, CustomTestStringConvertible {
  var name: String
  var package: String
  var play: [String]
  var record: [String]
  /// Additional variables: `PLAY` and `RECORD` name the device.
  var playVariables: [String: String] = [:]
  var recordVariables: [String: String] = [:]

  var testDescription: String { name }

  static let pipewire = AudioClient(
    name: "PipeWire (pw-play, pw-record)", package: "pipewire-bin", play: ["pw-play", "--target", "nearend.speaker"],
    record: ["pw-record", "--rate", "48000", "--channels", "1", "--target", "nearend.microphone"])
  static let pulse = AudioClient(
    name: "PulseAudio (paplay, parecord)", package: "pulseaudio-utils", play: ["paplay", "--device=nearend.speaker"],
    record: ["parecord", "--device=nearend.microphone", "--rate=48000", "--channels=1", "--file-format=wav"])
  static let alsa = AudioClient(
    name: "ALSA (aplay, arecord)", package: "alsa-utils and pipewire-alsa", play: ["aplay", "-q", "-D", "pipewire"],
    record: ["arecord", "-q", "-D", "pipewire", "-f", "S16_LE", "-r", "48000", "-c", "1", "-t", "wav"],
    playVariables: ["PIPEWIRE_NODE": "nearend.speaker"], recordVariables: ["PIPEWIRE_NODE": "nearend.microphone"])

  static func isInstalled(_ programs: String...) -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return programs.allSatisfy { (try? Program.find($0, path: path)) != nil }
  }
  static let hasALSA = isInstalled("aplay", "arecord") && FileManager.default.fileExists(atPath: "/etc/alsa/conf.d/50-pipewire.conf")
}

/// Real applications in a private session with `nearend --headless`: what they play arrives at the real speaker, and a talker at the real
/// microphone is in their recordings.
@Suite("Real clients", .serialized)
struct RealClientTests {
  /// A session with a running nearend, and its signals.
  struct Call {
    let session: PrivateSession
    let nearend: RunningProgram
    /// Long enough to outlast the test's recording.
    let farEnd: [Float]
    let nearEnd: [Float]
    let farEndFile: String

    init(runsPulse: Bool) throws {
      var configuration = SessionConfiguration()
      configuration.runsPulse = runsPulse
      configuration.environment["LC_ALL"] = "C.UTF-8"
      session = try PrivateSession(configuration)
      nearend = try session.startNearend("--headless")
      try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
      farEnd = try Speech(Voice.farEnd[0], rate: 48_000).samples
      nearEnd = Array(try Speech(.nearEnd, rate: 48_000).samples.prefix(3 * 48_000))
      farEndFile = "\(session.path)/far-end.wav"
      try WaveFile(samples: farEnd).write(to: farEndFile)
    }

    /// Records the real speaker for 2 s from now.
    func recordSpeaker() throws -> [Float] {
      let probe = try GraphProbe(socket: session.socket, name: "ear", play: [:], record: ["left"], frames: 2 * 48_000)
      try session.link("hw.speaker:monitor_FL", probe.recordPort("left"))
      return try probe.run().samples["left"] ?? []
    }

    /// Talks into the real microphone for 3 s.
    func talk() throws {
      let probe = try GraphProbe(socket: session.socket, name: "mouth", play: ["voice": nearEnd], record: ["clock"], frames: nearEnd.count)
      try session.link(probe.playPort("voice"), "hw.mic:input_MONO")
      // Only a linked node runs with the graph.
      try session.link("hw.speaker:monitor_FL", probe.recordPort("clock"))
      _ = try probe.run()
    }

    /// Expects `heard` to be a part of the far end's speech, at its level.
    func expectFarEnd(_ heard: [Float]) throws {
      let lag = try #require(Measures.lag(of: farEnd + farEnd, after: heard, most: 2 * farEnd.count), "the speaker is silent")
      #expect(lag.correlation > 0.9)
      let spoken = (farEnd + farEnd)[lag.frames..<(lag.frames + heard.count)]
      #expect(abs(Measures.level(heard) - Measures.level(spoken)) < 1)
    }

    /// Expects `recording` to contain what was talked into the microphone.
    func expectNearEnd(_ recording: [Float]) throws {
      // Second by second: after a cycle that a busy machine lost, everything comes earlier.
      let lags = try stride(from: 0, to: nearEnd.count - 47_999, by: 48_000).map { start in
        let second = Array(nearEnd[start..<start + 48_000])
        return try #require(Measures.lag(of: recording, after: second, most: recording.count), "the recording is silent")
      }
      // Noise suppression and gain control leave the voice similar, not equal.
      let likeness = lags.map(\.correlation).sorted()
      #expect(likeness[likeness.count / 2] > 0.7, "\(likeness)")
      let best = lags.indices.max { lags[$0].correlation < lags[$1].correlation } ?? 0
      let begin = min(max(0, lags[best].frames - best * 48_000), recording.count - 1)
      let part = recording[begin..<min(recording.count, begin + nearEnd.count)]
      #expect(abs(Measures.level(part) - Measures.level(nearEnd)) < 6)
    }
  }

  @Test("L3: PipeWire's own tools play through nearend and record through it")
  func pipewire() throws { try playAndRecord(.pipewire) }

  @Test(
    "L3: PulseAudio's tools play through nearend and record through it",
    .enabled(if: AudioClient.isInstalled("paplay", "parecord"), "paplay and parecord are not installed: apt install pulseaudio-utils"))
  func pulse() throws { try playAndRecord(.pulse) }

  @Test(
    "L3: ALSA's tools play through nearend and record through it",
    .enabled(if: AudioClient.hasALSA, "ALSA's tools or its PipeWire plugin are not installed: apt install alsa-utils pipewire-alsa"))
  func alsa() throws { try playAndRecord(.alsa) }

  private func playAndRecord(_ client: AudioClient) throws {
    let call = try Call(runsPulse: client.name == AudioClient.pulse.name)
    let session = call.session
    let player = try session.start(client.play[0], client.play.dropFirst() + [call.farEndFile], client.playVariables)
    #expect(call.nearend.says("plays through nearend"), "\(call.nearend.errors) \(player.errors)")
    try call.expectFarEnd(try call.recordSpeaker())
    player.process.signal(SIGINT)
    #expect(call.nearend.says("no longer plays"), "\(call.nearend.errors)")

    #expect(try !session.links().keys.contains { $0.from == "hw.mic:capture_MONO" }, "the microphone is open though nobody records")
    let file = "\(session.path)/recording.wav"
    let recorder = try session.start(client.record[0], client.record.dropFirst() + [file], client.recordVariables)
    #expect(call.nearend.says("records from Nearend Microphone"), "\(call.nearend.errors) \(recorder.errors)")
    try call.talk()
    recorder.process.signal(SIGINT)
    #expect(recorder.process.wait() != nil)
    #expect(call.nearend.says("no longer records"), "\(call.nearend.errors)")
    try call.expectNearEnd(try SoundFile(path: file).samples(at: 48_000))
    try session.wait(for: "the microphone to close") { try !session.links().keys.contains { $0.from == "hw.mic:capture_MONO" } }
  }

  @Test(
    "L3: a browser finds both devices by their names, plays through nearend and records through it",
    .enabled(if: AudioClient.isInstalled("chromium"), "Chromium is not installed: apt install chromium"))
  func browser() throws {
    let call = try Call(runsPulse: true)
    let session = call.session
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Clients/call.html")
    try FileManager.default.copyItem(atPath: page.path, toPath: "\(session.path)/call.html")
    let browser = try session.start(
      "chromium",
      [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--user-data-dir=\(session.path)/browser",
        "--use-fake-ui-for-media-stream", "--autoplay-policy=no-user-gesture-required", "--enable-logging=stderr",
        "file://\(session.path)/call.html",
      ])
    defer { browser.process.end(grace: 3) }
    #expect(browser.says("call: plays"), "\(browser.errors.suffix(2_000))")
    #expect(call.nearend.says("plays through nearend"))
    try call.expectFarEnd(try call.recordSpeaker())
    #expect(browser.says("call: records"), "\(browser.errors.suffix(2_000))")
    #expect(call.nearend.says("records from Nearend Microphone"))

    let before = levels(browser.errors).count
    try call.talk()
    let talking = levels(browser.errors).dropFirst(before)
    try session.wait(for: "levels of the silence after") { levels(browser.errors).count > before + talking.count + 4 }
    let silent = levels(browser.errors).last ?? 1
    // Speech at -24 dBFS while it is spoken; afterwards only what the suppressor leaves.
    #expect(talking.max() ?? 0 > 0.02, "\(talking)")
    #expect(silent < 0.003)
    #expect(!browser.errors.contains("call: failed"))
  }

  private func levels(_ log: String) -> [Double] { log.matches(of: /call: level ([0-9.e-]+)/).compactMap { Double($0.1) } }
}
