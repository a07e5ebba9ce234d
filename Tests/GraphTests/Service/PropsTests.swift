import Foundation
import Nearend
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// The settings as the filter node's Props, with standard tools: `pw-cli` sets them, `pw-dump` shows them.
  @Suite("Node's Props", .serialized)
  struct NodeProps {
    /// The filter node's parameters of this kind in `pw-dump`.
    private func shown(_ live: LiveGraph, _ parameter: String) throws -> [[String: Any]] {
      let text = try live.session.run("pw-dump", []).output
      let objects = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [[String: Any]] ?? []
      for object in objects where object["type"] as? String == "PipeWire:Interface:Node" {
        let info = object["info"] as? [String: Any]
        guard (info?["props"] as? [String: Any])?["node.name"] as? String == "nearend" else { continue }
        return (info?["params"] as? [String: Any])?[parameter] as? [[String: Any]] ?? []
      }
      return []
    }

    /// Every setting in `pw-dump`, as a value of the setting's kind.
    private func props(_ live: LiveGraph) throws -> [Setting: EventValue] {
      let list = try shown(live, "Props").first?["params"] as? [Any] ?? []
      var props: [Setting: EventValue] = [:]
      for index in stride(from: 0, to: list.count - 1, by: 2) {
        guard let setting = (list[index] as? String).flatMap(Setting.init(rawValue:)) else { continue }
        props[setting] =
          switch setting.kind {
          case .bool: (list[index + 1] as? Bool).map { .bool($0) }
          case .volume: (list[index + 1] as? Double).map { .number($0) }
          case .deviceName, .programNames, .channels, .choice, .switchedChoice: (list[index + 1] as? String).map { .string($0) }
          }
      }
      return props
    }

    private func values(_ live: LiveGraph) -> [Setting: EventValue] {
      Dictionary(uniqueKeysWithValues: Setting.allCases.map { ($0, live.service.value(of: $0)) })
    }

    /// Waits until `pw-dump` and nearend agree on all settings.
    private func waitForAgreement(_ live: LiveGraph, _ what: String) throws {
      try live.session.wait(for: "the Props to agree \(what)") { try props(live) == values(live) }
    }

    private func set(_ live: LiveGraph, _ props: String) throws {
      // By name, as in the documentation of the command line.
      let result = try live.session.run("pw-cli", "set-param", "nearend", "Props", props)
      #expect(result.succeeded && !result.errors.contains("Error"), "\(result.errors)")
    }

    private func messages(_ live: LiveGraph, _ level: LogEntry.Level = .warning) -> [String] {
      live.service.snapshot().log.filter { $0.level == level }.map(\.message)
    }

    @Test("O2: pw-dump shows every setting with its value, its kind, its range and what it does")
    func shows() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      try waitForAgreement(live, "at start")
      let infos = try shown(live, "PropInfo")
      #expect(infos.map { $0["name"] as? String } == Setting.allCases.map(\.rawValue))
      for (info, setting) in zip(infos, Setting.allCases) {
        #expect(info["description"] as? String == setting.summary)
        #expect(info["params"] as? Bool == true)
      }
      let volume = try #require(infos.first { $0["name"] as? String == "outputVolume" })
      let range = try #require(volume["type"] as? [String: Double])
      #expect(range == ["default": 1, "min": 0, "max": 1])
    }

    // Swift 6.0 crashes on a closure among a test's arguments.
    private static let switches = Setting.allCases.filter { $0.kind == .bool }

    @Test(
      "O2: pw-cli sets each setting; nearend and pw-dump agree on what came of it",
      arguments: switches)
    func setsSwitch(setting: Setting) throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let was = live.service.value(of: setting)
      let wanted: EventValue = was == .bool(true) ? .bool(false) : .bool(true)
      try set(live, "{ params = [ \"\(setting.rawValue)\" \(wanted == .bool(true)) ] }")
      try live.wait(for: "\(setting.rawValue)") { _ in live.service.value(of: setting) == wanted }
      try waitForAgreement(live, "after a change of \(setting.rawValue)")
    }

    @Test("O2, V10: the canceller is set by its word, and switched off and on like a switch")
    func setsCanceller() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      for (value, canceller) in [
        ("\"webrtc\"", "webrtc"), ("false", "off"), ("1", "webrtc"), ("\"nearend\"", "nearend"), ("\"off\"", "off"),
      ] {
        try set(live, "{ params = [ \"aec\" \(value) ] }")
        try live.wait(for: canceller) { _ in live.service.value(of: .echoCanceller) == .string(canceller) }
        try waitForAgreement(live, "after \(value)")
      }
    }

    @Test("O2, V12: the mode of the microphone is set by its word, under either name")
    func setsMicMode() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      for (name, mode) in [("micMode", MicMode.voiceIsolation), ("mode", .wideSpectrum), ("micMode", .standard)] {
        try set(live, "{ params = [ \"\(name)\" \"\(mode.rawValue)\" ] }")
        try live.wait(for: mode.rawValue) { $0.processing.micMode.requested == mode }
        try waitForAgreement(live, "after \(mode.rawValue)")
      }
      try set(live, #"{ params = [ "micMode" "quiet" ] }"#)
      try live.session.wait(for: "the reason in the log") { messages(live).contains { $0.contains("micMode cannot be 'quiet'") } }
      #expect(live.service.value(of: .micMode) == EventValue(MicMode.standard))
    }

    @Test("O2: several settings in one call, a number and a device's name among them; a switch may be written as on or 1")
    func setsSeveral() throws {
      let live = try LiveGraph(.twoSpeakers)
      defer { live.stop() }
      try set(
        live,
        #"{ params = [ "outputVolume" 0.25 "speaker" "hw.second" "bypass" "on" "voiceProcessingEnableAGC" 0 ] }"#)
      try live.wait(for: "the settings") { $0.processing.isBypassed && $0.route.speaker?.name == "hw.second" }
      try live.session.wait(for: "the last of them") { live.service.value(of: .voiceProcessingEnableAGC) == .bool(false) }
      #expect(live.service.value(of: .outputVolume) == .number(0.25))
      try waitForAgreement(live, "after several changes")
      try set(live, #"{ params = [ "speaker" "" "outputVolume" 1 ] }"#)
      try live.wait(for: "the default speaker") { $0.route.speaker?.name == "hw.speaker" }
      try waitForAgreement(live, "after the way back")
    }

    @Test("O2: a change by a command or by a program's call is in the Props at once")
    func tells() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      for on in [true, false] {
        live.service.perform(.set(.microphoneMuted, .bool(on)))
        try waitForAgreement(live, "after a command")
        try live.service.set(.highPassFilter, to: .bool(!on))
        try waitForAgreement(live, "after a call")
        live.service.perform(.set(.outputVolume, .number(on ? 0.5 : 1)))
        try waitForAgreement(live, "after another volume")
      }
    }

    @Test(
      "O2: a wrong value or an unknown name changes nothing, and the log says why",
      arguments: [
        (#"{ params = [ "noiseSuppression" "perhaps" ] }"#, "noiseSuppression cannot be 'perhaps'"),
        (#"{ params = [ "noiseSuppression" 7 ] }"#, "noiseSuppression cannot be"),
        (#"{ params = [ "noiseSuppression" null ] }"#, "noiseSuppression cannot be"),
        (#"{ params = [ "outputVolume" 1.5 ] }"#, "outputVolume cannot be"),
        (#"{ params = [ "outputVolume" -0.5 ] }"#, "outputVolume cannot be"),
        (#"{ params = [ "outputVolume" true ] }"#, "outputVolume cannot be"),
        (#"{ params = [ "microphone" 3 ] }"#, "microphone cannot be"),
        (#"{ params = [ "echoCancelation" false ] }"#, "unknown setting 'echoCancelation'"),
        (#"{ params = [ true false ] }"#, "unknown setting 'params'"),
        (#"{ params = [ "noiseSuppression" ] }"#, "noiseSuppression cannot be"),
        (#"{ mute = true }"#, "unknown setting 'mute'"),
      ])
    func refuses(props: String, reason: String) throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let before = values(live)
      try set(live, props)
      try live.session.wait(for: "the reason in the log") { messages(live).contains { $0.contains(reason) } }
      #expect(values(live) == before)
      try waitForAgreement(live, "after a refusal")
    }

    @Test("O2: valid settings are set despite invalid ones beside them")
    func setsTheRest() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      try set(live, #"{ params = [ "nonsense" 1 "noiseSuppression" false "outputVolume" 9 "microphoneMuted" true ] }"#)
      try live.session.wait(for: "the last") { live.service.value(of: .microphoneMuted) == .bool(true) }
      #expect(live.service.value(of: .noiseSuppression) == .bool(false))
      #expect(live.service.value(of: .outputVolume) == .number(1))
      #expect(messages(live).count { $0.hasPrefix("Props: ") } == 2)
      try waitForAgreement(live, "after a change in part")
    }

    @Test("O2, X4: any client of PipeWire mutes the microphone through the Props, and none unmutes it; the log says so")
    func onlyMutes() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      for name in ["microphoneMuted", "mute"] {
        live.service.perform(.set(.microphoneMuted, .bool(false)))
        try set(live, "{ params = [ \"\(name)\" false ] }")
        try set(live, "{ params = [ \"\(name)\" true ] }")
        try live.wait(for: "the mute") { $0.session.isMicrophoneMuted }
        #expect(messages(live, .info).contains { $0.contains("Props: microphoneMuted was set by a client of PipeWire") })
        try set(live, "{ params = [ \"\(name)\" false \"noiseSuppression\" false ] }")
        try live.wait(for: "the setting beside it") { _ in live.service.value(of: .noiseSuppression) == .bool(false) }
        try live.service.set(.noiseSuppression, to: .bool(true))
        #expect(live.service.value(of: .microphoneMuted) == .bool(true))
        try waitForAgreement(live, "after a refusal")
      }
      #expect(messages(live).count { $0.contains("they only mute") } == 2, "to write what is already so is no attempt")
    }

    @Test("O2, L6: an init-only setting stays while media is registered, the log says why, and it can be set afterwards")
    func locked() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      _ = try live.service.addRingSink(id: "alice", sampleRate: 48_000, channelCount: 1, bufferSize: 19_200)
      try set(live, #"{ params = [ "useVoiceProcessingIO" false ] }"#)
      let reason = SessionRefusal.locked(setting: "useVoiceProcessingIO").description
      try live.session.wait(for: "the reason") { messages(live).contains(reason) }
      #expect(live.service.value(of: .useVoiceProcessingIO) == .bool(true))
      #expect(messages(live).count { $0.contains("useVoiceProcessingIO") } == 1, "told once")
      try waitForAgreement(live, "while locked")
      live.service.removeSink(id: "alice")
      try set(live, #"{ params = [ "useVoiceProcessingIO" false ] }"#)
      try live.session.wait(for: "the change") { live.service.value(of: .useVoiceProcessingIO) == .bool(false) }
      try waitForAgreement(live, "when no longer locked")
    }

    @Test("O2: the Props are back when the daemon is")
    func comesBack() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      live.service.perform(.set(.bypassVoiceProcessing, true))
      try waitForAgreement(live, "before")
      live.session.stop(.pipewire)
      try live.wait(for: "the loss") { !$0.graph.isConnected }
      live.service.perform(.set(.outputVolume, 0.75))
      try live.session.start()
      try live.wait(forLinks: LiveGraph.fixedLinks)
      try waitForAgreement(live, "after the daemon's return")
      #expect(try props(live)[.bypassVoiceProcessing] == .bool(true))
      #expect(try props(live)[.outputVolume] == .number(0.75))
      try set(live, #"{ params = [ "bypassVoiceProcessing" false ] }"#)
      try live.wait(for: "the change") { !$0.processing.isBypassed }
    }
  }
}
