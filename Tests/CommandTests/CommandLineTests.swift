import Foundation
import SessionModel
import Testing

@testable import SimulatedHardware

@Suite("Command line", .serialized)
struct CommandLineTests {
  private static let snapshots = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")

  @Test("O1: --version is semver and nothing else")
  func version() throws {
    let result = try EmptyPlace().nearend("--version")
    #expect(result.succeeded)
    #expect(result.errors.isEmpty)
    #expect(result.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil, "\(result.output)")
  }

  @Test(
    "O1: help of every command looks as its snapshot",
    arguments: [
      "nearend", "rehearse", "process", "devices", "config", "reset", "enable", "disable", "doctor", "status", "attach", "get", "set",
      "toggle", "mute", "unmute", "use", "activate", "deactivate", "resume", "sink", "source", "call", "hang-up", "send", "play-into-mic",
      "listen", "preset", "events", "diagnostics", "metrics", "plot", "tray",
    ])
  func help(command: String) throws {
    let result = try EmptyPlace().nearend(command == "nearend" ? ["--help"] : [command, "--help"])
    #expect(result.succeeded)
    #expect(result.errors.isEmpty)
    let file = Self.snapshots.appending(path: "help-\(command).txt")
    if ProcessInfo.processInfo.environment["NEAREND_WRITE_SNAPSHOTS"] == "1" { try Data(result.output.utf8).write(to: file) }
    let snapshot = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(result.output == snapshot)
    #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE") })
  }

