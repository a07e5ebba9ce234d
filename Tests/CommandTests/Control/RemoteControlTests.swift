import Foundation
import SessionModel
import TestSupport
import Testing

@testable import SimulatedHardware

/// Commands that talk to a nearend in another process.
@Suite("Remote control", .serialized)
struct RemoteControlTests {
  /// A session with a running nearend.
  private static func start(_ arguments: String...) throws -> (session: PrivateSession, nearend: RunningProgram) {
    let session = try plainSession()
    let nearend = try session.start(nearendProgram, ["--headless"] + arguments)
    try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
    #expect(nearend.says("control socket"))
    return (session, nearend)
  }

  @Test(
    "O1: where no nearend runs, each command ends with 69 and says what to do",
    arguments: [
      ["status"], ["get"], ["set", "ns", "off"], ["toggle", "ns"], ["mute"], ["activate"], ["sink", "--id", "alice"], ["sink", "list"],
      ["stage", "list"], ["use"], ["use", "firefox"],
      ["source"], ["call", "10.0.0.8"], ["send", "--rtp", "10.0.0.8"], ["sink", "add", "bob", "--rtp", "10.0.0.7"],
      ["events"], ["diagnostics"], ["metrics"], ["plot"], ["attach"],
    ])
  func nobody(arguments: [String]) throws {
    let result = try EmptyPlace().nearend(arguments)
    #expect(result.exit == .status(69))
    #expect(result.errors.contains("no nearend runs here"), "\(result.errors)")
    #expect(result.errors.contains("nearend --headless"))
    #expect(result.output.isEmpty)
  }

  @Test(
    "O1: wrong arguments end with 64 before anybody is asked",
    arguments: [
      (["get", "nosuch"], "there is no such setting"), (["set", "ns", "perhaps"], "true or false"), (["set", "volume", "2"], "0 to 1"),
      (["set", "volume", "-1"], "outputVolume cannot be '-1': give a number from 0 to 1"),
      (["set", "volume", "-1"], "Usage: nearend set <name> <value> [--socket <path>]\n"),
      (["set", "volume", "0.5", "1"], "give one value"), (["set", "mute", "--bogus"], "Unknown option '--bogus'"),
      (["set", "speaker", "--bogus"], "Unknown option '--bogus'"),
      (["set", "volume"], "<value>"), (["sink", "--id", "a", "--buffer", "-1"], "--buffer -1: give 10 to 10000"),
      (["toggle", "volume"], "nearend set"), (["sink"], "--id"), (["sink", "--id", "a b"], "1 to 64"),
      (["sink", "--id", "a", "--rate", "1"], "8000"), (["source", "--channels", "3"], "1 or 2"), (["sink", "add", "a"], "--device"),
      (["sink", "add", "a", "--device", "--from", "10.0.0.8"], "need --rtp"),
      (["use", "--not"], "--not: give the names"), (["use", "a,b"], "'a,b' is no program's name: give each by itself"),
      (["use", "a\u{7}b"], "without commas and control characters"),
      (["send"], "--rtp"), (["call", "10.0.0.8", "--packet", "21"], "1 to 20"), (["call"], "<address>"),
      (["plot", "--minutes", "11"], "up to 10"), (["plot", "--minutes", "0"], "above 0"), (["plot", "--out", "call.pdf"], "ends in .png"),
      (["status", "--headless"], "controls a running nearend"), (["attach", "--json"], "only --glyphs"),
    ])
  func wrong(arguments: [String], words: String) throws {
    let result = try EmptyPlace().nearend(arguments)
    #expect(result.exit == .status(64))
    #expect(result.errors.contains(words), "\(result.errors)")
  }

