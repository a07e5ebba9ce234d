import Foundation
import Nearend
import RealtimeCore
import SessionModel
import TestPlugIns
import Testing

@testable import SimulatedHardware

/// `nearend stage`, as a user runs it.
@Suite("Plug-ins by command", .serialized)
struct StageCommandTests {
  @Test("O9: inspect shows plug-ins, ports, ranges and defaults, and names one that crashes or hangs, without a running nearend")
  func inspects() throws {
    let place = try EmptyPlace()
    let amp = try place.nearend("stage", "inspect", "amp_1181:amp")
    #expect(amp.succeeded && amp.output.contains("fits capture and render") && amp.output.contains("the audio thread"), "\(amp)")
    #expect(amp.output.contains("Amps gain (dB): a number from -70 to 70, by default 0"), "\(amp.output)")
    let limiter = try place.nearend("stage", "inspect", "fast_lookahead_limiter_1913:fastLookaheadLimiter")
    #expect(limiter.output.contains("fits render\n") && limiter.output.contains("latency: "), "\(limiter)")
    #expect(try place.nearend("stage", "inspect", "delay_1898").output.contains("delay_n  Simple delay line, noninterpolating"))
    let crash = try TestPlugIn.make(in: place.path, .init { $0.crashes = true })
    let crashed = try place.nearend("stage", "inspect", crash)
    #expect(crashed.exit == .status(66) && crashed.errors.contains("crashes (Segmentation fault) while it starts"), "\(crashed)")
    let hang = try TestPlugIn.make(in: place.path, .init { $0.hangs = true })
    let hung = try place.nearend("stage", "inspect", hang)
    #expect(hung.exit == .status(66) && hung.errors.contains("hangs while it is loaded"), "\(hung)")
    #expect(try place.nearend("stage", "inspect", "nosuch:x").errors.contains("LADSPA_PATH"))
  }

  @Test(
    "O9: wrong arguments end with 64 before anybody is asked",
    arguments: [
      ["stage", "add", "middle", "amp_1181:amp"], ["stage", "add", "capture", "amp_1181:amp", "--set", "Gain"],
      ["stage", "add", "capture", "amp_1181:amp", "--set", "Gain=nan"], ["stage", "set", "amp"], ["stage", "set", "amp", "Gain=x"],
    ])
  func wrong(arguments: [String]) throws {
    #expect(try EmptyPlace().nearend(arguments).exit == .status(64))
  }

  @Test(
    "O9 O4: a nearend that runs takes, lists, sets and removes plug-ins, from its file, too; one that crashes or hangs is refused, and it goes on"
  )
  func running() throws {
    let session = try plainSession()
    let file = try ConfigurationFile(in: session)
    try file.write("[[stage]]\nchain = \"render\"\nplugin = \"amp_1181:amp\"\nid = \"far\"\nset = { \"Amps gain (dB)\" = -3 }\n")
    let nearend = try session.start(nearendProgram, ["--headless"], file.variables)
    try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
    #expect(nearend.says("stage far in the render chain: Simple amplifier"))
    let added = try session.nearend("stage", "add", "capture", "amp_1181:amp", "--set", "Amps gain (dB)=-6", "--id", "near")
    #expect(added == ToolResult(output: "near\n", errors: "", exit: .status(0)))
    #expect(try session.nearend("stage", "set", "near", "Amps gain (dB)=-12").succeeded)
    let list = try session.nearend("stage", "list").output
    #expect(list.contains("far  Simple amplifier (amp), render, audio thread, 0 frames, running"), "\(list)")
    #expect(list.contains("near  Simple amplifier (amp), capture") && list.contains("Amps gain (dB) = -12"), "\(list)")
    #expect(try session.nearend("status").output.contains("stage       near: Simple amplifier (amp), capture"))
    #expect(try session.nearend("diagnostics").output.contains("- Plug-ins: 2\n  - far: Simple amplifier"))
    let wrong = try session.nearend("stage", "set", "near", "Amps gain (dB)=99")
    #expect(wrong.exit == .status(1) && wrong.errors.contains("'Amps gain (dB)' cannot be 99: give a number from -70 to 70"), "\(wrong)")
    for (traits, words): (TestPlugIn.Traits, String) in [
      (.init { $0.crashes = true }, "crashes (Segmentation fault) while it starts"),
      (.init { $0.hangs = true }, "hangs while it is loaded"),
    ] {
      let refused = try session.nearend("stage", "add", "capture", try TestPlugIn.make(in: session.path, traits))
      #expect(refused.exit == .status(1) && refused.errors.contains(words), "\(refused)")
    }
    #expect(try session.nearend("stage", "remove", "near").succeeded)
    #expect(try session.nearend("stage", "remove", "near").errors.contains("there is no stage 'near'; there are: far"))
    try file.write("")
    #expect(nearend.says("without stage far"))
    #expect(try session.nearend("stage", "list").output.isEmpty)
  }

