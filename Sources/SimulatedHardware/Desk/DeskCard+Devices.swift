/// The available devices. Names, priorities and indices are those that PipeWire 0.3.65 and WirePlumber 0.4.13 give to such hardware.
extension DeskCard {
  /// Returns the card of a kind, off and with empty jacks.
  package static func make(_ kind: Kind) -> DeskCard {
    switch kind {
    case .laptop: laptop
    case .usb: usbHeadset
    case .hdmi: hdmi
    case .bluetooth: bluetoothHeadset
    case .interface: audioInterface
    }
  }

  /// A laptop: a loudspeaker and a microphone in the lid, and a jack for headphones or a headset. One sink and one source; the jack changes
  /// their active routes.
  package static let laptop = DeskCard(
    .laptop, name: "alsa_card.pci-0000_00_1f.3", description: "Built-in Audio",
    properties: [
      "device.api": "alsa", "device.bus": "pci", "device.form-factor": "internal", "device.nick": "HDA Intel PCH",
      "device.bus-path": "pci-0000:00:1f.3", "device.icon-name": "audio-card-analog-pci", "api.alsa.card.name": "HDA Intel PCH",
    ],
    profiles: [
      .off,
      analog(card: "pci-0000_00_1f.3", microphone: "analog-stereo", ["FL", "FR"]),
    ],
    routes: [
      DeskRoute("analog-input-internal-mic", "Internal Microphone", .input, .mic, priority: 8_900, devices: [0], profiles: [1]),
      DeskRoute(
        "analog-input-headset-mic", "Headset Microphone", .input, .headset, priority: 8_800, availability: .no, devices: [0],
        profiles: [1]),
      DeskRoute("analog-output-speaker", "Speakers", .output, .speaker, priority: 10_000, devices: [1], profiles: [1]),
      DeskRoute(
        "analog-output-headphones", "Headphones", .output, .headphones, priority: 9_900, availability: .no, devices: [1], profiles: [1]),
    ])

  /// A USB headset, which is a sound card of its own.
  package static let usbHeadset = DeskCard(
    .usb, name: "alsa_card.usb-Simulated_USB_Headset-00", description: "USB Headset",
    properties: [
      "device.api": "alsa", "device.bus": "usb", "device.form-factor": "headset", "device.nick": "USB Headset",
      "device.bus-path": "pci-0000:00:14.0-usb-0:3:1.0", "device.icon-name": "audio-headset-analog-usb",
      "api.alsa.card.name": "USB Headset",
    ],
    profiles: [.off, analog(card: "usb-Simulated_USB_Headset-00", microphone: "mono-fallback", ["MONO"])],
    routes: [
      DeskRoute("analog-input-mic", "Microphone", .input, .mic, priority: 8_700, devices: [0], profiles: [1]),
      DeskRoute("analog-output-headphones", "Headphones", .output, .headphones, priority: 9_900, devices: [1], profiles: [1]),
    ])

  /// An interface with four inputs, of which the first two have microphones, and with loudspeakers.
  package static let audioInterface = audioInterface(inputs: 4)

  /// The same with another number of inputs.
  package static func audioInterface(inputs: Int) -> DeskCard {
    DeskCard(
      .interface, name: "alsa_card.usb-Simulated_Interface-00", description: "Audio Interface",
      properties: [
        "device.api": "alsa", "device.bus": "usb", "device.nick": "Audio Interface", "device.bus-path": "pci-0000:00:14.0-usb-0:4:1.0",
        "device.icon-name": "audio-card-analog-usb", "api.alsa.card.name": "Audio Interface",
      ],
      profiles: [.off, analog(card: "usb-Simulated_Interface-00", microphone: "multichannel-input", (0..<inputs).map { "AUX\($0)" })],
      routes: [
        DeskRoute("analog-input-linein", "Line In", .input, .mic, priority: 8_600, devices: [0], profiles: [1]),
        DeskRoute("analog-output-speaker", "Speakers", .output, .speaker, priority: 10_000, devices: [1], profiles: [1]),
      ])
  }

