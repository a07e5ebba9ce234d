import Foundation
import Testing

@testable import SimulatedHardware

@Suite("Desk")
struct DeskTests {
  @Test("R3: a laptop's card is a device with profiles and routes, which the session manager sets up")
  func laptop() throws {
    let session = try deskSession(.laptop)
    let device = try #require(try DeskView(session).device(.laptop))
    #expect(device["device.api"] == "alsa")
    #expect(device["device.bus"] == "pci")
    #expect(device["device.form-factor"] == "internal")
    #expect(device.profile == "output:analog-stereo+input:analog-stereo")
    #expect(device.routes == ["analog-input-internal-mic": "mic", "analog-output-speaker": "speaker"])
    #expect(device.availability["analog-output-headphones"] == "no")
    try session.wait(forDefault: "sink", toBe: "alsa_output.pci-0000_00_1f.3.analog-stereo")
    try session.wait(forDefault: "source", toBe: "alsa_input.pci-0000_00_1f.3.analog-stereo")
    let node = try #require(try DeskView(session).nodes.first { $0["node.name"] == "alsa_output.pci-0000_00_1f.3.analog-stereo" })
    #expect(node["device.id"] == session.desk?.id(of: .laptop).map { "\($0)" })
    #expect(node["card.profile.device"] == "1")
  }

  @Test("R3: what is put into the jack becomes the active route of the same nodes, and what was active comes back")
  func jack() throws {
    let session = try deskSession(.laptop)
    let desk = try #require(session.desk)
    let before = try DeskView(session).nodeIds
    desk.set(.headset, isPlugged: true)
    try session.wait(for: "the headset's routes") {
      try DeskView(session).device(.laptop)?.routes == ["analog-input-headset-mic": "headset", "analog-output-headphones": "headphones"]
    }
    #expect(desk.acoustics.loudspeakers == [])
    #expect(try DeskView(session).device(.laptop)?.availability["analog-output-speaker"] == "no")
    desk.set(.headset, isPlugged: false)
    try session.wait(for: "the speaker's route") {
      try DeskView(session).device(.laptop)?.routes == ["analog-input-internal-mic": "mic", "analog-output-speaker": "speaker"]
    }
    #expect(desk.acoustics.loudspeakers == ["alsa_output.pci-0000_00_1f.3.analog-stereo"])
    #expect(try DeskView(session).nodeIds == before)
  }

  @Test("R3: a USB headset that is plugged in has nodes with the same names and other ids each time")
  func usb() throws {
    let session = try deskSession(.laptop)
    let desk = try #require(session.desk)
    desk.plug(.usb)
    try session.waitForDesk()
    let first = try #require(desk.id(of: .usb))
    let names = try DeskView(session).nodeNames
    #expect(names.contains("alsa_input.usb-Simulated_USB_Headset-00.mono-fallback"))
    #expect(try DeskView(session).device(.usb)?["device.bus"] == "usb")
    desk.unplug(.usb)
    try session.wait(for: "the nodes to go") { try !DeskView(session).nodeNames.contains { $0.contains("usb") } }
    // Takes the freed id.
    desk.plug(.bluetooth)
    try session.waitForDesk()
    desk.plug(.usb)
    try session.waitForDesk()
    #expect(desk.id(of: .usb) != first)
    #expect(try DeskView(session).nodeNames.isSuperset(of: names))
  }

  @Test("R3: a television is there once it is plugged in, and its node goes with it")
  func television() throws {
    let session = try deskSession(.laptop, .hdmi)
    let desk = try #require(session.desk)
    let name = "alsa_output.pci-0000_01_00.1.hdmi-stereo"
    #expect(try DeskView(session).device(.hdmi)?.profile == "off")
    #expect(try !DeskView(session).nodeNames.contains(name))
    desk.set(.television, isPlugged: true)
    try session.wait(for: "the television") { try DeskView(session).nodeNames.contains(name) }
    try session.wait(for: "its route") { try DeskView(session).device(.hdmi)?.routes == ["hdmi-output-0": "hdmi"] }
    #expect(desk.acoustics.loudspeakers.contains(name))
    desk.set(.television, isPlugged: false)
    try session.wait(for: "the television to go") { try !DeskView(session).nodeNames.contains(name) }
    #expect(try DeskView(session).device(.hdmi)?.profile == "off")
  }