  @Test(
    "O1: wrong arguments end with 64, and the message says what was wrong",
    arguments: [
      (["--nosuch"], "Unknown option '--nosuch'"), (["nosuch"], "nosuch"), (["--mic"], "Missing value for '--mic"),
      (["--seconds", "5"], "--seconds and --json need --headless"), (["--json"], "--seconds and --json need --headless"),
      (["--wait"], "--wait needs --headless"),
      (["--headless", "--seconds", "0"], "greater than 0"),
      (["--headless", "--seconds", "-1"], "--seconds -1: give a number greater than 0"),
      (["--headless", "--seconds", "soon"], "'soon' is invalid"),
      (["--headless", "--seconds", "nan"], "--seconds"), (["--headless", "--seconds", "inf"], "--seconds"),
      (["--headless", "--seconds", "1e300"], "--seconds"),
      (["--glyphs", "nosuch"], "unicode"), (["--reference", "nosuch"], "everything"),
      (["--sink", "a b"], "1 to 64 letters, digits"), (["--sink", "a", "--sink", "a"], "only once"),
      (["--telemetry-url", "ftp://x"], "--telemetry-url: telemetry cannot be sent to 'ftp://x'"),
      (["--telemetry-url", "https://host:99999"], "--telemetry-url: telemetry cannot be sent to 'https://host:99999'"),
      (["--telemetry-otlp", "http://host:0"], "--telemetry-otlp: 'http://host:0' is no collector's address"),
      (["--telemetry-otlp", "localhost:4318"], "--telemetry-otlp: 'localhost:4318' is no collector's address"),
      (["--telemetry-otlp", "http://x", "--telemetry-otlp-header", "Host: y"], "--telemetry-otlp-header: 'Host' is no header"),
      (["--telemetry-otlp", "http://x", "--telemetry-otlp-interval", "0"], "--telemetry-otlp-interval: 0.0 s is no interval"),
      (["--telemetry-otlp-header", "A: b"], "need --telemetry-otlp."),
      (["--telemetry-file", "x", "--telemetry-min-version", "1.x"], "--telemetry-min-version: sendASMTelemetryMinRemoteVersion '1.x'"),
      (["--telemetry-file", "x", "--telemetry-disable", "asm"], "there are: asmEvent, asmSnapshot"),
      (["rehearse", "--telemetry-file", "x"], "sends no telemetry"), (["devices", "--telemetry-file", "x"], "only --json"),
      (["--telemetry-disable", "asmEvent"], "need --telemetry-file, --telemetry-url or --telemetry-otlp"),
      (["--telemetry-config", "x"], "need --telemetry-file, --telemetry-url or --telemetry-otlp"),
      (["--telemetry-file", "x", "--telemetry-config", "y", "--telemetry-disable", "asmEvent"], "cannot be combined"),
      (["--telemetry-file", "x", "--telemetry-config", "/nonexistent/gate.json"], "'/nonexistent/gate.json' cannot be read"),
      (["--telemetry-file", "x", "--telemetry-config", "/dev/null"], "--telemetry-config: the telemetry configuration cannot be used"),
      (["rehearse", "--quantum", "31"], "32 to 8192"), (["rehearse", "--quantum", "8193"], "32 to 8192"),
      (["process", "--mic", "x", "--out", "y", "--channels", "3"], "--channels 3: give 1 or 2"),
      (["rehearse", "--quantum", "-1"], "--quantum -1: give 32 to 8192"),
      (["process", "--out", "x"], "--mic <file>"), (["process", "--mic", "x"], "--out <file>"),
      (["process", "--mic", "x", "--out", "y", "--metrics", "json", "--plot", "-"], "both print"),
      (["process", "--mic", "x", "--out", "y", "--plot", "o.pdf"], "ends in .png"),
      (["process", "--mic", "x", "--out", "y.mp3"], "y.mp3: the voice is written as a WAV file; give a name that ends in .wav"),
      (["process", "--mic", "x", "--out", "y", "--aec", "foo"], "provide one of 'nearend', 'webrtc' or 'off'"),
      (["process", "--mic", "x", "--out", "y", "--quantum", "31"], "32 to 8192"),
      (["process", "--mic", "x", "--out", "y", "--headless"], "works on files"),
      (["devices", "--nosuch"], "Unknown option '--nosuch'"), (["devices", "--headless"], "only --json"),
      (["process", "--mic", "x", "--out", "-"], "not to standard output; give a name that ends in .wav"),
      (["process", "--batch", "x", "--out", "-"], "--out -: the voices are written into a folder; give its name"),
      (["process", "--mic", "x", "--out", "y", "--channel", "0"], "--mic-channels 0: give auto, mean, each, or channels from 1 to 32"),
      (["--headless", "--wait", "--mic", "nearend.speaker"], "--mic nearend.speaker: give a real device"),
      (["rehearse", "--speaker", "nearend.sink.alice"], "--speaker nearend.sink.alice: give a real device"),
      (["plot", "--minutes", "-1"], "--minutes -1.0: give a number above 0, up to 10"),
      (["--telemetry-otlp", "http://x", "--telemetry-otlp-interval", "-1"], "-1.0 s is no interval between readings; give 1 to 3600"),
      (["set", "microphone", "-dash"], "Unknown option '-dash'; to give it as the value, write '--' before it"),
      (["call", "notanip"], "'notanip' is no address: give a numeric one"), (["call", "0.0.0.0"], "every address of this machine"),
      (["call", "10.0.0.8", "--port", "0"], "--port 0: give 1 to 65535"),
      (["call", "10.0.0.8", "--latency", "5"], "--latency 5: give 20 to 100"),
      (["send", "--rtp", "10.0.0.8:99999"], "no possible port: give 1 to 65535"),
      (["sink", "add", "a b"], "a b: give 1 to 64 letters, digits"),
      (["sink", "add", "x", "--rtp", "nohost"], "'nohost' is no address"),
      (["sink", "add", "x", "--rtp", "0.0.0.0", "--from", "nohost"], "'nohost' is no address"),
      (["status", "--json", "--default"], "none of nearend's own options: leave out --default"),
      (["status", "--no-manual", "--aec", "off"], "leave out --aec, --no-manual"),
      (["get", "aec", "--telemetry-file", "x"], "leave out the --telemetry options"),
      (["devices", "--json", "--default"], "devices takes only --json: leave out --default"), (["devices", "--wait"], "leave out --wait"),
      (["attach", "--mic", "x"], "attach takes only --glyphs and --socket: leave out --mic"),
      (["hang-up", "x", "--json"], "leave out --json"), (["sink", "list", "--headless"], "leave out --headless"),
      (["sink", "remove", "x", "--json"], "leave out --json"), (["sink", "add", "x", "--rtp", "127.0.0.1", "--json"], "leave out --json"),
      (["stage", "list", "--wait"], "leave out --wait"), (["stage", "remove", "x", "--json"], "leave out --json"),
      (["stage", "set", "x", "Gain=1", "--json"], "leave out --json"), (["send", "list", "--headless"], "leave out --headless"),
      (["send", "remove", "x", "--json"], "leave out --json"), (["isolation", "remove", "--json"], "leave out --json"),
      (["isolation", "status", "--headless"], "leave out --headless"), (["isolation", "install", "--default"], "leave out --default"),
      (["process", "--mic", "x", "--out", "y", "--default"], "mean nothing to it: leave out --default"),
      (["rehearse", "--wait"], "leave out --wait"),
    ])
  func wrongArguments(arguments: [String], words: String) throws {
    let result = try EmptyPlace().nearend(arguments)
    #expect(result.exit == .status(64))
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(result.errors.contains("--help"), "\(result.errors)")
  }

