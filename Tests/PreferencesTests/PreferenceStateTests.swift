import SessionModel
import Testing

@testable import Preferences

/// What follows from an event, without a service: nearend has started with `file` and `remembered`, and `events` have been handled.
@Suite("Preference state")
struct PreferenceStateTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var file = ""
    var remembered: [Setting: EventValue] = [:]
    var commandLine: [Setting: EventValue] = [:]
    var devices: Set<String> = []
    var before: [PreferenceEvent] = []
    var event: PreferenceEvent
    var effects: [PreferenceEffect]

    var testDescription: String { name }
  }

  private static let headset = "bluez_output.1"
  private static let rule = "[device.\"bluez_output.*\"]\nvolume = 0.5\n"

  private static func configuration(_ text: String) -> Configuration {
    do { return try Configuration(text: text, path: "nearend.toml") } catch {
      Issue.record("\(error)")
      return Configuration()
    }
  }

  private static func remembered(_ settings: [Setting: EventValue]) -> Remembered {
    var remembered = Remembered()
    for (setting, value) in settings { remembered[setting] = value }
    return remembered
  }

  /// The values of all settings: the defaults but for these.
  private static func values(_ others: [Setting: EventValue] = [:]) -> [Setting: EventValue] {
    Dictionary(uniqueKeysWithValues: Layers.settings.map { ($0, others[$0] ?? $0.standard) })
  }

  private static func started(_ values: [Setting: EventValue], _ devices: Set<String> = []) -> PreferenceEvent {
    .started(Self.values(values), devices: devices)
  }

  private static func read(_ text: String, _ values: [Setting: EventValue] = [:]) -> PreferenceEvent {
    .configurationRead(configuration(text), Self.values(values))
  }

  private func check(_ one: Case) {
    let layers = Layers(
      commandLine: one.commandLine, configuration: Self.configuration(one.file), remembered: Self.remembered(one.remembered))
    var state = PreferenceState(layers: layers)
    for event in one.before { _ = state.handle(event) }
    #expect(state.handle(one.event) == one.effects)
  }

  // MARK: The start

  private static let starts: [Case] = [
    Case(
      name: "nothing differs", event: started([:]),
      effects: [.updateRemotes([], sends: []), .updateStages([], reportsChanges: false)]),
    Case(
      name: "what the file says is set where it does not hold yet", file: "ns = false\nvolume = 0.5\n",
      event: started([.noiseSuppression: false]),
      effects: [.set(.outputVolume, 0.5), .updateRemotes([], sends: []), .updateStages([], reportsChanges: false)]),
    Case(
      name: "a device's rule", file: rule, event: started([:], [headset]),
      effects: [.set(.outputVolume, 0.5), .updateRemotes([], sends: []), .updateStages([], reportsChanges: false)]),
  ]

  @Test("O4: at the start, the settings whose value does not hold yet are set", arguments: starts)
  func start(_ one: Case) { check(one) }

  // MARK: Somebody's changes

  private static let changes: [Case] = [
    Case(name: "the value that is known", before: [started([:])], event: .noticed(.outputVolume, 1.0), effects: []),
    Case(
      name: "another value", before: [started([:])], event: .noticed(.outputVolume, 0.3), effects: [.remember(.outputVolume, 0.3)]),
    Case(
      name: "less than single precision holds", remembered: [.outputVolume: 0.3], before: [started([.outputVolume: 0.3])],
      event: .noticed(.outputVolume, .number(0.30000001)), effects: []),
    Case(name: "mute is not remembered", before: [started([:])], event: .noticed(.microphoneMuted, true), effects: []),
    Case(
      name: "against the file", file: "volume = 0.5\n", before: [started([.outputVolume: 0.5])], event: .noticed(.outputVolume, 0.75),
      effects: [
        .remember(.outputVolume, 0.75), .remark("outputVolume is 0.75 for this run only: nearend.toml:1 says 0.5"),
      ]),
    Case(
      name: "against the command line", commandLine: [.outputVolume: 0.5], before: [started([.outputVolume: 0.5])],
      event: .noticed(.outputVolume, 0.75),
      effects: [
        .remember(.outputVolume, 0.75), .remark("outputVolume is 0.75 for this run only: the command line says 0.5"),
      ]),
    Case(
      name: "under a device's rule it is not remembered for others", file: rule, before: [started([.outputVolume: 0.5], [headset])],
      event: .noticed(.outputVolume, 0.75),
      effects: [
        .remark("outputVolume is 0.75 for this run only: nearend.toml:2, device \"bluez_output.*\" says 0.5")
      ]),
  ]

  @Test("O4: a value that is not the last known one is somebody's change; what overrules it at the next start is said", arguments: changes)
  func changed(_ one: Case) { check(one) }

  @Test("O4: a value that the service refuses is no change by somebody")
  func refused() {
    var state = PreferenceState(layers: Layers(configuration: Self.configuration("manual = true\n")))
    _ = state.handle(Self.started([:]))
    let refusal = state.handle(.refused(.manualAudioSessionManagement, stays: false, reason: "locked"))
    #expect(refusal == [.warn("locked; it stays false")])
    #expect(state.handle(.noticed(.manualAudioSessionManagement, false)).isEmpty)
  }

  // MARK: Devices

  private static let devices: [Case] = [
    Case(name: "the same devices", file: rule, before: [started([:])], event: .devicesChanged([], values()), effects: []),
    Case(
      name: "a device with a rule", file: rule, before: [started([:])], event: .devicesChanged([headset], values()),
      effects: [.set(.outputVolume, 0.5)]),
    Case(
      name: "without it, the value from before holds again", file: rule, before: [started([.outputVolume: 0.5], [headset])],
      event: .devicesChanged([], values([.outputVolume: 0.5])), effects: [.set(.outputVolume, 1.0)]),
    Case(
      name: "a change under the rule holds when the device is back", file: rule,
      before: [
        started([.outputVolume: 0.5], [headset]), .noticed(.outputVolume, 0.75), .devicesChanged([], values([.outputVolume: 0.75])),
      ],
      event: .devicesChanged([headset], values()), effects: [.set(.outputVolume, 0.75)]),
    Case(
      name: "a change that is reported late belongs to the devices from before", file: rule, before: [started([:])],
      event: .devicesChanged([headset], values([.outputVolume: 0.3])),
      effects: [.remember(.outputVolume, 0.3), .set(.outputVolume, 0.5)]),
    Case(
      name: "the microphone is never unmuted", before: [started([:])], event: .devicesChanged([headset], values([.microphoneMuted: true])),
      effects: []),
  ]

  @Test("O4: when a device comes or goes, what the file says for it holds, or what people have set while it was in use", arguments: devices)
  func device(_ one: Case) { check(one) }

  // MARK: Files

  private static let files: [Case] = [
    Case(name: "the same contents", file: "ns = false\n", before: [started([:])], event: read("ns = false\n"), effects: []),
    Case(
      name: "a setting", before: [started([:])], event: read("ns = false\n"),
      effects: [
        .set(.noiseSuppression, false), .updateRemotes([], sends: []), .reportConfiguration(["noiseSuppression false"]),
      ]),
    Case(
      name: "what it newly says takes precedence over a change", before: [started([:]), .noticed(.outputVolume, 0.3)],
      event: read("volume = 0.5\n", [.outputVolume: 0.3]),
      effects: [.set(.outputVolume, 0.5), .updateRemotes([], sends: []), .reportConfiguration(["outputVolume 0.5"])]),
    Case(
      name: "what it says as before does not", file: "volume = 0.5\n",
      before: [started([.outputVolume: 0.5]), .noticed(.outputVolume, 0.3)],
      event: read("# moved\nvolume = 0.5\nns = false\n", [.outputVolume: 0.3]),
      effects: [
        .set(.noiseSuppression, false), .updateRemotes([], sends: []), .reportConfiguration(["noiseSuppression false"]),
      ]),
    Case(
      name: "sinks come and go", file: "sinks = [\"alice\", \"bob\"]\n",
      before: [started([:])],
      event: read("sinks = [\"bob\", \"carol\"]\n"),
      effects: [.removeSink("alice"), .addSink("carol"), .updateRemotes([], sends: []), .reportConfiguration([])]),
    Case(
      name: "where the voice is sent", before: [started([:])], event: read("sends = [\"10.0.0.8:5004\"]\n"),
      effects: [.updateRemotes([], sends: ["10.0.0.8:5004"]), .reportConfiguration([])]),
    Case(
      name: "options and mute wait for the next start", before: [started([:])], event: read("glyphs = \"ascii\"\nmicrophoneMuted = true\n"),
      effects: [
        .updateRemotes([], sends: []), .reportConfiguration([]), .remark("glyphs: takes effect at the next start"),
        .remark("microphoneMuted: takes effect at the next start (a file never unmutes a running nearend)"),
      ]),
  ]

  @Test("O4: a changed file is applied where it says something else than before", arguments: files)
  func file(_ one: Case) { check(one) }

  private static let resets: [Case] = [
    Case(
      name: "the same contents", remembered: [.outputVolume: 0.3], before: [started([.outputVolume: 0.3])],
      event: .rememberedRead(remembered([.outputVolume: 0.3]), values([.outputVolume: 0.3])), effects: []),
    Case(
      name: "forgotten", remembered: [.outputVolume: 0.3], before: [started([.outputVolume: 0.3])],
      event: .rememberedRead(Remembered(), values([.outputVolume: 0.3])),
      effects: [.set(.outputVolume, 1.0), .reportReset([.outputVolume])]),
    Case(
      name: "a change of this run", before: [started([:]), .noticed(.outputVolume, 0.3)],
      event: .rememberedRead(Remembered(), values([.outputVolume: 0.3])),
      effects: [.set(.outputVolume, 1.0), .reportReset([.outputVolume])]),
    Case(
      name: "the file still says it", file: "volume = 0.5\n", remembered: [.outputVolume: 0.3], before: [started([.outputVolume: 0.5])],
      event: .rememberedRead(Remembered(), values([.outputVolume: 0.5])), effects: [.reportReset([.outputVolume])]),
    Case(
      name: "what this process has written is nobody's reset",
      before: [started([:]), .rememberedWritten(remembered([.outputVolume: 0.3]))],
      event: .rememberedRead(remembered([.outputVolume: 0.3]), values()), effects: []),
  ]

  @Test("O4: what another process has made forget is forgotten in this run, too", arguments: resets)
  func reset(_ one: Case) { check(one) }

  // MARK: Participants

  private static let guests = "[participant.\"guest-*\"]\ngain = 0.5\nmuted = true\n"

  private static let participants: [Case] = [
    Case(name: "nothing is said of it", event: .participantCame("alice"), effects: [.setMix("alice", ParticipantMix())]),
    Case(
      name: "the file's rule", file: guests, event: .participantCame("guest-1"),
      effects: [.setMix("guest-1", ParticipantMix(gain: 0.5, isMuted: true))]),
    Case(
      name: "a change is remembered", before: [.participantCame("alice")],
      event: .participantChanged("alice", ParticipantMix(gain: 2)), effects: [.rememberGain("alice", 2)]),
    Case(
      name: "its mute is not", before: [.participantCame("alice")],
      event: .participantChanged("alice", ParticipantMix(isMuted: true)), effects: []),
    Case(
      name: "what it was given is nobody's change", file: guests, before: [.participantCame("guest-1")],
      event: .participantChanged("guest-1", ParticipantMix(gain: 0.5, isMuted: true)), effects: []),
    Case(
      name: "it gets the gain back that somebody gave it",
      before: [.participantCame("alice"), .participantChanged("alice", ParticipantMix(gain: 2)), .participantLeft("alice")],
      event: .participantCame("alice"), effects: [.setMix("alice", ParticipantMix(gain: 2))]),
    Case(
      name: "the file goes before that", file: guests,
      before: [.participantCame("guest-1"), .participantChanged("guest-1", ParticipantMix(gain: 2)), .participantLeft("guest-1")],
      event: .participantCame("guest-1"), effects: [.setMix("guest-1", ParticipantMix(gain: 0.5, isMuted: true))]),
    Case(
      name: "a changed file concerns those present, of whom it says something else", file: guests,
      before: [started([:]), .participantCame("guest-1"), .participantCame("guest-2"), .participantLeft("guest-2")],
      event: read(""),
      effects: [.updateRemotes([], sends: []), .setMix("guest-1", ParticipantMix()), .reportConfiguration([])]),
  ]

  @Test("O4: a participant begins with what the file says, or with the gain that somebody gave it", arguments: participants)
  func participant(_ one: Case) { check(one) }
}