  @Test("O1 R2: use moves a program to nearend's devices and says where it is; --not moves it back; who plays or records is listed")
  func uses() throws {
    let (session, _) = try Self.start()
    let nothing = "no program is moved to nearend's devices\nnothing plays or records now; who is used is moved when it does\n"
    #expect(try session.nearend("use").output == nothing)
    let recorder = try session.spawn("pw-record", ["-P", "{ application.name = \"A phone\" }", "/dev/null"])
    defer { recorder.end() }
    try session.wait(for: "the program in the list") {
      try session.nearend("use").output == "no program is moved to nearend's devices\n    A phone: records from hw.mic\n"
    }
    #expect(try session.nearend("use", "a phone", "zoom*").succeeded)
    try session.wait(for: "the program to be moved") {
      try session.nearend("use").output == "used: a phone, zoom*\n  * A phone: records from nearend.microphone\n"
    }
    #expect(
      try session.nearend("status").output.contains("used        a phone, zoom*\n            A phone: records from nearend.microphone\n"))
    let wrong = try session.nearend("use", "--not", "mpv")
    #expect(wrong.exit == .status(1) && wrong.errors.contains("mpv is not used; used are: a phone, zoom*"))
    let half = try session.nearend("use", "--not", "zoom*", "mpv")
    #expect(half.exit == .status(1) && half.errors.contains("mpv is not used; used are: a phone, zoom*"), "\(half.errors)")
    #expect(try session.nearend("use", "--not", "A Phone").output.hasPrefix("used: zoom*\n"))
    try session.wait(for: "the program to be moved back") {
      try session.nearend("use", "--json").output.contains("hw.mic")
    }
    #expect(try session.nearend("get", "use").output == "zoom*\n")
    let many = try (1...8).map { try session.start(nearendProgram, ["use", "p\($0)"]) }
    for one in many { #expect(one.process.wait() == .status(0)) }
    let used = try session.nearend("get", "use").output.trimmingCharacters(in: .newlines)
    #expect(Set(used.split(separator: ",").map(\.trimmed)) == Set(["zoom*"] + (1...8).map { "p\($0)" }), "all at once, each counts")
  }