  @Test(
    "O1: what a subcommand refuses is told with the subcommand's usage, and ends with 64",
    arguments: [
      (["process", "--out", "x"], "nearend process"), (["process", "--mic", "x", "--out", "y", "--jobs", "2"], "nearend process"),
      (["process", "--mic", "x", "--out", "y.mp3"], "nearend process"), (["devices", "--headless"], "nearend devices"),
      (["status", "--headless"], "nearend status"), (["metrics", "--allow-remote"], "nearend metrics"), (["sink"], "nearend sink"),
      (["sink", "add", "x"], "nearend sink add"), (["rehearse", "--incidents", "x"], "nearend rehearse"),
      (["isolation", "install", "--from", "a", "--index", "b"], "nearend isolation install"), (["--wait"], "nearend"),
    ])
  func usage(arguments: [String], command: String) throws {
    let result = try EmptyPlace().nearend(arguments)
    #expect(result.exit == .status(64))
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("Error: "), "\(result.errors)")
    #expect(lines[1].hasPrefix("Usage: \(command) [") || lines[1].hasPrefix("Usage: \(command) <"), "\(result.errors)")
    #expect(lines[2] == "  See '\(command) --help' for more information.", "\(result.errors)")
  }

  @Test(
    "O1: a value that an option does not take is told in a line with what it takes, and with the usage of the subcommand",
    arguments: [
      (["process", "--mic", "x", "--out", "y", "--aec", "foo"], "process", "Please provide one of 'nearend', 'webrtc' or 'off'."),
      (["process", "--mic", "x", "--out", "y", "--aec", "nearnd"], "process", "'webrtc' or 'off'. Did you mean 'nearend'?"),
      (["process", "--mic", "x", "--out", "y", "--mic-mode", "isolation"], "process", "'voiceIsolation' or 'wideSpectrum'."),
      (["process", "--mic", "x", "--out", "y", "--glyphs", "asci"], "process", "'compat' or 'ascii'. Did you mean 'ascii'?"),
      (["process", "--mic", "x", "--out", "y", "--sample-type", "pcm"], "process", "Did you mean 'pcm16', 'pcm24' or 'pcm32'?"),
      (["rehearse", "--seconds", "x"], "rehearse", "The value 'x' is invalid for '--seconds <n>'"),
      (["rehearse", "--aec", "of"], "rehearse", "Did you mean 'off'?"),
      (["attach", "--glyphs", "foo"], "attach", "Please provide one of 'auto', 'unicode', 'compat' or 'ascii'."),
      (["sink", "list", "--seconds", "x"], "sink list", "The value 'x' is invalid for '--seconds <n>'"),
      (["--when-inactive", "stpo"], "", "Please provide one of 'stop' and 'continue'. Did you mean 'stop'?"),
      (["--mic", "-dash"], "", "Missing value for '--mic <name>'; to give '-dash' as the value, write --mic=-dash"),
      (["process", "--mic", "-x.wav", "--out", "y"], "process", "to give '-x.wav' as the value, write --mic=-x.wav"),
      (["sink", "--id", "-bob"], "sink", "to give '-bob' as the value, write --id=-bob"),
    ])
  func refusedValue(arguments: [String], command: String, words: String) throws {
    let result = try EmptyPlace().nearend(arguments)
    #expect(result.exit == .status(64) && result.output.isEmpty)
    let lines = result.errors.split(separator: "\n"), name = command.isEmpty ? "nearend" : "nearend \(command)"
    #expect(lines.count <= 4 && lines[0].hasPrefix("Error: ") && lines[0].hasSuffix(words), "\(result.errors)")
    #expect(lines.contains { $0.hasPrefix("Usage: \(name) [") || $0.hasPrefix("Usage: \(name) <") }, "\(result.errors)")
    #expect(lines.last == "  See '\(name) --help' for more information.", "\(result.errors)")
  }

  @Test("O1: an option of a subcommand without its value is not told with the help of nearend's own of that name")
  func helpOfOption() throws {
    let result = try EmptyPlace().nearend("process", "--mic")
    #expect(result.exit == .status(64) && result.errors.contains("Missing value for '--mic"), "\(result)")
    #expect(!result.errors.contains("The real microphone"), "\(result.errors)")
    #expect(try EmptyPlace().nearend("--mic").errors.contains("Help:  --mic <name>  The real microphone"))
  }

  @Test(
    "O1: a mistyped command or setting ends with 64 and a question of a line, not with a list",
    arguments: [
      (["satus"], "There is no command 'nearend satus'. Did you mean 'nearend status'?"),
      (["help", "sttus"], "There is no command 'nearend sttus'. Did you mean 'nearend status'?"),
      (["sink", "rmove", "bob"], "There is no command 'nearend sink rmove'. Did you mean 'nearend sink remove'?"),
      (["stage", "lst", "--json"], "Did you mean 'nearend stage list'?"), (["hlep"], "Did you mean 'nearend help'?"),
      (["xyz"], "There is no command 'nearend xyz'. There are: rehearse, process, "),
      (["set", "foo", "1"], "'foo' is invalid for '<name>': there is no such setting. 'nearend help set' lists them."),
      (["set", "mic", "1"], "Did you mean 'micMode', 'micVolume', 'microphone' or 'microphoneMuted'?"),
      (["set", "aec", "nearnd"], "echoCanceller cannot be 'nearnd': give nearend, webrtc or off. Did you mean 'nearend'?"),
      (["set", "aec", "speex"], "echoCanceller cannot be 'speex': give nearend, webrtc or off.\n"),
      (["get", "noisesupression"], "Did you mean 'noiseSuppression'?"), (["toggle", "muet"], "Did you mean 'mute'?"),
    ])
  func mistyped(arguments: [String], words: String) throws {
    let result = try EmptyPlace().nearend(arguments)
    #expect(result.exit == .status(64))
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count <= 4, "\(result.errors)")
  }

  @Test("T3: an operator's file without the section, with null or with others' types is no error; a wrong one is, and the file is named")
  func operatorsFile() throws {
    let place = try EmptyPlace(["XDG_CONFIG_HOME": ""])
    let config = "\(place.path)/.config/nearend", gate = "\(place.path)/gate.json"
    try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: true)
    func run(_ text: String, _ arguments: [String]) throws -> ToolResult {
      try Data(text.utf8).write(to: URL(fileURLWithPath: gate))
      return try place.nearend(["--headless"] + arguments)
    }
    let options = ["--telemetry-file", "\(place.path)/t.jsonl", "--telemetry-config", gate]
    for text in ["{}", #"{"clientTelemetry": null}"#, #"{"clientTelemetry": {"disabledTelemetryTypes": ["mediaStats"]}}"#] {
      let result = try run(text, options)
      #expect(result.exit == .status(69), "it goes on to look for the daemon: \(result.errors)")
    }
    let wrong = #"{"clientTelemetry": {"sendASMTelemetryMinRemoteVersion": "soon"}}"#
    let given = try run(wrong, options)
    #expect(given.exit == .status(64))
    #expect(given.errors.contains("--telemetry-config: sendASMTelemetryMinRemoteVersion 'soon'"), "\(given.errors)")
    try Data("telemetryFile = \"\(place.path)/t.jsonl\"\ntelemetryConfig = \"\(gate)\"\n".utf8).write(
      to: URL(fileURLWithPath: "\(config)/nearend.toml"))
    let configured = try run(wrong, [])
    #expect(configured.errors.contains("telemetryConfig of nearend.toml: sendASMTelemetryMinRemoteVersion 'soon'"), "\(configured.errors)")
    #expect(!configured.errors.contains("--telemetry-min-version:"))
  }

  @Test("O1: without a daemon --headless and devices end with 69 and say what to do", arguments: ["--headless", "devices"])
  func noDaemon(argument: String) throws {
    let result = try EmptyPlace().nearend(argument)
    #expect(result.exit == .status(69))
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("no PipeWire daemon"))
    #expect(result.errors.contains("systemctl --user start pipewire wireplumber"))
  }

  @Test(
    "O1: what in the environment keeps a daemon or nearend from being found is named",
    arguments: [
      (["devices"], ["XDG_RUNTIME_DIR": ""], "XDG_RUNTIME_DIR, the folder of its socket, is not set; start nearend in your login session"),
      (["devices"], ["XDG_RUNTIME_DIR": "/no/folder"], "XDG_RUNTIME_DIR is /no/folder, which is not there"),
      (["--headless"], ["PIPEWIRE_REMOTE": "foo"], "/foo, which PIPEWIRE_REMOTE names (there is no such socket)"),
      (["devices"], [:], "/pipewire-0 (there is no such socket); start PipeWire"),
      (["status"], ["XDG_RUNTIME_DIR": "/no/folder"], "XDG_RUNTIME_DIR is /no/folder, which is not there"),
      (["devices"], ["XDG_RUNTIME_DIR": "/etc/passwd"], "XDG_RUNTIME_DIR is /etc/passwd, which is no folder; start nearend in your login"),
      (["status"], ["XDG_RUNTIME_DIR": "/etc/passwd"], "XDG_RUNTIME_DIR is /etc/passwd, which is no folder: give nearend's own"),
    ] as [([String], [String: String], String)])
  func wrongEnvironment(arguments: [String], variables: [String: String], words: String) throws {
    let result = try EmptyPlace(variables).nearend(arguments)
    #expect(result.exit == .status(69))
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(!result.errors.contains("Host is down"))
  }

  @Test("O3: a rehearsal runs in its own session, whatever daemon the environment names")
  func rehearsesElsewhere() throws {
    let result = try EmptyPlace(["PIPEWIRE_REMOTE": "foo"]).nearend(["rehearse", "--headless", "--seconds", "1"])
    #expect(result.exit == .status(0), "\(result.errors)")
    #expect(result.errors.contains("microphone: hw.mic"), "\(result.errors)")
  }

  @Test("O1: without a terminal the dashboard ends with 78, names the stream and --headless", arguments: [[], ["rehearse"]])
  func noTerminal(arguments: [String]) throws {
    let result = try EmptyPlace().nearend(arguments)
    #expect(result.exit == .status(78))
    #expect(result.errors.contains("standard input is not a terminal"))
    #expect(result.errors.contains("--headless"))
  }

  @Test("O1: exit statuses are those of the table in --help")
  func statusTable() throws {
    let help = try EmptyPlace().nearend("--help").output
    let table = help.split(separator: "\n").drop { $0 != "EXIT STATUS" }.dropFirst().prefix { $0.hasPrefix("  ") }
    let statuses = table.compactMap { Int($0.split(separator: " ")[0]) }
    #expect(statuses == [0, 1, 64, 65, 66, 69, 73, 75, 78])
  }
}

