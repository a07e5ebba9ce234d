import SessionModel
import Testing

@testable import Preferences

@Suite("Layers")
struct LayerTests {
  private static func configuration(_ text: String) throws -> Configuration { try Configuration(text: text, path: "nearend.toml") }

  @Test("O4: the command line goes before the configuration, that before what is remembered, and that before the default")
  func order() throws {
    var layers = Layers()
    func noise() -> Bool { layers.resolved(.noiseSuppression).value == .bool(true) }
    #expect(noise() && layers.resolved(.noiseSuppression).origin == .standard)
    layers.remembered[.noiseSuppression] = .bool(false)
    #expect(!noise() && layers.resolved(.noiseSuppression).origin == .remembered)
    layers.configuration = try Self.configuration("# first\nns = true\n")
    #expect(noise() && layers.resolved(.noiseSuppression).origin == .configuration(line: 2))
    layers.commandLine[.noiseSuppression] = .bool(false)
    #expect(!noise() && layers.resolved(.noiseSuppression).origin == .commandLine)
  }

  @Test("O4: a device's table applies while that device is in use; of two tables, the later one")
  func devices() throws {
    let text = "agc = true\n[device.\"bluez_output.*\"]\nagc = false\n[device.'*.headset']\nhpf = false\nagc = true\n"
    let layers = Layers(configuration: try Self.configuration(text))
    func agc(_ devices: Set<String>) -> (EventValue, Layers.Origin) {
      let (value, origin) = layers.resolved(.voiceProcessingEnableAGC, devices: devices)
      return (value, origin)
    }
    #expect(agc([]) == (.bool(true), .configuration(line: 1)))
    #expect(agc(["alsa_output.pci", "bluez_output.00_11"]) == (.bool(false), .device(pattern: "bluez_output.*", line: 3)))
    #expect(agc(["bluez_output.headset"]) == (.bool(true), .device(pattern: "*.headset", line: 6)))
    #expect(layers.resolved(.highPassFilter, devices: ["usb.headset"]).value == .bool(false))
    #expect(layers.resolved(.highPassFilter, devices: ["usb"]).value == .bool(true))
  }

  @Test(
    "O4: the canceller's engine and its switch are one thing; the first layer that says either decides whether it is on",
    arguments: [
      ("", "webrtc", nil, "webrtc"), ("echoCancellation = false", "webrtc", nil, "off"), ("echoCancellation = true", "off", nil, "nearend"),
      ("echoCancellation = true", "webrtc", nil, "webrtc"), ("aec = \"webrtc\"", "off", nil, "webrtc"),
      ("aec = \"webrtc\"\nechoCancellation = false", nil, nil, "off"),
      ("echoCanceller = \"off\"\nechoCancellation = true", "webrtc", nil, "webrtc"),
      ("echoCancellation = false", nil, "nearend", "nearend"), ("aec = true", nil, nil, "nearend"), ("aec = false", "webrtc", nil, "off"),
    ] as [(String, String?, String?, String)])
  func canceller(file: String, remembered: String?, commandLine: String?, expected: String) throws {
    var layers = Layers(configuration: try Self.configuration(file))
    layers.remembered[.echoCanceller] = remembered.map { .string($0) }
    if let commandLine { layers.commandLine[.echoCanceller] = .string(commandLine) }
    #expect(layers.resolved(.echoCanceller).value == .string(expected))
    #expect(layers.resolved(.echoCancellation).value == .bool(expected != "off"))
  }

  @Test("O4: a participant begins with what the later rule for it says")
  func participants() throws {
    let text = "[participant.\"*\"]\ngain = 2\nmuted = true\n[participant.\"guest-*\"]\ngain = 0.5\n"
    let configuration = try Self.configuration(text)
    #expect(configuration.participant("guest-1") == (0.5, true))
    #expect(configuration.participant("alice") == (2, true))
    #expect(try Self.configuration("").participant("alice") == (nil, nil))
  }
}
