import Foundation
import Preferences
import SessionModel
import Testing

@testable import SimulatedHardware

@Suite("Configuration by command", .serialized)
struct ConfigurationCommandTests {
  private static func write(_ text: String, _ session: some Place) throws {
    let folder = session.environment["XDG_CONFIG_HOME"]! + "/nearend"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/nearend.toml"), options: .atomic)
  }

  private static func place() throws -> EmptyPlace {
    try EmptyPlace(["XDG_CONFIG_HOME": "{place}/config", "XDG_STATE_HOME": "{place}/state"])
  }

  @Test("O4: config path, check and show; a bad file is named with line and key, and nothing starts on it")
  func offline() throws {
    let place = try Self.place()
    let config = place.environment["XDG_CONFIG_HOME"]!
    #expect(try place.nearend("config", "path").output == "\(config)/nearend/nearend.toml\n")
    #expect(try place.nearend("config", "check").output.contains("all defaults apply"))
    try Self.write("ns = false\nvolume = 0.5\nsinks = [\"alice\"]\n", place)
    #expect(try place.nearend("config", "check").output == "\(config)/nearend/nearend.toml is valid.\n")
    let show = try place.nearend("config", "show").output
    #expect(show.contains(/noiseSuppression = false +# nearend\.toml:1\n/), "\(show)")
    #expect(show.contains(/sinks = \["alice"\] +# nearend\.toml:3\n/), "\(show)")
    #expect(show.contains(/highPassFilter = true +# default\n/), "\(show)")
    try Data(show.utf8).write(to: URL(fileURLWithPath: "\(config)/shown.toml"))
    #expect(try place.nearend("config", "check", "\(config)/shown.toml").succeeded, "what is shown is a configuration")
    #expect(try place.nearend("config", "show", "--json").output.contains("\"origin\" : \"nearend.toml:1\""))
    try Self.write("ns = false\nvolume = 5\nbogus = 1\n", place)
    for arguments in [["config", "check"], ["config", "show"], ["--headless"]] {
      let result = try place.nearend(arguments)
      #expect(result.exit == .status(65))
      #expect(
        result.errors.contains("\(config)/nearend/nearend.toml:2: volume cannot be '5': give a number from 0 to 1\n"), "\(result)")
      #expect(result.errors.contains("nearend.toml:3: unknown key 'bogus'; valid keys: "))
    }
    #expect(try place.nearend("config", "check", "/nosuch.toml").exit == .status(66))
    #expect(try place.nearend("reset").output == "Nothing to forget.\n")
    #expect(try place.nearend("reset", "bogus").errors.contains("nothing is remembered"))
  }

  @Test("O7: where what is remembered cannot be written, reset names the file and says why")
  func unwritable() throws {
    let place = try EmptyPlace(["XDG_STATE_HOME": "/dev/null/state"])
    let result = try place.nearend("reset", "hpf")
    #expect(result.exit == .status(1))
    #expect(result.errors == "nearend: /dev/null/state/nearend/remembered.json cannot be written: Not a directory\n")
  }

  @Test(
    "O4: a running nearend follows its file, the device in use and what people change; the next one begins with that, until it is reset")
  func live() throws {
    let second = SimulatedDevice(.speaker, name: "bluez_output.headset", description: "Headset", priority: 500)
    let session = try plainSession([.speaker, .microphone, second])
    try Self.write("ns = false\nsinks = [\"alice\"]\n[device.\"bluez_output.*\"]\nagc = false\n", session)
    func start(_ arguments: String...) throws -> RunningProgram {
      let nearend = try session.start(nearendProgram, ["--headless"] + arguments)
      try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.sink.alice:playback_FL"])
      #expect(nearend.says("participant alice"))
      return nearend
    }
    func value(_ name: String) throws -> String { try session.nearend("get", name).output }
    func wait(_ name: String, _ wanted: String) throws {
      try session.wait(for: "\(name) \(wanted)") { try value(name) == "\(wanted)\n" }
    }
    var nearend = try start()
    try wait("ns", "false")
    try wait("agc", "true")
    // The device that the file has a section for comes into use, and is replaced again.
    #expect(try session.nearend("set", "speaker", "bluez_output.headset").succeeded)
    try wait("agc", "false")
    #expect(
      try session.nearend("config", "show").output.contains(/voiceProcessingEnableAGC = false +# nearend.toml:4, device "bluez_output.\*"/))
    #expect(try session.nearend("set", "speaker", "").succeeded)
    try wait("agc", "true")
    // A changed file, then an invalid one.
    try Self.write("ns = true\nsinks = [\"alice\"]\nmicVolume = 0.5\n", session)
    try wait("ns", "true")
    try wait("micVolume", "0.5")
    try Self.write("ns = maybe\n", session)
    #expect(nearend.says("nearend.toml:1: invalid TOML") && nearend.says("the previous configuration stays in effect"), "\(nearend.errors)")
    try wait("ns", "true")
    try Self.write("ns = true\nsinks = [\"alice\"]\nmicVolume = 0.5\n", session)
    // Changes made at run time: by command, by Props, and against the file.
    #expect(try session.nearend("set", "aec", "webrtc").succeeded)
    #expect(try session.nearend("mute").succeeded)
    #expect(try session.run("pw-cli", "set-param", "nearend", "Props", "{ params = [ \"highPassFilter\" false ] }").succeeded)
    try wait("hpf", "false")
    #expect(try session.nearend("set", "micVolume", "0.25").succeeded)
    #expect(nearend.says("micVolume is 0.25 for this run only: nearend.toml:3 says 0.5"))
    nearend.process.signal(SIGTERM)
    #expect(nearend.result().exit == .status(0))
    let file = session.environment["XDG_STATE_HOME"]! + "/nearend/remembered.json"
    let text = String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
    #expect(text.contains("highPassFilter") && text.contains("webrtc") && !text.contains("icrophoneMuted"), "\(text)")

    nearend = try start("--no-pause-on-unplug")
    try wait("aec", "webrtc")
    try wait("hpf", "false")
    #expect(try value("micVolume") == "0.5\n" && value("mute") == "false\n" && value("pauseOnUnplug") == "false\n")
    let show = try session.nearend("config", "show").output
    #expect(
      show.contains(/highPassFilter = false +# remembered\n/) && show.contains(/pauseOnUnplug = true +# default; now false\n/), "\(show)")
    // Applied when the command ends, also to what has just been changed.
    #expect(try session.nearend("reset", "hpf").output == "Forgotten: highPassFilter.\n")
    #expect(try value("hpf") == "true\n")
    #expect(try session.nearend("set", "outputVolume", "0.5").succeeded)
    #expect(try session.nearend("reset", "outputVolume").output == "Forgotten: outputVolume.\n")
    #expect(try value("outputVolume") == "1\n" || value("outputVolume") == "1.0\n")
    #expect(try value("aec") == "webrtc\n")
    #expect(try session.nearend("reset").succeeded)
    #expect(try value("aec") == "nearend\n")
    #expect(try value("pauseOnUnplug") == "false\n", "the command line still says so")
    // The file goes on saying that there is nothing: one that is gone was lost, and is no reset.
    #expect(try RememberedFile(path: file).read { Issue.record("\($0)") }?.isEmpty == true)
  }
}