@Suite("Command line in a session", .serialized)
struct CommandLineSessionTests {
  @Test("O1 R1: devices lists the real ones, marks the defaults, and leaves nearend's own out; --json says the same")
  func devices() throws {
    let second = SimulatedDevice(.microphone, name: "hw.second", description: "Second Microphone", priority: 500)
    let session = try plainSession([.speaker, .microphone, second])
    let expected = """
      Speakers
        * hw.speaker  (Simulated Speaker)
      Microphones
        * hw.mic  (Simulated Microphone)
          hw.second  (Second Microphone)

      """
    let running = try session.startNearend("--headless")
    try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
    let result = try session.nearend("devices")
    #expect(result == ToolResult(output: expected, errors: "", exit: .status(0)))
    let json = try session.nearend("devices", "--json")
    #expect(json.succeeded)
    let devices = try JSONDecoder().decode([Device].self, from: Data(json.output.utf8))
    #expect(devices.map(\.name) == ["hw.speaker", "hw.mic", "hw.second"])
    #expect(devices.map(\.direction) == [.output, .input, .input])
    #expect(devices.map(\.isDefault) == [true, true, false])

    // A second instance while the first runs.
    let other = try session.nearend("--headless")
    #expect(other.exit == .status(75))
    #expect(other.errors.contains("\(running.process.pid)"), "\(other.errors)")
    #expect(running.process.isRunning)
  }

