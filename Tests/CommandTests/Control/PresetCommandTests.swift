import Foundation
import SessionModel
import Testing

@testable import SimulatedHardware

/// `nearend preset`, as a user runs it.
@Suite("Presets by command", .serialized)
struct PresetCommandTests {
  @Test(
    "O7: saved, listed, loaded, by device, and removed; it is told what each value comes from; wrong names and none running are refused")
  func running() throws {
    let second = SimulatedDevice(.speaker, name: "bluez_output.headset", description: "Headset", priority: 500)
    let session = try plainSession([.speaker, .microphone, second])
    let folder = try #require(session.environment["XDG_CONFIG_HOME"]) + "/nearend"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func write(_ text: String) throws { try text.write(toFile: "\(folder)/nearend.toml", atomically: true, encoding: .utf8) }
    let nearend = try session.start(nearendProgram, ["--headless"])
    try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
    func run(_ arguments: String...) throws -> ToolResult { try session.nearend(arguments) }
    func value(_ name: String) throws -> String { try run("get", name).output }
    #expect(try run("set", "agc", "off").succeeded)
    let none = "there is no preset; 'nearend preset save NAME' saves the settings of the nearend that runs\n"
    #expect(try run("preset", "list").output == none)
    #expect(try run("preset", "list", "--json").output.filter { !$0.isWhitespace } == "[]")
    let saved = try run("preset", "save", "headset")
    #expect(saved.succeeded && saved.output.hasSuffix("/presets/headset.toml\n"), "\(saved)")
    #expect(try run("set", "agc", "on").succeeded && run("preset", "save", "desk").succeeded)
    #expect(try run("preset", "load", "headset").succeeded)
    #expect(try value("agc") == "false\n")
    #expect(try run("status").output.contains("preset      headset\n"))
    #expect(try run("preset", "list").output == "desk  as by default\nheadset (loaded)  voiceProcessingEnableAGC false\n")
    #expect(try run("preset", "list", "--json").output.contains("\"isLoaded\" : true"))
    try session.wait(for: "what is remembered") {
      try run("config", "show").output.contains(/voiceProcessingEnableAGC = false +# preset headset\n/)
    }
    let unknown = try run("preset", "load", "hedset")
    #expect(unknown.exit == .status(1) && unknown.errors.contains("there is no preset 'hedset'; there are: desk, headset"), "\(unknown)")
    #expect(try run("preset", "save", "a b").exit == .status(64))
    #expect(try run("preset", "load", "desk").succeeded)
    try write("[preset.wrong]\nagc = false\nspeaker = \"\(SimulatedDevice.microphone.name)\"\n")
    let wrong = try run("preset", "load", "wrong")
    #expect(wrong.exit == .status(1) && wrong.errors.contains("nothing of wrong is set"), "\(wrong)")
    #expect(wrong.errors.contains("nearend.toml:3: speaker cannot be"), "\(wrong)")
    #expect(try value("agc") == "true\n")

    try write("[device.\"bluez_output.*\"]\npreset = \"headset\"\n")
    #expect(nearend.says("nearend.toml applied"))
    #expect(try value("agc") == "true\n")
    #expect(try run("set", "speaker", "bluez_output.headset").succeeded)
    try session.wait(for: "the headset's preset") { try value("agc") == "false\n" }
    #expect(
      try run("config", "show").output.contains(/AGC = false +# nearend.toml:2, device "bluez_output.\*", preset headset\n/))
    let used = try run("preset", "remove", "headset")
    #expect(used.exit == .status(1) && used.errors.contains("uses preset 'headset' for the device"), "\(used)")
    #expect(try run("preset", "remove", "desk").succeeded)
    #expect(try run("preset", "list").output.hasPrefix("headset"))

    nearend.process.signal(SIGTERM)
    #expect(nearend.process.wait() == .status(0))
    #expect(try run("preset", "list").output.hasPrefix("headset"), "of the files, while none runs")
    #expect(try run("preset", "load", "headset").exit == .status(69))
    try write("")
    #expect(try run("preset", "remove", "headset").succeeded && run("preset", "list").output == none)
    #expect(try run("config", "check").succeeded)
    try "ns = 3\n".write(toFile: "\(folder)/presets/desk.toml", atomically: true, encoding: .utf8)
    let checked = try run("config", "check")
    #expect(checked.exit == .status(65) && checked.output.hasSuffix("nearend.toml is valid.\n"), "\(checked)")
    #expect(checked.errors.contains("preset 'desk' cannot be loaded: \(folder)/presets/desk.toml:1: ns cannot be '3'"))
  }
}