  @Test("U5: plot draws the last minutes into the terminal or a PNG; before the first cycle it says that there is nothing")
  func plots() throws {
    let (session, _) = try Self.start()
    let early = try session.nearend("plot")
    #expect(early.exit == .status(69) && early.errors.contains("nothing to draw yet"))
    _ = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
    try session.wait(for: "something to draw") { try session.nearend("plot").succeeded }
    let chart = try session.nearend("plot", "--minutes", "0.5", "--glyphs", "ascii").output
    for title in ["Level, dBFS: microphone", "ERLE, dB", "Cycle load, %", "Voice, 0 to 20 kHz", "30 s"] {
      #expect(chart.contains(title), "\(chart)")
    }
    #expect(chart.utf8.allSatisfy { $0 < 128 })
    let file = "\(session.path)/call.png"
    #expect(try session.nearend("plot", "--out", file) == ToolResult(output: "", errors: "", exit: .status(0)))
    let picture = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]) && picture.count > 5_000)
    #expect(try session.nearend("plot", "--out", "/nonexistent/call.png").errors.contains("/nonexistent"))
  }

  @Test("O1 L7 K9: status, get, set, toggle, mute, sinks, diagnostics and metrics of a nearend in another process; curl is a client too")
  func asks() throws {
    let (session, nearend) = try Self.start()
    let document = try session.nearend("status", "--json")
    #expect(try JSONDecoder().decode(Snapshot.self, from: Data(document.output.utf8)).route.speaker?.name == "hw.speaker")
    #expect(try session.nearend("status").output.contains("microphone  hw.mic\n"))
    #expect(try session.nearend("set", "ns", "off") == ToolResult(output: "", errors: "", exit: .status(0)))
    #expect(try session.nearend("get", "noiseSuppression").output == "false\n")
    #expect(try session.nearend("toggle", "ns").output == "true\n")
    #expect(try session.nearend("status").output.contains("volumes     output 100 %, microphone 100 %, into mic 100 %\n"))
    #expect(try session.nearend("status").output.contains("ducking     min (3 dB), fixed, no call\n"))
    for (name, value) in [("micVolume", "0.5"), ("appVolume", "0.25"), ("appDucking", "on"), ("ducking", "max"), ("advancedDucking", "on")]
    {
      #expect(try session.nearend("set", name, value).succeeded)
    }
    let words = try session.nearend("status").output
    #expect(words.contains("volumes     output 100 %, microphone 50 %, into mic 25 %, lower under speech\n"), "\(words)")
    #expect(words.contains("ducking     max (24 dB), by voice activity, no call\n"), "\(words)")
    let missing = try session.nearend("set", "speaker", "usb.gone")
    #expect(missing.succeeded && missing.output.hasPrefix("speaker: usb.gone is chosen, and will be used once"))
    #expect(try session.nearend("status").output.contains("hw.speaker, until usb.gone (chosen) is available\n"))
    #expect(try session.nearend("set", "speaker", "").output.isEmpty)
    let own = try session.nearend("set", "speaker", "nearend.speaker")
    #expect(own.exit == .status(1) && own.errors.contains("nearend's own would hear itself"))
    #expect(try session.nearend("mute").succeeded)
    #expect(try session.nearend("get").output.contains("microphoneMuted true\n"))
    #expect(try session.nearend("unmute").succeeded)
    #expect(try session.nearend("sink", "add", "alice", "--device").succeeded)
    try session.wait(forPorts: ["nearend.sink.alice:playback_FL"])
    #expect(try session.nearend("sink", "list").output == "alice  device nearend.sink.alice, idle\n")
    let again = try session.nearend("sink", "add", "alice", "--device")
    #expect(again.exit == .status(1))
    #expect(again.errors.contains("already registered") && again.errors.contains("nearend sink remove alice"), "\(again.errors)")
    let attached = try session.nearend("attach")
    #expect(attached.exit == .status(78) && attached.errors.contains("use nearend status"), "\(attached.errors)")
    let taken = try session.nearend("sink", "--id", "alice")
    #expect(taken.exit == .status(1) && taken.errors.contains("--id alice: a participant of that name exists"), "\(taken.errors)")
    #expect(taken.errors.contains("nearend sink remove alice"), "\(taken.errors)")
    #expect(try session.nearend("sink", "remove", "alice").succeeded)
    #expect(try !session.nearend("diagnostics").output.isEmpty)
    #expect(try session.nearend("metrics").output.contains("# TYPE nearend_"))
    let refused = try session.nearend("activate")
    #expect(refused.exit == .status(1))
    #expect(refused.errors.contains("--manual"))
    let curl = try session.run("curl", ["-sS", "--unix-socket", "\(session.path)/nearend/control.sock", "http://nearend/status"])
    #expect(try JSONDecoder().decode(Snapshot.self, from: Data(curl.output.utf8)).graph.isConnected)

    // A second instance says which process holds the node, and how to attach to it.
    let second = try session.nearend("--headless")
    #expect(second.exit == .status(75))
    #expect(second.errors.split(separator: "\n").count == 1, "\(second.errors)")
    #expect(second.errors.contains("\(nearend.process.pid)") && second.errors.contains("nearend attach"), "\(second.errors)")
  }

  @Test("S2: in manual mode activate and deactivate are a call manager's calls")
  func manual() throws {
    let (session, _) = try Self.start("--manual")
    func isActive() throws -> Bool {
      try JSONDecoder().decode(Snapshot.self, from: Data(session.nearend("status", "--json").output.utf8)).session.isActive
    }
    #expect(try !isActive())
    #expect(try session.nearend("activate").succeeded)
    #expect(try isActive())
    #expect(try session.nearend("deactivate").succeeded)
    #expect(try !isActive())
  }

  @Test("K1 K2: nearend sink plays a file in real time, to its last frame, and leaves")
  func sink() throws {
    let (session, _) = try Self.start()
    let file = "\(session.path)/pcm"
    // Two seconds, one channel.
    try Data(count: 2 * 2 * 48_000).write(to: URL(fileURLWithPath: file))
    let began = monotonicSeconds()
    let result = try session.run("sh", ["-c", "'\(nearendProgram)' sink --id alice < '\(file)'"])
    #expect(result.succeeded, "\(result.errors)")
    #expect(monotonicSeconds() - began > 1.8)
    #expect(try session.nearend("sink", "list").output.isEmpty)
  }

  @Test("D4: play-into-mic plays a file into the microphone, without a real one, while muted, and to its last frame; a bad file is named")
  func playIntoMic() throws {
    let session = try plainSession([.speaker])
    let nearend = try session.start(nearendProgram, ["--headless"])
    try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
    #expect(nearend.says("control socket"))
    let (file, voice) = ("\(session.path)/tone.wav", "\(session.path)/voice.pcm")
    let tone = sine(1_000, frames: 44_100, rate: 44_100, level: 0.25)
    try WaveFile(samples: tone, rate: 44_100).write(to: file)
    #expect(try session.nearend("mute").succeeded)
    let source = try session.spawn("sh", ["-c", "exec '\(nearendProgram)' source --rate 48000 > '\(voice)'"])
    defer { source.end() }
    try session.wait(for: "the source") { (try? Data(contentsOf: URL(fileURLWithPath: voice)))?.isEmpty == false }
    let second = try session.nearend("source")
    #expect(
      second.exit == .status(1) && second.errors.contains("the microphone already has a consumer; stop it first"), "\(second.errors)")
    let played = try session.nearend("play-into-mic", file)
    #expect(played.succeeded, "\(played.errors)")
    let pcm = try Data(contentsOf: URL(fileURLWithPath: voice))
    let samples = pcm.withUnsafeBytes { bytes in
      (0..<bytes.count / 2).map { Float(bytes.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self)) / 32_768 }
    }
    let loud = samples.count { abs($0) > 0.2 }
    // A sine is above 0.8 of its peak for 0.41 of the time: 19,700 of its 48,000 frames.
    #expect((17_500...21_000).contains(loud), "\(loud) of \(samples.count)")
  }

  @Test("D4: play-into-mic names the file that it cannot play, and says why, before anybody is asked")
  func badFiles() throws {
    let place = try EmptyPlace()
    func write(_ name: String, _ data: Data) throws { try data.write(to: URL(fileURLWithPath: "\(place.path)/\(name)")) }
    try WaveFile(samples: [Float](repeating: 0.1, count: 4_000)).write(to: "\(place.path)/good.wav")
    let good = try Data(contentsOf: URL(fileURLWithPath: "\(place.path)/good.wav"))
    try write("truncated.wav", good.dropLast(1_000))
    try write("nothing.wav", Data())
    try write("text.wav", Data("no sound".utf8))
    // The channel count is in the header.
    var many = good
    many[22] = 33
    try write("many.wav", many)
    try WaveFile(samples: [0, 0], rate: 4_000).write(to: "\(place.path)/slow.wav")
    let cases = [
      ("missing.wav", "No such file"), ("truncated.wav", "truncated"), ("nothing.wav", "it is empty"),
      ("text.wav", "not a sound file"),
      ("many.wav", "33 channels"), ("slow.wav", "4000 Hz"), (".", "regular file"),
    ]
    for (name, words) in cases {
      let result = try place.nearend("play-into-mic", "\(place.path)/\(name)")
      #expect(result.exit == .status(66) && result.errors.contains(words) && result.errors.contains("/\(name)"), "\(result.errors)")
    }
    let misplaced = [("good.wav", "--rate", "8000"), ("good.wav", "--channels", "1"), ("-", "--rate", "0"), ("-", "--channels", "9")]
    for (name, option, value) in misplaced {
      let result = try place.nearend("play-into-mic", name == "-" ? name : "\(place.path)/\(name)", option, value)
      #expect(result.exit == .status(64) && result.errors.contains(option), "\(result.errors)")
      #expect(result.errors.contains("Usage: nearend play-into-mic <file>"), "\(result.errors)")
    }
    #expect(try place.nearend("play-into-mic", "\(place.path)/good.wav").exit == .status(69))
    let guess = "assuming 48000 Hz and 1 channel for standard input"
    #expect(try place.nearend("play-into-mic", "-").errors.contains(guess))
    #expect(try !place.nearend("play-into-mic", "-", "--rate", "48000").errors.contains("48000"))
  }

  @Test("L5: nearend source writes PCM, and ends quietly when its reader goes")
  func source() throws {
    let (session, _) = try Self.start()
    let result = try session.run("sh", ["-c", "{ '\(nearendProgram)' source --rate 16000; echo $? >&2; } | head -c 32000 | wc -c"])
    #expect(result.output.trimmingCharacters(in: .whitespaces) == "32000\n")
    #expect(result.errors == "0\n")
  }

  @Test("O1: attach shows another process's dashboard, its keys act there, q leaves it running; when it ends, attach ends with 69")
  func attach() throws {
    let (session, nearend) = try Self.start()
    try Terminal(in: session, "attach").expectDashboard(of: nearend.process, in: session)

    let other = try Terminal(in: session, "attach")
    try other.expect("IDLE")
    nearend.process.signal(SIGTERM)
    try other.expectEnd()
    #expect(other.exitStatus == 69)
    // The terminal may break lines anywhere.
    #expect(try other.screen().replacing("\n", with: "").contains("has ended"))
    #expect(other.modesAreRestored)
  }

  @Test("O1: attach says of a key what the other process has refused, and why")
  func attachedRefusal() throws {
    let (session, nearend) = try Self.start()
    let folder = try #require(session.environment["XDG_CONFIG_HOME"]) + "/nearend/presets"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try "microphone = \"hw.speaker\"\n".write(toFile: "\(folder)/desk.toml", atomically: true, encoding: .utf8)
    try session.wait(for: "the preset") { try session.nearend("preset", "list").output.hasPrefix("desk") }
    let terminal = try Terminal(in: session, "attach")
    try terminal.expect("IDLE")
    try terminal.type("s")
    try terminal.expect("desk.toml:1: ")
    try terminal.type("q")
    try terminal.expectEnd()
    #expect(terminal.exitStatus == 0 && nearend.process.isRunning)
  }
}
