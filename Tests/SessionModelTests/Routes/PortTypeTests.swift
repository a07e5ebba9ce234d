import SessionModel
import Testing

@Suite("Types of ports")
struct PortTypeTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var what: String
    var facts: PortFacts
    var type: PortType
    var isPrivate = false

    init(_ what: String, _ facts: PortFacts, _ type: PortType, isPrivate: Bool = false) {
      (self.what, self.facts, self.type, self.isPrivate) = (what, facts, type, isPrivate)
    }
    var testDescription: String { what }
  }

  private static func pci(_ direction: Device.Direction, _ port: String, _ name: String = "", _ plugged: PortAvailability = .unknown)
    -> PortFacts
  {
    PortFacts(direction, portType: port, portName: name, availability: plugged, formFactor: "internal", bus: "pci", api: "alsa")
  }
  private static func bluetooth(_ direction: Device.Direction, _ profile: String?, _ port: String? = nil, form: String? = nil) -> PortFacts
  {
    PortFacts(direction, portType: port, formFactor: form, bus: "bluetooth", api: "bluez5", bluetoothProfile: profile)
  }

  static let rows: [Row] = [
    Row("a laptop's microphone", pci(.input, "mic", "analog-input-internal-mic"), .builtInMic),
    Row("an internal microphone that says it is there", pci(.input, "mic", "analog-input-internal-mic", .yes), .builtInMic),
    Row("a microphone in a jack", pci(.input, "mic", "analog-input-rear-mic", .yes), .headsetMic),
    Row("a headset's microphone in a jack", pci(.input, "headset", "analog-input-headset-mic", .yes), .headsetMic),
    Row("line in", pci(.input, "line", "analog-input-linein", .yes), .lineIn),
    Row("digital in", pci(.input, "spdif"), .lineIn),
    Row("a laptop's speaker", pci(.output, "speaker", "analog-output-speaker"), .builtInSpeaker),
    Row("headphones in a jack", pci(.output, "headphones", "analog-output-headphones", .yes), .headphones, isPrivate: true),
    Row("a headset in a jack", pci(.output, "headset", "analog-output-headset", .yes), .headphones, isPrivate: true),
    Row("an earpiece", pci(.output, "earpiece"), .builtInReceiver, isPrivate: true),
    Row("a handset", pci(.output, "handset"), .builtInReceiver, isPrivate: true),
    Row("line out", pci(.output, "line", "analog-output-lineout", .yes), .lineOut),
    Row("aux out", pci(.output, "aux"), .lineOut),
    Row("digital out", pci(.output, "spdif"), .lineOut),
    Row(
      "a television", PortFacts(.output, portType: "hdmi", portName: "hdmi-output-0", availability: .yes, bus: "pci", api: "alsa"), .hdmi),
    Row(
      "a screen at a DisplayPort",
      PortFacts(.output, portType: "hdmi", portName: "[Out] DisplayPort0", availability: .yes, bus: "pci", api: "alsa"), .displayPort),
    Row(
      "a screen at a DisplayPort, of which the port's type says nothing",
      PortFacts(.output, portType: "unknown", portName: "displayport-output-0", availability: .yes, bus: "platform", api: "alsa"),
      .displayPort),
    Row("HDMI without a Route", PortFacts(.output, bus: "pci", api: "alsa", deviceProfile: "hdmi-stereo"), .hdmi),
    Row("digital out without a Route", PortFacts(.output, bus: "pci", api: "alsa", deviceProfile: "iec958-stereo"), .lineOut),
    Row("a sound card of which nothing more is known", PortFacts(.output, bus: "pci", api: "alsa", deviceProfile: "analog-stereo"), .other),
    Row("an internal card without a Route: out", PortFacts(.output, formFactor: "internal", bus: "pci", api: "alsa"), .builtInSpeaker),
    Row("an internal card without a Route: in", PortFacts(.input, formFactor: "internal", bus: "pci", api: "alsa"), .builtInMic),
    Row(
      "a USB headset's phones", PortFacts(.output, portType: "headphones", formFactor: "headset", bus: "usb", api: "alsa"), .usbAudio,
      isPrivate: true),
    Row(
      "a USB headset whose port says nothing", PortFacts(.output, portType: "analog", formFactor: "headset", bus: "usb", api: "alsa"),
      .usbAudio, isPrivate: true),
    Row("a USB headset's microphone", PortFacts(.input, portType: "mic", formFactor: "headset", bus: "usb", api: "alsa"), .usbAudio),
    Row("USB speakers", PortFacts(.output, portType: "speaker", formFactor: "speaker", bus: "usb", api: "alsa"), .usbAudio),
    Row("a USB interface", PortFacts(.output, portType: "analog", bus: "usb", api: "alsa"), .usbAudio),
    Row("a webcam's microphone", PortFacts(.input, portType: "mic", formFactor: "webcam", bus: "usb", api: "alsa"), .usbAudio),
    Row("a Bluetooth headset for music", bluetooth(.output, "a2dp-sink", "headset", form: "headset"), .bluetoothA2DP, isPrivate: true),
    Row(
      "a Bluetooth headset for calls: out", bluetooth(.output, "headset-head-unit", "headset", form: "headset"), .bluetoothHFP,
      isPrivate: true),
    Row("a Bluetooth headset for calls: in", bluetooth(.input, "headset-head-unit", "headset", form: "headset"), .bluetoothHFP),
    Row("with a codec of its own", bluetooth(.input, "headset-head-unit-msbc", "headset"), .bluetoothHFP),
    Row("a phone that plays to us", bluetooth(.input, "a2dp-source", "phone"), .bluetoothA2DP),
    Row("a Bluetooth speaker", bluetooth(.output, "a2dp-sink", "speaker", form: "speaker"), .bluetoothA2DP),
    Row("a portable Bluetooth speaker", bluetooth(.output, "a2dp-sink", "portable", form: "portable"), .bluetoothA2DP),
    Row("a car over Bluetooth", bluetooth(.output, "a2dp-sink", "car", form: "car"), .bluetoothA2DP),
    Row("Bluetooth that does not say what it is", bluetooth(.output, "a2dp-sink", "bluetooth"), .bluetoothA2DP, isPrivate: true),
    Row("Bluetooth LE Audio", bluetooth(.output, "bap-sink", "headset"), .bluetoothLE, isPrivate: true),
    Row("Bluetooth before its profile is known: in", bluetooth(.input, nil), .bluetoothHFP),
    Row("Bluetooth before its profile is known: out", bluetooth(.output, nil, form: "headphone"), .bluetoothA2DP, isPrivate: true),
    Row("a loudspeaker in the network", PortFacts(.output, api: "raop", hasDevice: false), .airPlay),
    Row("a port in the network", PortFacts(.output, portType: "network"), .airPlay),
    Row("a car", PortFacts(.output, portType: "car"), .carAudio),
    Row("by its form: headphones", PortFacts(.output, formFactor: "headphone"), .headphones, isPrivate: true),
    Row("by its form: headset microphone", PortFacts(.input, formFactor: "headset"), .headsetMic),
    Row("by its form: a television", PortFacts(.output, formFactor: "tv"), .hdmi),
    Row("by its form: a hi-fi", PortFacts(.output, formFactor: "hifi"), .lineOut),
    Row("a virtual sink", PortFacts(.output, hasDevice: false), .virtual),
    Row("a virtual source", PortFacts(.input, hasDevice: false), .virtual),
    Row("a device that says nothing", PortFacts(.input), .other),
  ]

  @Test("R3: a port's type comes from how it is connected, its Route, its profile, and its form", arguments: rows)
  func type(_ row: Row) {
    #expect(PortType(row.facts) == row.type)
    #expect(row.facts.isPrivate == row.isPrivate)
  }

  @Test("T1, R6: a device's own rate is its node's, or its codec's in a call")
  func rates() {
    func rate(_ profile: String?, _ codec: String?, _ audioRate: String? = nil) -> Int? {
      PortFacts(.input, bus: "bluetooth", api: "bluez5", bluetoothProfile: profile, audioRate: audioRate, bluetoothCodec: codec).rate
    }
    #expect(rate("headset-head-unit", "msbc") == 16_000)
    #expect(rate("headset-head-unit", "cvsd") == 8_000)
    #expect(rate("headset-head-unit", nil, "16000") == 16_000)
    #expect(rate("headset-head-unit", nil) == nil)
    #expect(rate("a2dp-sink", "sbc") == nil)
    #expect(PortFacts(.output, bus: "usb", api: "alsa", audioRate: "44100").rate == 44_100)
    for nonsense in ["", "-1", "0", "1e9", "99999999999999999999"] { #expect(PortFacts(.output, audioRate: nonsense).rate == nil) }
  }

  @Test("R3: every port type occurs")
  func everyType() { #expect(Set(Self.rows.map(\.type)) == Set(PortType.allCases)) }

  @Test(
    "R3: programs read each type by its name",
    arguments: [
      ("a laptop's microphone", "builtInMic"), ("a headset's microphone in a jack", "headsetMic"), ("line in", "lineIn"),
      ("a laptop's speaker", "builtInSpeaker"), ("an earpiece", "builtInReceiver"), ("headphones in a jack", "headphones"),
      ("line out", "lineOut"), ("a television", "HDMI"), ("a screen at a DisplayPort", "displayPort"),
      ("a USB headset's phones", "usbAudio"), ("a Bluetooth headset for music", "bluetoothA2DP"),
      ("a Bluetooth headset for calls: out", "bluetoothHFP"), ("Bluetooth LE Audio", "bluetoothLE"),
      ("a loudspeaker in the network", "airPlay"), ("a car", "carAudio"),
    ])
  func name(what: String, name: String) throws {
    let row = try #require(Self.rows.first { $0.what == what })
    #expect(PortType(row.facts).rawValue == name)
  }
}
