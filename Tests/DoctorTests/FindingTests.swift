import SessionModel
import TestSupport
import Testing

@testable import Doctor

/// A healthy call, and what may be wrong with it.
private func healthy() -> DoctorFacts {
  var graph = GraphSurvey()
  graph.daemonVersion = "1.4.7"
  graph.hasSessionManager = true
  (graph.defaultSink, graph.defaultSource) = ("speaker", "mic")
  graph.nodes = [
    .init(id: 1, name: "mic", mediaClass: "Audio/Source"), .init(id: 2, name: "speaker", mediaClass: "Audio/Sink"),
    .init(id: 3, name: "nearend", client: 90), .init(id: 4, name: "nearend.microphone", mediaClass: "Audio/Source/Virtual", client: 90),
    .init(id: 5, name: "nearend.speaker", mediaClass: "Audio/Sink", client: 90),
    .init(id: 6, name: "call-in", mediaClass: "Stream/Input/Audio", application: "Phone", client: 70),
    .init(id: 7, name: "call-out", mediaClass: "Stream/Output/Audio", application: "Phone", client: 70),
  ]
  graph.links = [link(1, 3), link(3, 4), link(4, 6), link(7, 5), link(5, 3), link(3, 2)]
  graph.nearendProcess = 4_711
  var status = Sample.active()
  (status.graph.driver, status.graph.quantum, status.graph.cycles, status.graph.xruns) = ("speaker", 1_024, 100_000, 0)
  status.route = RouteStatus(
    microphone: Device(name: "mic", description: "", direction: .input),
    speaker: Device(name: "speaker", description: "", direction: .output))
  var facts = DoctorFacts()
  facts.graph = graph
  facts.status = status
  facts.socket = .answers
  facts.socketPath = "/run/nearend/control.sock"
  facts.wirePlumber = "0.5.8"
  facts.realtime = .init(priority: 88, limit: 95)
  facts.hasRealtimeKit = true
  facts.library = "webrtc-audio-processing 1.3"
  return facts
}

private func link(_ from: UInt32, _ to: UInt32) -> GraphSurvey.Link { .init(from: from, to: to) }

