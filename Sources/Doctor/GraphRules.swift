import Glibc
import Platform
import SessionModel

/// Returns whether a dotted version is `wanted` or later.
private func isVersion(_ version: String, atLeast wanted: Int...) -> Bool {
  !version.split(separator: ".").map { Int($0) ?? 0 }.lexicographicallyPrecedes(wanted)
}

func daemonFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let graph = facts.graph else {
    return [
      Finding(
        "daemon", .harm, facts.asksDaemon ? "no PipeWire daemon answers" : "the PipeWire daemon cannot be asked",
        evidence: [facts.daemonProblem],
        remedy: facts.daemonRemedy
          ?? "start it, systemctl --user start pipewire wireplumber, or see why it stops: journalctl --user -u pipewire")
    ]
  }
  let version = graph.daemonVersion
  guard isVersion(version, atLeast: 0, 3, 65) else {
    return [
      Finding(
        "daemon", .harm, "PipeWire is too old", evidence: ["the daemon is PipeWire \(version), and nearend needs 0.3.65"],
        remedy: "use a newer PipeWire; Debian 12 has 0.3.65")
    ]
  }
  var known: [String] = []
  if !isVersion(version, atLeast: 1, 4) {
    known.append("a device that is suspended while it runs may leave a link without buffers; nearend makes such links anew")
  }
  if version == "1.4.2" { known.append("links of a device that was suspended are sometimes forgotten; nearend makes those anew") }
  if !isVersion(version, atLeast: 0, 3, 67) { known.append("a link cannot be made passive by its ports; nearend makes passive links") }
  return [Finding("daemon", .fine, "PipeWire \(version)", evidence: known)]
}

func sessionManagerFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let graph = facts.graph else { return [] }
  guard graph.hasSessionManager else {
    return [
      Finding(
        "session-manager", .harm, "no session manager runs: applications are linked with nothing, and there are no defaults",
        evidence: ["no client of the daemon has the metadata \"default\""],
        remedy: "systemctl --user start wireplumber, or see why it stops: journalctl --user -u wireplumber")
    ]
  }
  guard let version = facts.wirePlumber else { return [Finding("session-manager", .fine, "a session manager runs")] }
  guard !isVersion(version, atLeast: 0, 5) else { return [Finding("session-manager", .fine, "WirePlumber \(version)")] }
  return [
    Finding(
      "session-manager", .hint, "WirePlumber \(version) has known problems that are fixed in 0.5",
      evidence: [
        "a PulseAudio stream that begins while WirePlumber ends silences all later ones until it ends",
        "one that is restarted while nearend or another virtual device is there links no program, until PipeWire is restarted, too",
        "a stream that targets nearend by name may keep following the default after nearend was the default; nearend moves it back",
      ], remedy: "if applications stay silent after WirePlumber has ended, restart pipewire-pulse: systemctl --user restart pipewire-pulse")
  ]
}

func quantumFindings(_ facts: DoctorFacts) -> [Finding] {
  // While no cycle runs, none is lost: what counts is the interruption, which is told by itself.
  guard let graph = facts.status?.graph, graph.cycles > 0, facts.status?.session.interruption?.reason != .frozen else { return [] }
  let forced = facts.graph?.forcedQuantum ?? 0
  let recent = graph.recent
  var evidence = [
    "\(recent.lost) of \(recent.run + recent.lost) cycles of the last three minutes lost, at \(graph.quantum) frames and \(graph.rate) Hz, "
      + "driven by \(graph.driver)",
    "\(graph.xruns) lost since the start",
  ]
  evidence.append("nearend takes \(percent(graph.busyRatio, 1)) of a cycle, at most \(percent(graph.busyRatioPeak, 1)) in the last second")
  if forced > 0 { evidence.append("somebody forces the quantum: clock.force-quantum is \(forced)") }
  guard recent.lost > 0, recent.lostShare > 1e-4 || graph.busyRatioPeak > 0.8 else {
    return [Finding("quantum", .fine, "\(graph.quantum) frames at \(graph.rate) Hz, \(recent.lost) cycles lost", evidence: evidence)]
  }
  let isStalled = recent.stalled * 2 > recent.lost
  if isStalled { evidence.append("\(recent.stalled) of them ten or more in a row: the whole graph stood still") }
  return [
    Finding(
      "quantum", recent.lostShare > 1e-3 && recent.lost >= 10 ? .harm : .hint, "cycles are lost, which crackles", evidence: evidence,
      remedy: remedyForLostCycles(graph, isStalled: isStalled, isForced: forced > 0))
  ]
}

private func remedyForLostCycles(_ graph: GraphStatus, isStalled: Bool, isForced: Bool) -> String {
  if graph.busyRatio > 0.5 { return "nearend itself needs too much of each cycle: nearend set aec webrtc takes less" }
  if isStalled || graph.quantum >= longestAdvised {
    return "see who holds the graph up: pw-top counts errors (ERR) of each node; a longer quantum does not help"
  }
  if isForced { return "force none: pw-metadata -n settings 0 clock.force-quantum 0" }
  return "use a longer quantum: pw-metadata -n settings 0 clock.min-quantum \(min(longestAdvised, max(512, graph.quantum * 2)))"
}

