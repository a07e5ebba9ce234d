import Foundation
import OfflineProcessing
import Testing

@testable import SimulatedHardware

@Suite("nearend process", .serialized)
struct ProcessTests {
  private let place: EmptyPlace

  init() throws { place = try EmptyPlace() }

  private func noise(seconds: Double, rate: Int = 48_000) -> WaveFile {
    var generator = SeededGenerator(seed: 3)
    return WaveFile(samples: (0..<Int(seconds * Double(rate))).map { _ in Float(0.1 * generator.gaussian()) }, rate: rate)
  }

  private func file(_ name: String) -> String { "\(place.path)/\(name)" }
  private func sounds() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.path).filter { $0.contains(".wav") || $0.contains(".png") }.sorted()
  }

  @Test("O1 S9: process writes the voice, and with --metrics json one document and nothing else on standard output")
  func metrics() throws {
    try noise(seconds: 1.5).write(to: file("mic.wav"))
    try noise(seconds: 1).write(to: file("far.wav"))
    let result = try place.nearend(
      "process", "--mic", file("mic.wav"), "--far", file("far.wav"), "--out", file("out.wav"), "--metrics", "json", "--plot", file("p.png"),
      "--no-agc", "--bypass")
    #expect(result.succeeded, "\(result.errors)")
    let metrics = try JSONDecoder().decode(ProcessingMetrics.self, from: Data(result.output.utf8))
    #expect(metrics.description.microphone.frames == 72_000)
    #expect(metrics.description.settings["voiceProcessingEnableAGC"] == .bool(false))
    #expect(metrics.description.settings["bypassVoiceProcessing"] == .bool(true))
    #expect(metrics.description.settings["noiseSuppression"] == .bool(true))
    #expect(metrics.series.voiceLevel.count == 15)
    #expect(result.errors.contains("0.50 s shorter"))
    #expect(result.errors.contains("× real time"))
    #expect(!result.errors.contains("\r"), "a progress bar where there is no terminal")
    #expect(try sounds() == ["far.wav", "mic.wav", "out.wav", "p.png"])
  }

  @Test("O1 S9: --plot - draws into the terminal, in ASCII where the locale or --glyphs says so")
  func plot() throws {
    try noise(seconds: 1).write(to: file("mic.wav"))
    let arguments = ["process", "--mic", file("mic.wav"), "--out", file("out.wav"), "--plot", "-"]
    let unicode = try place.nearend(arguments)
    #expect(unicode.output.contains("┤"))
    for plain in [try place.nearend(arguments + ["--glyphs", "ascii"]), try place.nearend(arguments, ["LC_ALL": "C"])] {
      #expect(plain.succeeded)
      #expect(plain.output.contains("ERLE, dB"))
      #expect(plain.output.utf8.allSatisfy { $0 < 128 })
    }
  }

  @Test("O1 S9: a bad input ends with 66, an output that cannot be written with 73; the file is named, and no output is left")
  func refusals() throws {
    try noise(seconds: 0.5).write(to: file("mic.wav"))
    try Data("RIFF, but no more".utf8).write(to: URL(fileURLWithPath: file("bad.wav")))
    let mic = file("mic.wav"), out = file("out.wav"), bad = file("bad.wav"), missing = file("missing.wav")
    for (arguments, status, named) in [
      (["--mic", bad, "--out", out], Int32(66), bad), (["--mic", mic, "--far", missing, "--out", out], 66, missing),
      (["--mic", mic, "--out", "\(place.path)/no/out.wav"], 73, "/no"), (["--mic", mic, "--out", mic], 73, "it is the input"),
      (["--mic", mic, "--out", out, "--plot", file("missing/p.png")], 73, file("missing/p.png")),
    ] {
      let result = try place.nearend(["process"] + arguments)
      #expect(result.exit == .status(status), "\(arguments)")
      #expect(result.output.isEmpty)
      #expect(result.errors.hasPrefix("nearend: ") && result.errors.contains(named), "\(result.errors)")
      #expect(try sounds() == ["bad.wav", "mic.wav"])
    }
  }

  @Test("O1 S9: the canceller's constants can be changed for a trial, by what nearend tuning prints; the help tells nobody")
  func tuning() throws {
    try noise(seconds: 0.5).write(to: file("mic.wav"))
    let arguments = ["process", "--mic", file("mic.wav"), "--out", file("out.wav")]
    func voice(_ more: [String] = []) throws -> Data {
      let result = try place.nearend(arguments + more)
      #expect(result.succeeded, "\(result.errors)")
      return try Data(contentsOf: URL(fileURLWithPath: file("out.wav")))
    }
    let standard = try voice()
    try place.nearend("tuning").output.write(toFile: file("all.json"), atomically: true, encoding: .utf8)
    try #"{"suppressor": {"noiseFloor": 0.2}}"#.write(toFile: file("loud.json"), atomically: true, encoding: .utf8)
    try #"{"suppresor": {}}"#.write(toFile: file("bad.json"), atomically: true, encoding: .utf8)
    #expect(try voice(["--tuning", file("all.json")]) == standard)
    #expect(try voice(["--tuning", file("loud.json")]) != standard)
    let bad = try place.nearend(arguments + ["--tuning", file("bad.json")])
    #expect(bad.exit == .status(66) && bad.errors.contains(file("bad.json")) && bad.errors.contains("suppressor"), "\(bad.errors)")
    let other = try place.nearend(arguments + ["--tuning", file("loud.json"), "--aec", "webrtc"])
    #expect(!other.succeeded && other.errors.contains("nearend's own canceller"), "\(other.errors)")
    #expect(try !place.nearend("process", "--help").output.contains("tuning"))
    #expect(try !place.nearend("--help").output.contains("tuning"))
  }

  @Test("O1 S9 V10: --aec chooses the engine, --no-aec none; both at once is refused")
  func engines() throws {
    try noise(seconds: 0.5).write(to: file("mic.wav"))
    for (arguments, canceller) in [
      ([], "nearend"), (["--aec", "nearend"], "nearend"), (["--aec", "webrtc"], "webrtc"), (["--aec", "off"], "off"), (["--no-aec"], "off"),
      (["--no-aec", "--aec", "off"], "off"),
    ] {
      let result = try place.nearend(
        ["process", "--mic", file("mic.wav"), "--out", file("out.wav"), "--metrics", "json"] + arguments)
      #expect(result.succeeded, "\(result.errors)")
      let metrics = try JSONDecoder().decode(ProcessingMetrics.self, from: Data(result.output.utf8))
      #expect(metrics.description.settings["echoCanceller"] == .string(canceller), "\(arguments)")
    }
    let both = try place.nearend("process", "--mic", file("mic.wav"), "--out", file("out.wav"), "--no-aec", "--aec", "webrtc")
    #expect(!both.succeeded && both.errors.contains("only one of them"), "\(both.errors)")
    #expect(try !place.nearend("process", "--mic", file("mic.wav"), "--out", file("out.wav"), "--aec", "speex").succeeded)
  }

  @Test("S9 V6: what is cancelled is told in words: by nearend's engine with its filter's ERLE, by WebRTC's without")
  func echoWords() throws {
    let far = noise(seconds: 8)
    let echo = [Float](repeating: 0, count: 960) + far.samples.dropLast(960).map { 0.3 * $0 }
    try far.write(to: file("far.wav"))
    try WaveFile(samples: echo, rate: 48_000).write(to: file("mic.wav"))
    try "microphone,reference,name,aec\nmic.wav,far.wav,own,\nmic.wav,far.wav,other,webrtc\n".write(
      toFile: file("cases.csv"), atomically: true, encoding: .utf8)
    let (number, filter) = (
      #/, echo \d+\.\d dB lower in [1-7]\.\d s of the far end alone/#, #/the far end alone, ERLE \d+\.\d dB/#
    )
    for engine in ["nearend", "webrtc"] {
      let result = try place.nearend(
        "process", "--mic", file("mic.wav"), "--far", file("far.wav"), "--out", file("out.wav"), "--aec", engine, "--plot", "-")
      #expect(result.errors.contains(number), "\(result.errors)")
      #expect(result.errors.contains(filter) == (engine == "nearend"), "\(result.errors)")
      #expect(result.output.contains(engine == "nearend" ? "ERLE, dB" : "Echo reduction, dB"), "\(result.output)")
      #expect(engine == "nearend" || !(result.errors + result.output).contains("ERLE"), "\(result)")
    }
    let batch = try place.nearend("process", "--batch", file("cases.csv"), "--jobs", "1", "--out", file("voices"))
    let lines = batch.errors.split(separator: "\n")
    for (name, isOwn) in [("own", true), ("other", false)] {
      let line = lines.first { $0.contains(": \(name): ") } ?? ""
      #expect(line.contains(number) && line.contains("ERLE") == isOwn, "\(lines)")
    }
  }

  @Test("O1 S9: on a terminal a bar shows how far it is, and goes at the end")
  func progressBar() throws {
    try noise(seconds: 30).write(to: file("mic.wav"))
    let terminal = try Terminal(in: place, "process", "--mic", file("mic.wav"), "--out", file("out.wav"))
    try terminal.expectEnd()
    #expect(terminal.exitStatus == 0)
    let bar: Bool? = poll { terminal.transcript.contains("processing [#") ? true : nil }
    #expect(bar == true, "\(terminal.transcript)")
    #expect(try !terminal.screen().contains("processing"))
    #expect(try terminal.screen().contains("30.0 s of audio"))
  }

  @Test("O1 S9: SIGINT and SIGTERM end it with 1, and nothing is left", arguments: [SIGINT, SIGTERM])
  func interrupted(signal: Int32) throws {
    // Four minutes of echo take more than a second, so that the signal comes in time on a busy machine, too.
    let minute = noise(seconds: 60)
    try WaveFile(samples: Array((0..<4).map { _ in minute.samples }.joined()), rate: 48_000).write(to: file("mic.wav"))
    let running = try place.startNearend("process", "--mic", file("mic.wav"), "--far", file("mic.wav"), "--out", file("out.wav"))
    let hasBegun = poll { (try? sounds().count) == 2 ? true : nil }
    #expect(hasBegun == true, "no file is being written")
    running.process.signal(signal)
    let result = running.result()
    #expect(result.exit == .status(1))
    #expect(result.errors.contains("interrupted; nothing was written"))
    #expect(try sounds() == ["mic.wav"])
  }
}
