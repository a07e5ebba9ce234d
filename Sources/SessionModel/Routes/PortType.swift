/// The kind of a route's port (R3), by Apple's names (`AVAudioSession.Port`). [any]
///
/// `rawValue` is the name in snapshots, events and telemetry.
public enum PortType: String, Codable, Sendable, CaseIterable {
  // Inputs
  /// A microphone in the machine's own case.
  case builtInMic
  /// A microphone with a plug: of a wired headset, or in a jack that detects it.
  case headsetMic
  case lineIn

  // Outputs
  /// Headphones or a headset in a jack.
  case headphones
  /// A loudspeaker in the machine's own case.
  case builtInSpeaker
  /// A speaker held to the ear.
  case builtInReceiver
  /// Bluetooth's music profile: one direction, stereo.
  case bluetoothA2DP
  case hdmi = "HDMI"
  case displayPort
  case lineOut
  /// A network speaker (RAOP).
  case airPlay

  // Either
  /// Bluetooth's call profile: both directions, mono, over a SCO link.
  case bluetoothHFP
  /// Bluetooth LE Audio.
  case bluetoothLE
  case usbAudio
  case carAudio
  /// A node without a device: an effect, a loopback, a mixer.
  case virtual
  case other
}

/// Whether something is plugged in, from a route's `available`. [any]
public enum PortAvailability: String, Codable, Sendable, CaseIterable {
  /// There is no jack detection.
  case unknown
  case no
  case yes
}

/// The graph's facts about a port; any of them may be missing. [any]
package struct PortFacts: Sendable, Equatable {
  package var direction: Device.Direction
  /// `port.type` of the active Route: "speaker", "headphones", "mic", …
  package var portType: String?
  /// `name` of the active Route: "analog-output-speaker", …
  package var portName: String?
  package var availability: PortAvailability
  /// `device.form-factor`: "internal", "headset", …
  package var formFactor: String?
  /// `device.bus`: "pci", "usb", "bluetooth".
  package var bus: String?
  /// `device.api`: "alsa", "bluez5", "raop", …
  package var api: String?
  /// `api.bluez5.profile`: "a2dp-sink", "headset-head-unit", …
  package var bluetoothProfile: String?
  /// `device.profile.name`: "analog-stereo", "hdmi-stereo", "iec958-stereo", …
  package var deviceProfile: String?
  /// Whether there is a device behind the node.
  package var hasDevice: Bool
  /// `audio.rate` of the node, in Hz.
  package var audioRate: String?
  /// `api.bluez5.codec`: "cvsd", "msbc", "sbc", …
  package var bluetoothCodec: String?

  package init(
    _ direction: Device.Direction, portType: String? = nil, portName: String? = nil, availability: PortAvailability = .unknown,
    formFactor: String? = nil, bus: String? = nil, api: String? = nil, bluetoothProfile: String? = nil, deviceProfile: String? = nil,
    hasDevice: Bool = true, audioRate: String? = nil, bluetoothCodec: String? = nil
  ) {
    self.audioRate = audioRate
    self.bluetoothCodec = bluetoothCodec
    self.direction = direction
    self.portType = portType
    self.portName = portName
    self.availability = availability
    self.formFactor = formFactor
    self.bus = bus
    self.api = api
    self.bluetoothProfile = bluetoothProfile
    self.deviceProfile = deviceProfile
    self.hasDevice = hasDevice
  }
}

extension PortType {
  /// Derives the type. As with Apple, the connection takes precedence over the kind: a USB headset is `usbAudio`.
  package init(_ facts: PortFacts) {
    if facts.isBluetooth {
      self = Self.bluetooth(facts)
    } else if facts.bus == "usb" {
      self = .usbAudio
    } else if facts.api?.hasPrefix("raop") == true || facts.portType == "network" {
      self = .airPlay
    } else {
      self =
        Self.byPort(facts) ?? Self.byProfile(facts) ?? Self.byForm(facts.formFactor, facts.direction)
        ?? (facts.hasDevice ? .other : .virtual)
    }
  }