  @Test("O9 O4: stages of the file are in its order whatever is added between, and a port that is no longer set has its own value again")
  func ordered() throws {
    let session = try plainSession()
    let file = try ConfigurationFile(in: session)
    func write(_ stages: (id: String, gain: Int?)...) throws {
      let rules = stages.map { id, gain in
        let set = gain.map { "set = { \"Amps gain (dB)\" = \($0) }\n" } ?? ""
        return "[[stage]]\nchain = \"render\"\nplugin = \"amp_1181:amp\"\nid = \"\(id)\"\n\(set)"
      }
      try file.write(rules.joined())
    }
    try write(("one", -3), ("three", nil))
    let nearend = try session.start(nearendProgram, ["--headless"], file.variables)
    #expect(nearend.says("stage three in the render chain"))
    func stages() throws -> [String] {
      try session.nearend("stage", "list").output.matches(of: /(?m)^(\w+)  Simple|Amps gain \(dB\) = ([-0-9]+)/).map {
        String($0.1 ?? $0.2!)
      }
    }
    try session.wait(for: "two stages") { try stages() == ["one", "-3", "three", "0"] }
    try write(("one", nil), ("two", -6), ("three", nil))
    try session.wait(for: "three stages in order") { try stages() == ["one", "0", "two", "-6", "three", "0"] }
  }

  @Test("O9 O6: plug-ins of the file that hang while they are tried hold up neither the start nor the end, and nothing of them stays")
  func hanging() throws {
    let session = try plainSession()
    let receiver = try NotifyReceiver("\(session.path)/notify")
    let plugIns = try (0..<4).map { _ in try TestPlugIn.make(in: session.path, .init { $0.hangs = true }) }
    let file = try ConfigurationFile(in: session)
    try file.write(plugIns.map { "[[stage]]\nchain = \"capture\"\nplugin = \"\($0)\"\n" }.joined())
    let nearend = try session.start(
      nearendProgram, ["--headless"], file.variables.merging(["NOTIFY_SOCKET": receiver.name]) { $1 })
    #expect(receiver.wait(for: "READY=1") != nil, "\(nearend.errors)")
    try session.wait(for: "a trial under way") { !trials(in: session.path).isEmpty }
    #expect(try session.nearend("set", "noiseSuppression", "off").succeeded)
    nearend.process.signal(SIGTERM)
    #expect(nearend.process.wait() == .status(0))
    #expect(!nearend.errors.contains("stage \(plugIns[3])"), "it has waited for the last: \(nearend.errors)")
    #expect(trials(in: session.path).isEmpty)
  }