  /// A television. While unplugged its only profile is unavailable, so it has no node.
  package static let hdmi = DeskCard(
    .hdmi, name: "alsa_card.pci-0000_01_00.1", description: "HDMI Audio",
    properties: [
      "device.api": "alsa", "device.bus": "pci", "device.nick": "HDA NVidia", "device.bus-path": "pci-0000:01:00.1",
      "device.icon-name": "audio-card-analog-pci", "api.alsa.card.name": "HDA NVidia",
    ],
    profiles: [
      .off,
      DeskProfile(
        "output:hdmi-stereo", "Digital Stereo (HDMI) Output", priority: 5_900,
        nodes: [
          DeskNode(
            device: 0, .output, name: "alsa_output.pci-0000_01_00.1.hdmi-stereo", positions: ["FL", "FR"], priority: 696,
            properties: [
              "device.api": "alsa", "device.class": "sound", "device.profile.name": "hdmi-stereo",
              "device.profile.description": "Digital Stereo (HDMI)",
            ])
        ]),
    ],
    routes: [
      DeskRoute("hdmi-output-0", "HDMI / DisplayPort", .output, .hdmi, priority: 5_900, availability: .no, devices: [0], profiles: [1])
    ])

  /// A Bluetooth headset. Its sink has the same name in both profiles, and the same port type.
  package static let bluetoothHeadset = DeskCard(
    .bluetooth, name: "bluez_card.00_11_22_33_44_55", description: "Bluetooth Headset",
    properties: [
      "device.api": "bluez5", "device.bus": "bluetooth", "device.form-factor": "headset", "device.alias": "Bluetooth Headset",
      "device.icon-name": "audio-headset-bluetooth", "api.bluez5.address": "00:11:22:33:44:55", "api.bluez5.connection": "connected",
      "api.bluez5.class": "0x240404",
    ],
    profiles: [
      .off,
      DeskProfile(
        "a2dp-sink", "High Fidelity Playback (A2DP Sink)", priority: 16,
        nodes: [bluetooth(1, .output, profile: "a2dp-sink", codec: "sbc", positions: ["FL", "FR"], rate: 48_000)]),
      DeskProfile(
        "headset-head-unit", "Headset Head Unit (HSP/HFP)", priority: 1,
        nodes: [
          bluetooth(0, .input, profile: "headset-head-unit", codec: "msbc", positions: ["MONO"], rate: 16_000),
          bluetooth(1, .output, profile: "headset-head-unit", codec: "msbc", positions: ["MONO"], rate: 16_000),
        ]),
    ],
    routes: [
      DeskRoute("headset-output", "Headset", .output, .headset, availability: .yes, devices: [1], profiles: [1]),
      DeskRoute("headset-hf-input", "Handsfree", .input, .headset, availability: .yes, devices: [0], profiles: [2]),
      DeskRoute("headset-hf-output", "Handsfree", .output, .headset, availability: .yes, devices: [1], profiles: [2]),
    ])

  /// The name of the profile in which a Bluetooth headset's microphone works, over a SCO link.
  package static let headsetHeadUnit = "headset-head-unit"

  private static func analog(card: String, microphone: String, _ positions: [String]) -> DeskProfile {
    func properties(_ name: String, _ description: String) -> [String: String] {
      ["device.api": "alsa", "device.class": "sound", "device.profile.name": name, "device.profile.description": description]
    }
    let isStereo = positions.count == 2
    let words = isStereo ? "Analog Stereo" : positions.count == 1 ? "Mono" : "Multichannel"
    return DeskProfile(
      "output:analog-stereo+input:\(microphone)", isStereo ? "Analog Stereo Duplex" : "Analog Stereo Output + \(words) Input",
      priority: 6_565,
      nodes: [
        DeskNode(
          device: 0, .input, name: "alsa_input.\(card).\(microphone)", positions: positions, priority: isStereo ? 2_009 : 2_000,
          properties: properties(microphone, words)),
        DeskNode(
          device: 1, .output, name: "alsa_output.\(card).analog-stereo", positions: ["FL", "FR"], priority: 1_009,
          properties: properties("analog-stereo", "Analog Stereo")),
      ])
  }

  private static func bluetooth(
    _ device: Int, _ direction: DeskRoute.Direction, profile: String, codec: String, positions: [String], rate: Int
  ) -> DeskNode {
    let name = direction == .output ? "bluez_output" : "bluez_input"
    var properties = [
      "device.api": "bluez5", "api.bluez5.profile": profile, "api.bluez5.codec": codec, "api.bluez5.address": "00:11:22:33:44:55",
    ]
    if profile == headsetHeadUnit { properties["device.intended-roles"] = "Communication" }
    return DeskNode(
      device: device, direction, name: "\(name).00_11_22_33_44_55.\(device)", positions: positions, rate: rate,
      priority: direction == .output ? 1_010 : 2_010, properties: properties)
  }
}