  private static func bluetooth(_ facts: PortFacts) -> PortType {
    guard let profile = facts.bluetoothProfile else { return facts.direction == .input ? .bluetoothHFP : .bluetoothA2DP }
    if profile.hasPrefix("bap") { return .bluetoothLE }
    return profile.hasPrefix("a2dp") ? .bluetoothA2DP : .bluetoothHFP
  }

  /// Derives the type from the port types of PipeWire's ALSA and BlueZ plugins.
  private static func byPort(_ facts: PortFacts) -> PortType? {
    let isInput = facts.direction == .input
    // Only names from a card's UCM profile tell DisplayPort from HDMI: ALSA's own Routes call both HDMI.
    if !isInput, facts.portName?.lowercased().contains("displayport") == true { return .displayPort }
    switch facts.portType {
    case "speaker": return .builtInSpeaker
    case "mic":
      // Routes of jacks with detection report availability; a built-in microphone has none.
      let isBuiltIn = facts.availability == .unknown || facts.portName?.contains("internal") == true
      return isBuiltIn ? .builtInMic : .headsetMic
    case "headset": return isInput ? .headsetMic : .headphones
    case "headphones": return .headphones
    case "handset", "earpiece", "phone": return isInput ? .builtInMic : .builtInReceiver
    case "hdmi", "tv", "video": return isInput ? .lineIn : .hdmi
    case "line", "aux", "spdif", "analog", "radio", "hifi": return isInput ? .lineIn : .lineOut
    case "car": return .carAudio
    case "usb": return .usbAudio
    default: return nil
    }
  }

  private static func byProfile(_ facts: PortFacts) -> PortType? {
    guard let profile = facts.deviceProfile else { return nil }
    if profile.hasPrefix("hdmi") { return facts.direction == .input ? .lineIn : .hdmi }
    if profile.hasPrefix("iec958") { return facts.direction == .input ? .lineIn : .lineOut }
    return nil
  }

  private static func byForm(_ form: String?, _ direction: Device.Direction) -> PortType? {
    let isInput = direction == .input
    switch form {
    case "internal", "computer", "portable": return isInput ? .builtInMic : .builtInSpeaker
    case "microphone", "webcam": return isInput ? .builtInMic : nil
    case "speaker": return isInput ? nil : .builtInSpeaker
    case "headset", "hands-free": return isInput ? .headsetMic : .headphones
    case "headphone": return isInput ? nil : .headphones
    case "handset": return isInput ? .builtInMic : .builtInReceiver
    case "tv": return isInput ? .lineIn : .hdmi
    case "hifi": return isInput ? .lineIn : .lineOut
    case "car": return .carAudio
    default: return nil
    }
  }
}

extension PortFacts {
  /// The device's own rate in Hz, if known: by the codec for a Bluetooth call.
  package var rate: Int? {
    if let rate = audioRate.flatMap({ Int($0) }), (1_000...1_000_000).contains(rate) { return rate }
    guard isBluetooth, let profile = bluetoothProfile, !profile.hasPrefix("a2dp"), !profile.hasPrefix("bap") else { return nil }
    switch bluetoothCodec {
    case "cvsd": return 8_000
    case "msbc": return 16_000
    case "lc3_swb", "lc3_a127": return 32_000
    default: return nil
    }
  }

  fileprivate var isBluetooth: Bool { api == "bluez5" || bus == "bluetooth" || bluetoothProfile != nil }

  /// Whether only the wearer hears it (R5): headphones and headsets, however connected. A Bluetooth device of unknown kind counts as one:
  /// most are, and continuing unheard does less harm than playing into a room.
  package var isPrivate: Bool {
    guard direction == .output else { return false }
    switch portType {
    case "headphones", "headset", "handset", "earpiece", "handsfree", "phone": return true
    case "speaker", "portable", "car", "hifi", "hdmi", "tv", "line", "aux", "spdif": return false
    default: break
    }
    switch formFactor {
    case "headset", "headphone", "hands-free", "handset": return true
    case nil, "bluetooth": return isBluetooth
    default: return false
    }
  }
}