  @Test("O9 O4: a plug-in of the file that is refused is tried again once its rule changes, or its library, and others play on meanwhile")
  func refused() throws {
    let session = try plainSession()
    let plugIn = try TestPlugIn.make(in: session.path, .init { $0.crashes = true })
    let file = try ConfigurationFile(in: session)
    func write(_ far: Int, gain: Double? = nil) throws {
      try file.write(
        """
        [[stage]]
        chain = "capture"
        plugin = "\(plugIn)"
        \(gain.map { "set = { \"Gain\" = \($0) }" } ?? "")
        [[stage]]
        chain = "render"
        plugin = "amp_1181:amp"
        id = "far"
        set = { "Amps gain (dB)" = \(far) }

        """)
    }
    try write(-3)
    let nearend = try session.start(nearendProgram, ["--headless"], file.variables)
    func count(_ words: String) -> Int { nearend.errors.components(separatedBy: words).count - 1 }
    #expect(nearend.says("stage far in the render chain"))
    #expect(count("crashes (Segmentation fault)") == 1)
    try write(-6)
    #expect(nearend.says("nearend.toml: stage far set"))
    #expect(count("crashes (Segmentation fault)") == 1 && count("stage far in the render chain") == 1, "\(nearend.errors)")
    try write(-6, gain: 0.5)
    try session.wait(for: "another trial") { count("crashes (Segmentation fault)") == 2 }
    let library = String(plugIn.dropLast(":test".count))
    let sound = try TestPlugIn.make(in: session.path, .init { _ in })
    try #require(rename(String(sound.dropLast(":test".count)), library) == 0)
    try write(-9, gain: 0.5)
    #expect(nearend.says("with stage test"), "\(nearend.errors)")
    let stages = try session.nearend("stage", "list").output
    #expect(stages.contains("test  Test (test), capture") && stages.contains("Amps gain (dB) = -9"), "\(stages)")
  }

  @Test(
    "O9: RNNoise is added to a nearend that runs as the guide says it",
    .enabled(if: RNNoisePlugIn.isThere, Comment(rawValue: RNNoisePlugIn.reason)))
  func noise() throws {
    let session = try plainSession()
    let nearend = try session.startNearend("--headless", variables: ["LADSPA_PATH": RNNoisePlugIn.folder])
    try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
    let added = try session.nearend(
      "stage", "add", "capture", "librnnoise_ladspa:noise_suppressor_mono", "--set", "VAD Threshold (%)=50")
    #expect(added == ToolResult(output: "noise_suppressor_mono\n", errors: "", exit: .status(0)), "\(nearend.errors)")
    let list = try session.nearend("stage", "list").output
    #expect(list.contains("(noise_suppressor_mono), capture, ") && list.contains("running"), "\(list)")
    #expect(list.contains("VAD Threshold (%) = 50"), "\(list)")
  }

  @Test("O9: a plug-in is tried in a program, too, that has the system reap its children")
  func reaped() throws {
    let before = signal(SIGCHLD, SIG_IGN)
    defer { signal(SIGCHLD, before) }
    let trial = PlugInTrial(program: nearendProgram)
    let facts = try trial.facts(path: try PlugInLibrary.find("amp_1181", [:]), label: "amp", rate: 48_000)
    #expect(facts.latency == 0 && facts.isSound && facts.error == nil)
  }
}

/// The nearend.toml of a test's session.
private struct ConfigurationFile {
  private let folder: String

  init(in session: PrivateSession) throws {
    folder = "\(session.path)/config"
    try FileManager.default.createDirectory(atPath: "\(folder)/nearend", withIntermediateDirectories: true)
  }

  /// The environment variables that make nearend read this file.
  var variables: [String: String] { ["XDG_CONFIG_HOME": folder] }

  func write(_ text: String) throws { try text.write(toFile: "\(folder)/nearend/nearend.toml", atomically: true, encoding: .utf8) }
}

/// Returns the ids of the processes that try a plug-in from the folder `path`.
private func trials(in path: String) -> [String] {
  let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return processes.filter { process in
    guard let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") else { return false }
    let text = String(decoding: words, as: UTF8.self)
    return text.contains("try-plugin") && text.contains(path)
  }
}