/// Frames of the longest quantum that helps against load: one longer is late for another reason.
private let longestAdvised = 2_048

func loopFindings(_ facts: DoctorFacts) -> [Finding] {
  let loops = facts.status?.graph.loops ?? []
  guard !loops.isEmpty else { return [] }
  return [
    Finding(
      "loop", .harm, "a program plays nearend's sound back into nearend: what it plays into is cut off, or all sound would stop",
      evidence: loops, remedy: "end it, or let it play into the real speaker: there you hear yourself as others do")
  ]
}

func deviceFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let graph = facts.graph else { return [] }
  var findings: [Finding] = []
  for (name, end) in [(graph.defaultSink, "speaker"), (graph.defaultSource, "microphone")] {
    guard graph.hasSessionManager else { continue }
    if let name, let node = graph.node(named: name) {
      // A session without a microphone has the monitor of a speaker as its default source.
      if end == "microphone" && node.mediaClass.hasPrefix("Audio/Sink") {
        findings.append(noDevice(end, because: "the session's default is what the speaker \(name) plays"))
      } else if name == dummyOutput {
        findings.append(noDevice(end, because: "the session's default is \(name), which is heard nowhere"))
      } else {
        findings.append(Finding("default-\(end)", .fine, "the default \(end) is \(name)"))
      }
    } else {
      findings.append(
        Finding(
          "default-\(end)", .harm, "there is no default \(end)",
          evidence: [name.map { "the session's default is \($0), which is not there" } ?? "the session manager names none"],
          remedy: "plug one in or choose one: wpctl status, wpctl set-default <id>"))
    }
  }
  let microphone = facts.status?.route.microphone?.name ?? graph.defaultSource
  if let node = graph.node(named: microphone) { findings += inputFindings(node) }
  guard let status = facts.status else { return findings }
  for (direction, end, device) in [
    (Device.Direction.input, "microphone", status.route.microphone), (.output, "speaker", status.route.speaker),
  ] {
    // The session's default may be nearend's own device, which stays when the real one has gone.
    let isKnown =
      status.session.interruption?.reason == .noDevice || findings.contains { $0.id == "default-\(end)" && $0.severity == .harm }
    if device == nil, !isKnown { findings.append(noDevice(end, because: "nearend has none to use")) }
    if let missing = status.route.missingPick(direction) {
      findings.append(
        Finding(
          "picked-\(end)", .hint, "the chosen \(end) is not available", evidence: ["\(missing) is chosen"],
          remedy: "plug it in, or follow the default again: nearend set \(end) ''"))
    }
    for port in status.route.current[direction] { findings += portFindings(port, end, graphRate: status.graph.rate) }
  }
  return findings
}

/// The name of the sink that a session without a speaker gets.
private let dummyOutput = "auto_null"

private func noDevice(_ end: String, because evidence: String) -> Finding {
  Finding(
    "default-\(end)", .harm, "there is no \(end)", evidence: [evidence],
    remedy: "plug one in, or see why its card has none: wpctl status")
}

/// Two inputs are what a stereo microphone has, and lose 6 dB at most.
private func inputFindings(_ microphone: GraphSurvey.Node) -> [Finding] {
  guard microphone.outputs > 2 else { return [] }
  let loss = fixed(20 * log10(Double(microphone.outputs)), 0)
  return [
    Finding(
      "many-inputs", .hint, "the microphone has \(microphone.outputs) inputs, which are mixed: a voice on one of them is \(loss) dB lower",
      evidence: ["\(microphone.name) has \(microphone.outputs) ports; nearend takes their mean"],
      remedy: "choose a profile of it with fewer inputs, or make a microphone of one: pw-loopback -C \(microphone.name) "
        + "--capture-props='audio.position=[AUX0] stream.dont-remix=true' "
        + "--playback-props='media.class=Audio/Source node.name=one-input audio.position=[MONO]', then nearend set microphone one-input")
  ]
}

private func portFindings(_ port: RoutePort, _ end: String, graphRate: Int) -> [Finding] {
  let rate = port.rate.map { ["the device itself runs at \($0) Hz"] } ?? []
  if port.portType == .bluetoothHFP {
    return [
      Finding(
        "bluetooth", .hint, "the \(end) is a Bluetooth headset in its call profile (HFP): mono, with telephone bandwidth",
        evidence: [port.name] + rate,
        remedy:
          "for full bandwidth, select another microphone, so that the headset stays in its music profile: nearend set microphone <name>")
    ]
  }
  guard let device = port.rate, graphRate > 0, device != graphRate else { return [] }
  return [
    Finding(
      "resampling", .hint, "the \(end)'s sound is resampled",
      evidence: ["\(port.name) runs at \(device) Hz and the graph at \(graphRate) Hz"],
      remedy: device < 44_100
        ? "a better device, or another profile of it, sounds better"
        : "let the graph have that rate: default.clock.allowed-rates in pipewire.conf")
  ]
}