  @Test("U3: Ctrl-Z in its terminal does not stop a headless nearend, which carries everybody's sound")
  func suspendedHeadless() throws {
    let session = try plainSession()
    let running = try session.startNearend("--headless")
    try session.wait(forPorts: ["nearend.speaker:playback_FL"])
    for number in [SIGTSTP, SIGTTIN, SIGTTOU] { running.process.signal(number) }
    #expect(try session.nearend("status").succeeded)
    let state = try String(contentsOfFile: "/proc/\(running.process.pid)/status", encoding: .utf8)
    #expect(!state.contains("State:\tT"), "\(state)")
  }

  @Test("O1 I6: a session manager that hangs does not delay the list of devices, which then marks no defaults")
  func devicesOfOneThatHangs() throws {
    let session = try plainSession()
    session.freeze(.wireplumber)
    defer { session.thaw(.wireplumber) }
    let list = "Speakers\n    hw.speaker  (Simulated Speaker)\nMicrophones\n    hw.mic  (Simulated Microphone)\n"
    #expect(try session.nearend("devices") == ToolResult(output: list, errors: "", exit: .status(0)))
  }

  @Test(
    "O1: a device that is not there ends with 66 and names those there are",
    arguments: [("--mic", "nosuch", "hw.mic"), ("--speaker", "nosuch", "hw.speaker"), ("--mic", "hw.speaker", "hw.mic")])
  func unknownDevice(option: String, name: String, there: String) throws {
    let session = try plainSession()
    let result = try session.nearend("--headless", option, name)
    #expect(result.exit == .status(66))
    #expect(result.errors.contains(name))
    #expect(result.errors.contains(there), "\(result.errors)")
    #expect(try session.ports().allSatisfy { !$0.contains("nearend") })
  }

  @Test("O1: --headless --seconds --json prints one document and nothing else on standard output, and ends with 0")
  func document() throws {
    let session = try plainSession()
    let running = try session.startNearend("--headless", "--seconds", "1", "--json", "--sink", "alice")
    #expect(running.result().exit == .status(0))
    let status = try running.status()
    #expect(status.graph.isConnected)
    #expect(status.session.state == .idle)
    #expect(status.graph.captureLinks == 0)
    #expect(status.route.microphone?.name == "hw.mic")
    #expect(status.route.speaker?.name == "hw.speaker")
    #expect(status.sinks.map(\.id) == ["alice"])
    #expect(status.sinks.map(\.kind) == [.graph])
  }
}
