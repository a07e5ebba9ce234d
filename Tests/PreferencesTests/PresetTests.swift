import Foundation
import SessionModel
import TestSupport
import Testing

@testable import Nearend
@testable import Preferences

/// What a call is refused with, in words; nil if it is not.
private func refusal<Refusal: Error & CustomStringConvertible>(_: Refusal.Type, _ call: () throws -> Void) -> String? {
  do { try call() } catch { return (error as? Refusal)?.description }
  return nil
}

@Suite("Presets")
struct PresetTests {
  @Test("O4: nearend.toml's presets have their values and lines; a device's preset holds where its table says nothing, and says so")
  func ofTheFile() throws {
    let configuration = try Configuration(
      text: """
        ns = true
        [preset.headset]
        micMode = "wideSpectrum"
        ns = false
        agc = false
        microphone = "usb"
        aec = false
        [device."bluez_*"]
        preset = "headset"
        agc = true
        """, path: "c.toml")
    let preset = try #require(configuration.preset("headset"))
    #expect(preset.settings[.micMode] == .init(value: "wideSpectrum", line: 3))
    #expect(preset.settings[.echoCanceller]?.value == "off")
    #expect(preset.place(of: .noiseSuppression, configuration: "c.toml") == "c.toml:4" && preset.place(configuration: "x") == "x:2")
    let layers = Layers(configuration: configuration)
    func said(_ setting: Setting) -> String {
      let (value, origin) = layers.resolved(setting, devices: ["bluez_input.1"])
      return "\(value.inTOML), \(origin.words)"
    }
    #expect(said(.noiseSuppression) == "false, nearend.toml:9, device \"bluez_*\", preset headset")
    #expect(said(.voiceProcessingEnableAGC) == "true, nearend.toml:10, device \"bluez_*\"")
    #expect(said(.echoCanceller) == "\"off\", nearend.toml:9, device \"bluez_*\", preset headset")
    #expect(said(.microphone) == "\"\", default", "what decides the device is left out")
    #expect(layers.resolved(.noiseSuppression).origin.words == "nearend.toml:1", "without such a device nothing of it holds")
  }

  @Test(
    "O4: a wrong preset is reported by line and key, with what is possible",
    arguments: [
      ("[preset.desk]\nmute = true\n", "c.toml:2: preset.\"desk\": a preset cannot set mute: it is never restored"),
      ("[preset.desk]\nvpio = false\n", "c.toml:2: preset.\"desk\": a preset cannot set vpio: it is locked"),
      ("[preset.desk]\nechoCancellation = true\n", "a preset cannot set echoCancellation: echoCanceller says the same"),
      ("[preset.desk]\naec = true\n", "c.toml:2: preset.\"desk\": aec cannot be 'true': give nearend, webrtc or off"),
      ("[preset.desk]\nmicVolume = 2\n", "c.toml:2: preset.\"desk\": micVolume cannot be '2': give a number from 0 to 1"),
      ("[preset.desk]\nmicMod = 2\n", "c.toml:2: preset.\"desk\": unknown setting 'micMod'. Did you mean 'micMode'"),
      ("[preset.desk]\nns = true\nnoiseSuppression = true\n", "noiseSuppression is given twice"),
      ("[preset.\"meeting room\"]\n", "c.toml:1: invalid preset name 'meeting room': give 1 to 64 letters"),
      ("preset = 1\n", "c.toml:1: preset is a table for each preset: give [preset.desk]"),
      ("[preset]\ndesk = 1\n", "c.toml:2: 'desk' is not a table under a preset's name: give [preset.desk]"),
      ("[device.x]\npreset = \"desk\"\n", "c.toml:2: device.\"x\": there is no preset 'desk'; 'nearend preset save' makes one"),
      ("[preset.desk]\n[device.x]\npreset = \"dsk\"\n", "there is no preset 'dsk'. Did you mean 'desk'?"),
      ("[device.x]\npreset = 1\n", "c.toml:2: device.\"x\": preset cannot be '1': give the name of a preset"),
    ])
  func wrong(text: String, problem: String) throws {
    let error = refusal(ConfigurationError.self) { _ = try Configuration(text: text, path: "c.toml") }
    #expect(error?.contains(problem) == true, "\(error ?? "")")
  }