@Suite("Findings")
struct FindingTests {
  @Test("O1: a healthy call has nothing but fine findings")
  func health() {
    let found = findings(in: healthy())
    #expect(found.allSatisfy { $0.severity == .fine && $0.remedy == nil }, "\(found)")
    #expect(
      found.map(\.id) == [
        "daemon", "session-manager", "nearend", "realtime", "quantum", "default-speaker", "default-microphone", "echo", "engine",
      ])
  }

  @Test("O1 V15: channels of the microphone that do not work are told, empty inputs of an interface are not")
  func channels() {
    var facts = healthy()
    facts.status?.route.microphoneInputs = [
      MicrophoneInput(channel: 1, name: "FL"), MicrophoneInput(channel: 2, name: "FR", use: .opposite),
    ]
    let found = findings(in: facts).filter { $0.id == "microphone-channels" }
    #expect(found.first?.evidence == ["1 of 2 heard: 1 FL; 2 FR in opposite phase"], "\(found)")
    facts.status?.route.microphoneInputs = (1...18).map { MicrophoneInput(channel: $0, use: $0 == 3 ? .heard : .silent) }
    #expect(!findings(in: facts).contains { $0.id == "microphone-channels" })
  }

  @Test("O1 R2: to be the default where smart filters are not understood is what auto asks for, and nothing to mend")
  func automaticDefault() {
    var facts = healthy()
    facts.status?.route.defaults = DefaultDeviceStatus(requested: .auto, effective: .on, reason: "it understands none")
    let found = findings(in: facts).filter { $0.id == "default-devices" }
    #expect(found.map(\.severity) == [.fine] && found.first?.evidence == ["it understands none"], "\(found)")
  }

  @Test("O1: of a graph that stands still the doctor tells that, and not that no cycle is lost")
  func stalled() {
    var facts = healthy()
    facts.status?.session.interruption = Interruption(reason: .frozen, duration: 5)
    let found = findings(in: facts)
    #expect(found.contains { $0.id == "interruption" && $0.severity == .harm && $0.summary.contains("stalled") }, "\(found)")
    #expect(!found.contains { $0.id == "quantum" }, "\(found)")
  }

  struct Case: Sendable {
    var name: String
    var id: String
    var severity: Finding.Severity
    var evidence: String
    var remedy: String
    var change: @Sendable (inout DoctorFacts) -> Void
  }

  static let cases: [Case] = [
    Case(name: "no daemon", id: "daemon", severity: .harm, evidence: "Host is down", remedy: "systemctl --user start pipewire") {
      ($0.graph, $0.daemonProblem) = (nil, "Host is down")
    },
    Case(name: "daemon not asked", id: "daemon", severity: .harm, evidence: "too few descriptors", remedy: "ulimit -n") {
      ($0.graph, $0.asksDaemon, $0.daemonProblem) = (nil, false, "PipeWire's loop cannot be made (too few descriptors)")
      $0.daemonRemedy = "raise the limit (ulimit -n 1024)"
    },
    Case(name: "nearend not asked", id: "socket", severity: .hint, evidence: "too few descriptors", remedy: "ulimit -n") {
      ($0.status, $0.socket) = (nil, .unasked(.descriptors))
    },
    Case(name: "old daemon", id: "daemon", severity: .harm, evidence: "0.3.48, and nearend needs 0.3.65", remedy: "newer") {
      $0.graph?.daemonVersion = "0.3.48"
    },
    Case(name: "no session manager", id: "session-manager", severity: .harm, evidence: "metadata", remedy: "wireplumber") {
      $0.graph?.hasSessionManager = false
    },
    Case(name: "WirePlumber 0.4", id: "session-manager", severity: .hint, evidence: "PulseAudio stream", remedy: "restart pipewire-pulse") {
      $0.wirePlumber = "0.4.13"
    },
    Case(name: "many inputs", id: "many-inputs", severity: .hint, evidence: "mic has 18 ports", remedy: "pw-loopback -C mic ") {
      $0.graph?.nodes[0].outputs = 18
    },
    Case(name: "bad file", id: "configuration", severity: .harm, evidence: "n.toml:3: x", remedy: "nearend config check") {
      $0.configurationProblems = ["n.toml:3: x"]
    },
    Case(name: "nobody", id: "nearend", severity: .hint, evidence: "no node of it", remedy: "start it: nearend") {
      ($0.status, $0.socket) = (nil, .absent)
      $0.graph?.nodes.removeAll { $0.name.hasPrefix("nearend") }
    },
    Case(
      name: "nobody, and no daemon", id: "nearend", severity: .hint, evidence: "nothing listens at /run/",
      remedy: "first let a PipeWire daemon answer, as said above; then start it: nearend"
    ) {
      ($0.status, $0.socket, $0.graph) = (nil, .absent, nil)
    },
    Case(name: "stale socket", id: "nearend", severity: .hint, evidence: "was left by a crashed nearend", remedy: "start it: nearend") {
      ($0.status, $0.socket) = (nil, .stale)
      $0.graph?.nodes.removeAll { $0.name.hasPrefix("nearend") }
    },
    Case(name: "elsewhere", id: "socket", severity: .hint, evidence: "process 4711 has the node nearend", remedy: "--socket") {
      ($0.status, $0.socket) = (nil, .absent)
    },
    Case(name: "silent socket", id: "socket", severity: .harm, evidence: "timed out", remedy: "start it again") {
      ($0.status, $0.socket) = (nil, .silent(reason: "timed out"))
    },
    Case(name: "interrupted", id: "interruption", severity: .harm, evidence: "for 5 s", remedy: "plug a microphone") {
      $0.status?.session.interruption = Interruption(reason: .noDevice, duration: 5)
    },
    Case(name: "leftovers", id: "leftovers", severity: .harm, evidence: "/r.json: the defaults", remedy: "start nearend once") {
      ($0.status, $0.socket, $0.leftovers, $0.leftoversPath) = (nil, .absent, ["the defaults"], "/r.json")
      $0.graph?.nodes.removeAll { $0.name.hasPrefix("nearend") }
    },
    Case(name: "no priority", id: "realtime", severity: .hint, evidence: "priorities up to 0", remedy: "install rtkit") {
      ($0.realtime, $0.hasRealtimeKit) = (.init(), false)
    },
    Case(name: "no priority, and late", id: "realtime", severity: .harm, evidence: "5 cycles lost", remedy: "journalctl -u rtkit") {
      $0.realtime = .init()
      $0.status?.graph.recent = .init(run: 1_000, lost: 5)
    },
    Case(
      name: "some lost", id: "quantum", severity: .hint, evidence: "20 of 30000 cycles of the last three minutes lost",
      remedy: "min-quantum 2048"
    ) {
      $0.status?.graph.recent = .init(run: 29_980, lost: 20)
    },
    Case(name: "many lost, forced", id: "quantum", severity: .harm, evidence: "clock.force-quantum is 64", remedy: "clock.force-quantum 0")
    {
      $0.status?.graph.recent = .init(run: 29_500, lost: 500)
      $0.graph?.forcedQuantum = 64
    },
    Case(name: "too slow", id: "quantum", severity: .harm, evidence: "takes 90.0 %", remedy: "aec webrtc") {
      $0.status?.graph.recent = .init(run: 29_500, lost: 500)
      $0.status?.graph.busyRatio = 0.9
    },
    Case(name: "a stalled graph", id: "quantum", severity: .harm, evidence: "160 of them ten or more in a row", remedy: "pw-top") {
      $0.status?.graph.recent = .init(run: 25, lost: 168, stalled: 160)
    },
    Case(name: "long already", id: "quantum", severity: .harm, evidence: "at 2048 frames", remedy: "pw-top") {
      $0.status?.graph.recent = .init(run: 4_000, lost: 100)
      $0.status?.graph.quantum = 2_048
    },
    Case(name: "no smart filters", id: "default-devices", severity: .harm, evidence: "understands none", remedy: "nearend set default auto")
    {
      $0.status?.route.defaults = DefaultDeviceStatus(requested: .smart, effective: .off, reason: "it understands none")
    },
    Case(
      name: "an equalizer with a target", id: "default-devices", severity: .harm, evidence: "the smart filter eq has", remedy: "take filter"
    ) {
      $0.status?.route.defaults = DefaultDeviceStatus(requested: .auto, effective: .smart, bypasses: ["eq"])
    },
    Case(name: "a loop", id: "loop", severity: .harm, evidence: "loop.out", remedy: "into the real speaker") {
      $0.status?.graph.loops = ["loop.out"]
    },
    Case(name: "a monitor", id: "default-microphone", severity: .harm, evidence: "what the speaker speaker plays", remedy: "plug one in") {
      $0.graph?.defaultSource = "speaker"
    },
    Case(name: "no microphone behind nearend's", id: "default-microphone", severity: .harm, evidence: "nearend has none", remedy: "plug") {
      $0.graph?.defaultSource = "nearend.microphone"
      $0.graph?.nodes.removeAll { $0.name == "mic" }
      $0.status?.route.microphone = nil
    },
    Case(name: "no speaker behind nearend's", id: "default-speaker", severity: .harm, evidence: "nearend has none", remedy: "plug one in") {
      $0.graph?.defaultSink = "nearend.speaker"
      $0.graph?.nodes.removeAll { $0.name == "speaker" }
      $0.status?.route.speaker = nil
    },
    Case(name: "no card", id: "default-speaker", severity: .harm, evidence: "auto_null, which is heard nowhere", remedy: "plug one in") {
      $0.graph?.defaultSink = "auto_null"
      $0.graph?.nodes.append(.init(id: 30, name: "auto_null", mediaClass: "Audio/Sink"))
    },
    Case(name: "turned down", id: "volume", severity: .harm, evidence: "nearend.microphone", remedy: "set-source-volume nearend.microphone")
    {
      $0.status?.route.volumes.nearendMicrophone.volume = 0.05
    },
    Case(name: "speaker muted", id: "speaker-muted", severity: .hint, evidence: "speaker", remedy: "pactl set-sink-mute speaker 0") {
      $0.status?.route.volumes.speaker.isMuted = true
    },
    Case(
      name: "no isolation", id: "mic-mode", severity: .hint, evidence: "voice isolation: it is not installed",
      remedy: "isolation install"
    ) {
      $0.status?.processing.micMode = .init(requested: .voiceIsolation, effective: .standard, reason: "it is not installed")
    },
    Case(name: "no default", id: "default-speaker", severity: .harm, evidence: "which is not there", remedy: "wpctl set-default") {
      $0.graph?.defaultSink = "gone"
    },
    Case(name: "no microphone", id: "default-microphone", severity: .harm, evidence: "names none", remedy: "wpctl") {
      $0.graph?.defaultSource = nil
    },
    Case(name: "missing pick", id: "picked-microphone", severity: .hint, evidence: "usb is chosen", remedy: "nearend set microphone ''") {
      $0.status?.route.pickedMicrophone = "usb"
    },
    Case(name: "headset", id: "bluetooth", severity: .hint, evidence: "16000 Hz", remedy: "select another microphone") {
      $0.status?.route.current.inputs = [RoutePort(name: "bluez", portType: .bluetoothHFP, rate: 16_000)]
    },
    Case(name: "other rate", id: "resampling", severity: .hint, evidence: "44100 Hz and the graph at 48000", remedy: "allowed-rates") {
      $0.status?.route.current.outputs = [RoutePort(name: "speaker", rate: 44_100)]
    },
    Case(name: "canceller idle", id: "other-canceller", severity: .hint, evidence: "node echo-cancel-source", remedy: "") {
      $0.graph?.nodes.append(.init(id: 20, name: "echo-cancel-source", mediaClass: "Audio/Source", client: 60))
    },
    Case(
      name: "canceller before", id: "other-canceller", severity: .harm, evidence: "echo-cancel-source is in the path",
      remedy: "unload-module"
    ) {
      $0.graph?.nodes.append(.init(id: 20, name: "echo-cancel-source", mediaClass: "Audio/Source", client: 60))
      $0.status?.route.microphone?.name = "echo-cancel-source"
    },
    Case(
      name: "denoiser behind", id: "other-canceller", severity: .harm, evidence: "easyeffects_source", remedy: "in EasyEffects"
    ) {
      $0.graph?.nodes += [
        .init(id: 20, name: "ee_rnnoise", description: "EasyEffects RNNoise", client: 60),
        .init(id: 21, name: "easyeffects_source", mediaClass: "Audio/Source", client: 60),
      ]
      $0.graph?.links.insert(link(4, 20))
    },
    Case(name: "records past", id: "recording-past", severity: .harm, evidence: "Browser (rec)", remedy: "Nearend Microphone") {
      $0.graph?.nodes.append(.init(id: 20, name: "rec", mediaClass: "Stream/Input/Audio", application: "Browser", client: 61))
      $0.graph?.links.insert(link(1, 20))
    },
    Case(name: "call plays past", id: "playback-past", severity: .hint, evidence: "Phone (call-out)", remedy: "Nearend Speaker") {
      $0.graph?.links.insert(link(7, 2))
    },
    Case(name: "music and mix", id: "playback-past", severity: .harm, evidence: "music", remedy: "everything") {
      $0.graph?.nodes.append(.init(id: 20, name: "music", mediaClass: "Stream/Output/Audio", client: 61))
      $0.graph?.links.insert(link(20, 2))
      $0.status?.route.reference = .mix
    },
    Case(name: "muted outside", id: "microphone-muted", severity: .harm, evidence: "mic", remedy: "set-mute") {
      $0.status?.route.volumes.microphone.isMuted = true
    },
    Case(name: "muted by a mixer", id: "microphone-muted", severity: .harm, evidence: "nearend.microphone", remedy: "pactl") {
      $0.status?.route.volumes.nearendMicrophone.isMuted = true
    },
    Case(name: "muted here", id: "microphone-muted", severity: .hint, evidence: "somebody talks", remedy: "nearend unmute") {
      $0.status?.session.isMicrophoneMuted = true
      $0.status?.session.isTalkingWhileMuted = true
    },
    Case(name: "silent", id: "microphone-silent", severity: .harm, evidence: "mic has a level of -120.0 dBFS", remedy: "switch") {
      $0.status?.processing.microphoneLevel = -120
    },
    Case(name: "echo", id: "echo", severity: .harm, evidence: "the echo is 3.0 dB lower", remedy: "nearend set aec webrtc") {
      $0.status?.processing.echo = .failing
      $0.status?.processing.erle = 1
      $0.status?.processing.echoReduction = 3
    },
    Case(name: "echo of the other engine", id: "echo", severity: .harm, evidence: "engine", remedy: "nearend set aec nearend") {
      $0.status?.processing.echo = .failing
      $0.status?.processing.engine = .webrtc
    },
    Case(name: "echo only hidden", id: "echo", severity: .hint, evidence: "ERLE 2.0 dB", remedy: "turn the speaker down") {
      $0.status?.processing.echo = .suppressing
      $0.status?.processing.erle = 2
      $0.status?.processing.echoReduction = 40
    },
    Case(name: "AEC off in a call", id: "echo", severity: .hint, evidence: "may hear themselves", remedy: "set echoCancellation on") {
      $0.status?.processing.components[1].isRequested = false
      $0.status?.route.current = Sample.active().route.current
    },
    Case(name: "another daemon", id: "daemon", severity: .harm, evidence: "which PIPEWIRE_REMOTE names", remedy: "unset PIPEWIRE_REMOTE") {
      ($0.graph, $0.daemonProblem) = (nil, "no PipeWire daemon at /run/foo, which PIPEWIRE_REMOTE names")
      $0.daemonRemedy = "unset PIPEWIRE_REMOTE"
    },
    Case(name: "late isolation", id: "mic-mode", severity: .hint, evidence: "too busy", remedy: "set micMode standard") {
      $0.status?.processing.micMode = .init(
        requested: .voiceIsolation, effective: .standard, reason: "this machine is too busy", isolator: "DeepFilterNet 3")
    },
    Case(name: "bypassed", id: "echo", severity: .hint, evidence: "bypassed", remedy: "nearend set bypass off") {
      $0.status?.processing.isBypassed = true
    },
    Case(name: "old engine in use", id: "engine", severity: .hint, evidence: "half duplex", remedy: "nearend set aec nearend") {
      $0.library = "webrtc-audio-processing 0.3"
      $0.status?.processing.engine = .webrtc
    },
  ]

  @Test("V7: without the library of the other engine nothing is wrong, and how to install it is said")
  func noOtherEngine() {
    var facts = healthy()
    (facts.library, facts.libraryRemedy) = ("", "apt install it")
    let finding = findings(in: facts).first { $0.id == "engine" }
    #expect(finding?.severity == .fine && finding?.summary.contains("not installed") == true, "\(String(describing: finding))")
    #expect(finding?.evidence.contains { $0.contains("apt install it") } == true)
    facts.library = nil
    #expect(!findings(in: facts).contains { $0.id == "engine" })
  }

  @Test("O1: each thing that is wrong is found with its evidence and what to do", arguments: cases.indices)
  func wrong(index: Int) {
    let wrong = Self.cases[index]
    var facts = healthy()
    wrong.change(&facts)
    let found = findings(in: facts)
    let finding = found.first { $0.id == wrong.id && $0.severity == wrong.severity }
    #expect(finding != nil, "\(wrong.name): \(found)")
    #expect(finding?.evidence.contains { $0.contains(wrong.evidence) } == true, "\(wrong.name): \(finding?.evidence ?? [])")
    #expect(
      wrong.remedy.isEmpty ? finding?.remedy == nil : finding?.remedy?.contains(wrong.remedy) == true,
      "\(wrong.name): \(finding?.remedy ?? "")")
    #expect(
      !findings(in: healthy()).contains { $0.id == wrong.id && $0.severity == wrong.severity }, "\(wrong.name) is found where all is well")
  }

  @Test("O1 V12: a mode that will not be heard is found while nobody records, too; one that nothing prevents is not")
  func idleMode() {
    func found(_ reason: String) -> Bool {
      var facts = healthy()
      facts.status?.session.state = .idle
      for index in ProcessingComponent.allCases.indices {
        facts.status?.processing.components[index].isEffective = false
        facts.status?.processing.components[index].reason = "nobody records"
      }
      facts.status?.processing.micMode = .init(requested: .voiceIsolation, active: nil, effective: nil, reason: reason)
      return findings(in: facts).contains { $0.id == "mic-mode" }
    }
    #expect(found("it is not installed") && !found("nobody records"))
  }

  @Test("O1 V12: what keeps all processing from being heard is no finding of the mic mode", arguments: ["nobody records", "bypassed"])
  func modeOfNothing(reason: String) {
    for mode in [MicMode.standard, .wideSpectrum, .voiceIsolation] {
      var facts = healthy()
      for index in facts.status?.processing.components.indices ?? 0..<0 {
        facts.status?.processing.components[index].isEffective = false
        facts.status?.processing.components[index].reason = reason
      }
      facts.status?.processing.micMode = .init(requested: mode, active: nil, effective: nil, reason: reason)
      #expect(!findings(in: facts).contains { $0.id == "mic-mode" }, "\(mode)")
    }
  }

  @Test("O1: cycles that were lost long ago, or with another quantum, are no finding")
  func formerLosses() {
    var facts = healthy()
    facts.status?.graph.xruns = 1_075
    facts.status?.graph.recent = .init(run: 30_000)
    #expect(findings(in: facts).first { $0.id == "quantum" }?.severity == .fine)
  }

  @Test("O1 V6: of WebRTC's engine the doctor tells one number, which is no ERLE")
  func echoOfWebRTC() {
    for engine in [EchoCanceller.nearend, .webrtc] {
      var facts = healthy()
      facts.status?.processing.engine = engine
      facts.status?.processing.echo = .cancelling
      facts.status?.processing.erle = 39.7
      facts.status?.processing.echoReduction = 39.7
      let evidence = findings(in: facts).first { $0.id == "echo" }?.evidence ?? []
      #expect(evidence.contains("the echo is 39.7 dB lower"), "\(evidence)")
      #expect(evidence.contains { $0.contains("ERLE") } == (engine == .nearend), "\(evidence)")
    }
  }

  @Test("O1: music on the real speaker, which the canceller hears, is no finding; nor is a microphone that nobody has open")
  func innocent() {
    var facts = healthy()
    facts.graph?.nodes.append(.init(id: 20, name: "music", mediaClass: "Stream/Output/Audio", client: 61))
    facts.graph?.links.insert(link(20, 2))
    facts.status?.graph.captureLinks = 0
    facts.status?.processing.microphoneLevel = -120
    #expect(findings(in: facts).allSatisfy { $0.severity == .fine })
  }
}
