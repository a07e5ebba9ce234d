import SessionModel
import Testing

@Suite("Route changes")
struct RouteChangeTests {
  private static let mic = RoutePort(name: "card.in", portType: .builtInMic, port: "mic", device: "card")
  private static let wiredMic = RoutePort(name: "card.in", portType: .headsetMic, port: "headset-mic", availability: .yes, device: "card")
  private static let speaker = RoutePort(name: "card.out", portType: .builtInSpeaker, port: "speaker", device: "card")
  private static let phones = RoutePort(
    name: "card.out", portType: .headphones, port: "headphones", availability: .yes, device: "card", isPrivate: true)
  private static let hdmi = RoutePort(name: "hdmi.out", portType: .hdmi, port: "hdmi", device: "hdmi")
  private static let usb = RoutePort(name: "usb.out", portType: .usbAudio, port: "headphones", device: "usb", isPrivate: true)
  private static let music = RoutePort(name: "bt.out", portType: .bluetoothA2DP, port: "a2dp", device: "bt", isPrivate: true)
  private static let call = RoutePort(name: "bt.out", portType: .bluetoothHFP, port: "hf-out", device: "bt", isPrivate: true)
  private static let callMic = RoutePort(name: "bt.in", portType: .bluetoothHFP, port: "hf-in", device: "bt")
  private static let early = RoutePort(name: "bt.out", portType: .bluetoothHFP, port: "a2dp", device: "bt", isPrivate: true)
  private static let unnamed = RoutePort(name: "bt.in", portType: .bluetoothHFP, device: "bt")

  private static func at(
    _ inputs: [RoutePort], _ outputs: [RoutePort], besides: [RoutePort] = [], without: [RoutePort] = [], chosen: String? = nil,
    isWaking: Bool = false
  ) -> RouteInstant {
    let there = Set((inputs + outputs + besides).map(\.id)).subtracting(without.map(\.id))
    return RouteInstant(
      route: RouteDescription(inputs: inputs, outputs: outputs), available: there, chosen: chosen.map { [.output: $0] } ?? [:],
      isWaking: isWaking)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var what: String
    var old: RouteInstant
    var new: RouteInstant
    var reason: RouteChangeReason?

    init(_ what: String, _ old: RouteInstant, _ new: RouteInstant, _ reason: RouteChangeReason?) {
      (self.what, self.old, self.new, self.reason) = (what, old, new, reason)
    }
    var testDescription: String { what }
  }

  static let rows: [Row] = [
    Row("nothing", at([mic], [speaker]), at([mic], [speaker]), nil),
    Row("a card tells its Route later than its node is there", at([unnamed], [call]), at([callMic], [call]), nil),
    Row("a headset in a call still has the Route of its music for a while", at([callMic], [early]), at([callMic], [call]), nil),
    Row("something else is plugged in and not used", at([mic], [speaker]), at([mic], [speaker], besides: [usb]), nil),
    Row("headphones in the jack", at([mic], [speaker]), at([mic], [phones], besides: [speaker]), .newDeviceAvailable),
    Row("a headset in the jack", at([mic], [speaker]), at([wiredMic], [phones], besides: [mic]), .newDeviceAvailable),
    Row(
      "headphones in the jack, where ALSA calls the speaker unplugged then", at([mic], [speaker]), at([mic], [phones]), .newDeviceAvailable),
    Row("headphones out of the jack", at([mic], [phones], besides: [speaker]), at([mic], [speaker]), .oldDeviceUnavailable),
    Row(
      "headphones out of the jack, where ALSA called the speaker unplugged", at([mic], [phones]), at([mic], [speaker]),
      .oldDeviceUnavailable),
    Row("a USB headset comes", at([mic], [speaker]), at([mic], [usb], besides: [speaker]), .newDeviceAvailable),
    Row("a USB headset goes", at([mic], [usb], besides: [speaker]), at([mic], [speaker]), .oldDeviceUnavailable),
    Row("the television takes over from headphones that go", at([mic], [phones]), at([mic], [hdmi]), .oldDeviceUnavailable),
    Row("picked", at([mic], [speaker], besides: [hdmi]), at([mic], [hdmi], besides: [speaker], chosen: "hdmi.out"), .override),
    Row("given up again", at([mic], [hdmi], besides: [speaker], chosen: "hdmi.out"), at([mic], [speaker], besides: [hdmi]), .override),
    Row(
      "picked, and it vanishes", at([mic], [usb], besides: [speaker], chosen: "usb.out"), at([mic], [speaker], chosen: "usb.out"),
      .oldDeviceUnavailable),
    Row(
      "it comes back", at([mic], [speaker], chosen: "usb.out"), at([mic], [usb], besides: [speaker], chosen: "usb.out"), .newDeviceAvailable
    ),
    Row("a headset from music to calls", at([mic], [music]), at([callMic], [call], besides: [mic]), .categoryChange),
    Row("a headset from calls to music", at([callMic], [call], besides: [mic]), at([mic], [music]), .categoryChange),
    Row("a headset comes", at([mic], [speaker]), at([mic], [music], besides: [speaker]), .newDeviceAvailable),
    Row("a headset goes during a call", at([callMic], [call], besides: [mic, speaker]), at([mic], [speaker]), .oldDeviceUnavailable),
    Row("the last device goes", at([], [speaker]), at([], []), .noSuitableRoute),
    Row("the microphone goes", at([mic], [speaker]), at([], [speaker]), .oldDeviceUnavailable),
    Row("the first device comes", at([], []), at([mic], [speaker]), .newDeviceAvailable),
    Row("asleep with headphones, awake without", at([mic], [phones]), at([mic], [speaker], isWaking: true), .wakeFromSleep),
    Row("awake, and nothing is left", at([mic], [phones]), at([], [], isWaking: true), .noSuitableRoute),
    Row(
      "picked just after waking up", at([mic], [speaker], besides: [hdmi]), at([mic], [hdmi], chosen: "hdmi.out", isWaking: true), .override
    ),
    Row("a headset with another profile after waking up", at([callMic], [call]), at([mic], [music], isWaking: true), .wakeFromSleep),
    Row("awake with the same", at([mic], [phones]), at([mic], [phones], isWaking: true), nil),
    Row(
      "another port of the same node", at([mic], [phones], besides: [speaker]), at([mic], [speaker], besides: [phones]),
      .routeConfigurationChange),
    Row("the session manager prefers another", at([mic], [speaker], besides: [hdmi]), at([mic], [hdmi], besides: [speaker]), .unknown),
  ]

  @Test("R4: the reason of a change follows from the states before and after", arguments: rows)
  func reason(_ row: Row) {
    let change = RouteChange(from: row.old, to: row.new)
    #expect(change?.reason == row.reason)
    if let change {
      #expect(change.previousRoute == row.old.route)
      #expect(change.route == row.new.route)
    }
  }

  @Test("R4: the table has every reason, and there are eight")
  func complete() {
    #expect(Set(Self.rows.compactMap(\.reason)) == Set(RouteChangeReason.allCases))
    #expect(RouteChangeReason.allCases.count == 8)
  }

  @Test("R4: other properties of a port are no change of route")
  func details() {
    var renamed = Self.speaker
    renamed.description = "Boxes"
    renamed.availability = .yes
    #expect(RouteChange(from: Self.at([], [Self.speaker]), to: Self.at([], [renamed])) == nil)
  }
}
