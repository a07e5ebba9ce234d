import SessionModel

/// Returns whether a dotted version is `wanted` or later.
private func isVersion(_ version: String, atLeast wanted: Int...) -> Bool {
  !version.split(separator: ".").map { Int($0) ?? 0 }.lexicographicallyPrecedes(wanted)
}

func daemonFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let graph = facts.graph else {
    return [
      Finding(
        "daemon", .harm, "no PipeWire daemon answers", evidence: [facts.daemonProblem],
        remedy: "start it, systemctl --user start pipewire wireplumber, or see why it stops: journalctl --user -u pipewire")
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
        "a stream that targets nearend by name may keep following the default after nearend was the default; nearend moves it back",
      ], remedy: "if applications stay silent after WirePlumber has ended, restart pipewire-pulse: systemctl --user restart pipewire-pulse")
  ]
}

func quantumFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let graph = facts.status?.graph, graph.cycles > 0 else { return [] }
  let forced = facts.graph?.forcedQuantum ?? 0
  var evidence = [
    "\(graph.xruns) of \(graph.cycles) cycles lost, at \(graph.quantum) frames and \(graph.rate) Hz, driven by \(graph.driver)"
  ]
  evidence.append("nearend takes \(percent(graph.busyRatio, 1)) of a cycle, at most \(percent(graph.busyRatioPeak, 1)) in the last second")
  if forced > 0 { evidence.append("somebody forces the quantum: clock.force-quantum is \(forced)") }
  let share = Double(graph.xruns) / Double(graph.cycles)
  guard graph.xruns > 0, share > 1e-4 || graph.busyRatioPeak > 0.8 else {
    return [Finding("quantum", .fine, "\(graph.quantum) frames at \(graph.rate) Hz, \(graph.xruns) cycles lost", evidence: evidence)]
  }
  let remedy =
    graph.busyRatio > 0.5
    ? "nearend itself needs too much of each cycle: nearend set aec webrtc takes less"
    : forced > 0
      ? "force none: pw-metadata -n settings 0 clock.force-quantum 0"
      : "use a longer quantum: pw-metadata -n settings 0 clock.min-quantum \(min(8_192, max(512, graph.quantum * 2)))"
  return [
    Finding(
      "quantum", share > 1e-3 && graph.xruns >= 10 ? .harm : .hint, "cycles are lost, which crackles", evidence: evidence, remedy: remedy)
  ]
}

func deviceFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let graph = facts.graph else { return [] }
  var findings: [Finding] = []
  for (name, end) in [(graph.defaultSink, "speaker"), (graph.defaultSource, "microphone")] {
    guard graph.hasSessionManager else { continue }
    if let name, graph.node(named: name) != nil {
      findings.append(Finding("default-\(end)", .fine, "the default \(end) is \(name)"))
    } else {
      findings.append(
        Finding(
          "default-\(end)", .harm, "there is no default \(end)",
          evidence: [name.map { "the session's default is \($0), which is not there" } ?? "the session manager names none"],
          remedy: "plug one in or choose one: wpctl status, wpctl set-default <id>"))
    }
  }
  guard let status = facts.status else { return findings }
  for (direction, end) in [(Device.Direction.input, "microphone"), (.output, "speaker")] {
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