  @Test("R3: any client can set a profile and a route, as pw-cli does; what cannot be is refused")
  func paramsFromOutside() throws {
    let session = try deskSession(.laptop, .bluetooth)
    let desk = try #require(session.desk)
    let headset = "\(try #require(desk.id(of: .bluetooth)))"
    _ = try session.run("pw-cli", "set-param", headset, "Profile", "{ index: 2 }")
    try session.wait(for: "the profile") { try DeskView(session).device(.bluetooth)?.profile == "headset-head-unit" }
    _ = try session.run("pw-cli", "set-param", headset, "Profile", "{ index: 7 }")
    let laptop = "\(try #require(desk.id(of: .laptop)))"
    let quiet = "{ index: 2, device: 1, props: { mute: true, channelVolumes: [ 0.5, 0.5 ] } }"
    _ = try session.run("pw-cli", "set-param", laptop, "Route", quiet)
    try session.wait(for: "the volume") { desk.card(.laptop)?.muted == [1] && desk.card(.laptop)?.volumes[1] == 0.5 }
    _ = try session.run("pw-cli", "set-param", laptop, "Route", "{ index: 3, device: 1 }")
    try session.wait(for: "the route") { desk.card(.laptop)?.activeRoute(.output)?.name == "analog-output-headphones" }
    #expect(desk.card(.bluetooth)?.activeProfile.name == "headset-head-unit")
    #expect(sessionError { try desk.select(profile: "a2dp", of: .bluetooth) }?.code == .invalidRequest)
    #expect(sessionError { try desk.select(route: "headset-output", of: .bluetooth) }?.code == .invalidRequest)
  }

  @Test("R1: a card that is renamed keeps the names that devices are remembered by")
  func rename() throws {
    let session = try deskSession(.usb)
    let names = try DeskView(session).nodeNames
    try session.desk?.rename(.usb, to: "Another Name")
    try session.wait(for: "the new description") {
      try DeskView(session).nodes.contains { $0["node.description"] == "Another Name Analog Stereo" }
    }
    try session.waitForDesk()
    #expect(try DeskView(session).nodeNames == names)
    #expect(try DeskView(session).device(.usb)?["device.description"] == "Another Name")
  }

  @Test("R5: the room hears the laptop's speaker, and no longer once headphones are in the jack")
  func echo() throws {
    var configuration = SessionConfiguration()
    configuration.clock = .timer
    let session = try deskSession(.laptop, configuration: configuration)
    let desk = try #require(session.desk)
    var options = RoomOptions(socket: session.socket, epoch: monotonicSeconds() + 1_000)
    options.cache = speechCache
    options.noise = -120
    options.followsUse = true
    options.acoustics = desk.acoustics
    let room = try Room(options)
    try room.start()
    desk.notify { room.place(desk.acoustics) }
    defer { desk.notify(nil) }
    let card = "pci-0000_00_1f.3.analog-stereo"
    let recorder = try session.spawn("pw-record", ["/dev/null"])
    let player = try session.spawn("pw-cat", ["-p", try Self.tone(in: session.path)])
    let air = PrivateSession.Link(from: "alsa_output.\(card):monitor_FL", to: "room.loudspeaker:input_FL")
    try session.wait(for: "the room to hear the speaker") { try session.links()[air] == "active" }
    try session.wait(for: "echo") { room.report.microphoneLevel > -60 }
    desk.set(.headphones, isPlugged: true)
    try session.wait(for: "the room to let go") { try session.links()[air] == nil }
    #expect(try session.links()[.init(from: "room.microphone:output_MONO", to: "alsa_input.\(card):input_FL")] == "active")
    try session.wait(for: "silence") { room.report.microphoneLevel < -90 }
    player.end()
    recorder.end()
  }

  /// Writes 30 s of noise to a file; returns its path.
  private static func tone(in folder: String) throws -> String {
    let count = 48_000 * 30
    func bytes<T: FixedWidthInteger>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    var generator = SeededGenerator(seed: 7)
    var file = Array("RIFF".utf8) + bytes(UInt32(36 + count * 2)) + Array("WAVEfmt ".utf8) + bytes(UInt32(16)) + bytes(UInt16(1))
    file += bytes(UInt16(1)) + bytes(UInt32(48_000)) + bytes(UInt32(96_000)) + bytes(UInt16(2)) + bytes(UInt16(16))
    file += Array("data".utf8) + bytes(UInt32(count * 2))
    for _ in 0..<count { file += bytes(Int16.random(in: -8_000...8_000, using: &generator)) }
    let path = "\(folder)/noise.wav"
    try Data(file).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("I6: cards go and come with the session manager, and with the daemon", arguments: [PrivateSession.Daemon.wireplumber, .pipewire])
  func restart(daemon: PrivateSession.Daemon) throws {
    let session = try deskSession(.laptop, .bluetooth)
    let names = try DeskView(session).nodeNames
    session.stop(daemon)
    if daemon == .wireplumber { try session.wait(for: "the cards to go") { try DeskView(session).nodeNames == [] } }
    try session.start()
    #expect(try DeskView(session).nodeNames == names)
    #expect(try DeskView(session).device(.bluetooth)?.profile == "a2dp-sink")
  }
}

/// A session whose hardware is a desk with these cards.
func deskSession(_ cards: DeskCard.Kind..., configuration: SessionConfiguration = .init()) throws -> PrivateSession {
  var configuration = configuration
  configuration.desk = cards.map { DeskCard.make($0) }
  configuration.runsPulse = false
  return try PrivateSession(configuration)
}

extension PrivateSession {
  /// Waits until the session manager has chosen a node as its "sink" or "source".
  func wait(forDefault direction: String, toBe name: String) throws {
    try wait(for: "the default \(direction) to be \(name)") {
      try run("pw-metadata", "-n", "default", "0", "default.audio.\(direction)").output.contains("\"\(name)\"")
    }
  }
}