  @Test("O7: saved, changed, loaded again: a file that names every setting; it is known which is loaded, also after the next start")
  func saved() throws {
    let kept = try Kept()
    let keeper = try #require(kept.keeper)
    #expect(kept.service.presets?.presets == [] && kept.service.snapshot().presets?.next == nil)
    try kept.service.set(.micMode, to: "wideSpectrum")
    try kept.service.set(.micVolume, to: .number(0.8))
    let path = try keeper.savePreset("desk")
    #expect(path == "\(kept.folder)/config/nearend/presets/desk.toml")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(
      text.contains("as it is.\nmicMode = \"wideSpectrum\"\nmicVolume = 0.8\n\n# As by default:\nbypassVoiceProcessing = false\n"),
      "\(text)")
    for other: Setting in [.microphoneMuted, .useVoiceProcessingIO, .usedPrograms, .notifications, .tray] {
      #expect(!text.contains(other.rawValue))
    }
    #expect(Setting.inPresets.allSatisfy { text.contains("\n\($0.rawValue) = ") })
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)

    try kept.service.set(.micMode, to: "standard")
    try kept.service.set(.noiseSuppression, to: false)
    try kept.service.set(.microphoneMuted, to: true)
    #expect(kept.service.snapshot().presets?.isChanged == true)
    _ = try keeper.savePreset("room")
    try keeper.loadPreset("desk")
    #expect(kept.service.value(of: .micMode) == "wideSpectrum" && kept.service.value(of: .noiseSuppression) == true)
    #expect(kept.service.value(of: .microphoneMuted) == true, "a mute stays")
    let list = keeper.presets
    #expect(list.map(\.name) == ["desk", "room"] && list.map(\.isLoaded) == [true, false] && list[0].isChanged == false)
    #expect(list[0].words == "desk (loaded)  micMode \"wideSpectrum\", micVolume 0.8", "\(list[0].words)")
    #expect(kept.service.snapshot().presets?.next == "room")
    #expect(kept.says("preset desk: noiseSuppression true, micMode \"wideSpectrum\""))

    let folder = kept.folder
    kept.stop()
    let remembered = try #require(try kept.remembered.read { Issue.record("\($0)") })
    let layers = Layers(configuration: try Configuration(path: kept.configuration), remembered: remembered)
    #expect(layers.resolved(.micMode).origin.words == "preset desk")
    #expect(layers.resolved(.highPassFilter).origin == .standard)
    let next = try Kept(folder: folder)
    #expect(next.has(.micMode, "wideSpectrum"))
    #expect(next.service.snapshot().presets?.loaded == "desk" && next.service.snapshot().presets?.isChanged == false)
    withExtendedLifetime(kept) {}
  }

  @Test("O7: a preset is loaded whole or not at all: what the service refuses is named with its place, and the rest is as it was")
  func whole() throws {
    let kept = try Kept("[preset.desk]\nns = false\nrecordingAlwaysPrepared = true\nmicVolume = 0.5\n[preset.own]\nmicVolume = 0.4\n")
    defer { kept.stop() }
    let keeper = try #require(kept.keeper)
    #expect(kept.service.session.endIfUnused())
    let error = refusal(PresetError.self) { try keeper.loadPreset("desk") }
    #expect(error?.contains("nearend.toml:3: recordingAlwaysPrepared cannot be changed") == true, "\(error ?? "")")
    #expect(kept.service.value(of: .noiseSuppression) == true && kept.service.value(of: .micVolume) == 1.0)
    #expect(kept.service.snapshot().presets?.loaded == nil)
    kept.service.perform(.loadPreset("dsk"))
    #expect(kept.says("preset: there is no preset 'dsk'; there are: desk, own"))
    kept.service.perform(.loadPreset("own"))
    #expect(kept.has(.micVolume, .number(0.4)))
  }

  @Test("O4: a preset's file that is wrong costs only itself: its place is said where it is to be loaded, and by whom it is used")
  func wrongFile() throws {
    let kept = try Kept()
    defer { kept.stop() }
    let keeper = try #require(kept.keeper)
    let path = try keeper.savePreset("desk")
    try "micVolume = 0.5\nns = 3\n".write(toFile: path, atomically: true, encoding: .utf8)
    let error = refusal(PresetError.self) { try keeper.loadPreset("desk") }
    #expect(
      error?.contains("\(path):2: ns cannot be '3': give true or false") == true, "\(error ?? "")")
    #expect(keeper.presets.first?.problem?.contains("desk.toml:2") == true)
    #expect(kept.service.snapshot().presets?.names == [])
    let used = refusal(ConfigurationError.self) {
      try kept.write("[device.x]\npreset = \"desk\"\n")
      _ = try Configuration(path: kept.configuration)
    }
    #expect(used?.contains("nearend.toml:2: device.\"x\": preset 'desk' cannot be used: \(path):2:") == true)
    try "micVolume = 0.5\n".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(eventually { kept.service.snapshot().presets?.names == ["desk"] }, "it is noticed once it is right")
    try keeper.loadPreset("desk")
    #expect(kept.service.value(of: .micVolume) == .number(0.5))
  }

  @Test("O4: names are checked; what nearend.toml has, or a device uses, is changed there; others are removed")
  func names() throws {
    let kept = try Kept("[preset.desk]\nns = false\n")
    defer { kept.stop() }
    let keeper = try #require(kept.keeper)
    for name in ["", "a b", "../x", "a/b", String(repeating: "x", count: 65)] {
      let error = refusal(PresetError.self) { _ = try keeper.savePreset(name) }
      #expect(error?.contains("invalid preset name") == true)
    }
    let held = refusal(PresetError.self) { _ = try keeper.savePreset("desk") }
    #expect(held?.contains("nearend.toml:1 says what preset 'desk' is") == true)
    _ = try keeper.savePreset("room")
    try kept.write("[preset.desk]\nns = false\n[device.x]\npreset = \"room\"\n")
    let used = refusal(PresetError.self) { try keeper.removePreset("room") }
    #expect(used?.contains("nearend.toml:4 uses preset 'room' for the device \"x\"") == true, "\(used ?? "")")
    try kept.write("[preset.desk]\nns = false\n")
    try keeper.removePreset("room")
    #expect(keeper.presets.map(\.name) == ["desk"])
    let part = refusal(PresetError.self) { try keeper.removePreset("desk") }
    #expect(part?.contains("remove it there") == true)
    #expect(throws: PresetError.self) { try keeper.removePreset("room") }
  }

  @Test("O4: no preset is saved that would not be read; files whose names are the same text, or none, cost only themselves")
  func folder() throws {
    let kept = try Kept()
    defer { kept.stop() }
    let keeper = try #require(kept.keeper)
    _ = try keeper.savePreset("p1")
    let saved = URL(fileURLWithPath: kept.configuration).deletingLastPathComponent().path + "/presets"
    for number in 2...100 { try "".write(toFile: "\(saved)/p\(number).toml", atomically: true, encoding: .utf8) }
    let error = refusal(PresetError.self) { _ = try keeper.savePreset("another") }
    #expect(error?.contains("there are 100 presets, and no more are read") == true, "\(error ?? "")")
    _ = try keeper.savePreset("p1")
    #expect(keeper.presets.count == 100)

    // é, precomposed and decomposed; bytes that are no UTF-8.
    let presets = PresetFolder(beside: kept.folder + "/nearend.toml")
    _ = try presets.write("desk", [(.noiseSuppression, false)])
    for name in [[0xC3, 0xA9], [0x65, 0xCC, 0x81], [0xFE], [0xFF]] as [[UInt8]] {
      let path = Array(presets.path.utf8) + [0x2F] + name + Array(".toml".utf8) + [0]
      let descriptor = open(path.map { CChar(bitPattern: $0) }, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      try #require(descriptor >= 0)
      close(descriptor)
    }
    let contents = presets.read()
    #expect(contents.presets.map(\.name) == ["desk"])
    #expect(!contents.faults.isEmpty && contents.faults.values.allSatisfy { $0.contains("invalid preset name") })
  }
}
