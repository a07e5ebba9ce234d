import Border
import Platform
import SessionModel

func configurationFindings(_ facts: DoctorFacts) -> [Finding] {
  guard !facts.configurationProblems.isEmpty else { return [] }
  return [
    Finding(
      "configuration", .harm, "nearend.toml is invalid: nearend does not start with it, and a running one keeps the previous configuration",
      evidence: facts.configurationProblems, remedy: "correct it; nearend config check validates it")
  ]
}

func nearendFindings(_ facts: DoctorFacts) -> [Finding] {
  switch facts.socket {
  case .answers:
    var findings = [
      Finding("nearend", .fine, "nearend \(facts.status?.version ?? "") runs", evidence: ["it answers at \(facts.socketPath)"])
    ]
    if let interruption = facts.status?.session.interruption {
      findings.append(
        Finding(
          "interruption", .harm, "the session is interrupted: \(interruption.reason.words)",
          evidence: ["for \(Int(bounded: interruption.duration)) s"], remedy: remedy(interruption.reason)))
    }
    return findings
  case .silent(let reason):
    return [
      Finding(
        "socket", .harm, "a nearend listens and does not answer", evidence: ["\(facts.socketPath): \(reason)"],
        remedy: "end it and start it again; if it is of another version, start that one's nearend")
    ]
  case .unasked(let short):
    return [
      Finding(
        "socket", .hint, "nearend cannot be asked, so the call was not examined", evidence: ["\(facts.socketPath): \(short.problem)"],
        remedy: short.remedy)
    ]
  case .absent, .stale:
    let place = facts.socketPath.isEmpty ? "XDG_RUNTIME_DIR is not set" : "nothing listens at \(facts.socketPath)"
    if let graph = facts.graph, let node = graph.node(named: "nearend") {
      let who = graph.nearendProcess.map { "process \($0) has the node \(node.name)" } ?? "the node \(node.name) is there"
      return [
        Finding(
          "socket", .hint, "nearend runs, but its control socket was not found",
          evidence: [who, place],
          remedy: "ask it with the XDG_RUNTIME_DIR that it has, or with --socket <path>")
      ]
    }
    var evidence = [facts.graph == nil ? place : "no node of it is in the graph"]
    if facts.socket == .stale {
      evidence.append("\(facts.socketPath) was left by a crashed nearend; the next start replaces it")
    }
    // Without a daemon it would only rehearse.
    let remedy = facts.graph == nil ? "first let a PipeWire daemon answer, as said above; then start it: nearend" : "start it: nearend"
    return [Finding("nearend", .hint, "nearend is not running, so the call was not examined", evidence: evidence, remedy: remedy)]
  }
}

private func remedy(_ reason: Interruption.Reason) -> String {
  switch reason {
  case .daemonLost: "start PipeWire: systemctl --user start pipewire wireplumber"
  case .noDevice: "plug a microphone and a speaker in; nearend devices lists those that are there"
  case .role: "end the call or the alarm, or take its role out of interruptingRoles in nearend.toml"
  case .sleep: "nothing: the session resumes on wake-up"
  case .sessionInactive: "return to this login session, or let nearend continue meanwhile: whenInactive = \"continue\""
  case .frozen: "look at what the driver does (pw-top); restart PipeWire if no cycle comes"
  case .nearendLost: "start nearend again: systemctl --user start nearend"
  }
}

func leftoverFindings(_ facts: DoctorFacts) -> [Finding] {
  guard !facts.leftovers.isEmpty, facts.status == nil, facts.socket != .answers, facts.graph?.node(named: "nearend") == nil else {
    return []
  }
  return [
    Finding(
      "leftovers", .harm, "a crashed nearend left changes behind",
      evidence: facts.leftovers.map { "\(facts.leftoversPath): \($0)" }, remedy: "start nearend once: it undoes them")
  ]
}

func realtimeFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let realtime = facts.realtime else { return [] }
  if realtime.priority > 0 {
    return [Finding("realtime", .fine, "the audio thread has realtime priority \(realtime.priority)")]
  }
  let xruns = facts.status?.graph.recent.lost ?? 0
  return [
    Finding(
      "realtime", xruns > 0 ? .harm : .hint, "the audio thread has no realtime priority: other work on this machine can make it late",
      evidence: [
        "the process may take priorities up to \(realtime.limit) (RLIMIT_RTPRIO)",
        facts.hasRealtimeKit ? "rtkit is installed" : "rtkit is not installed",
        "\(xruns) cycles lost in the last three minutes",
      ],
      remedy: facts.hasRealtimeKit
        ? "see why rtkit refused: journalctl -u rtkit-daemon"
        : "install rtkit, or allow it: '@audio - rtprio 95' in /etc/security/limits.d/")
  ]
}

// MARK: Other programs in the path

func cancellerFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let graph = facts.graph else { return [] }
  // The nodes from which sound reaches the filter's microphone, and those that the voice reaches.
  let filters = graph.nodes.filter { $0.voiceFilter != nil }
  let microphone = graph.node(named: facts.status?.route.microphone?.name)
  var inPath: Set<UInt32> = []
  for start in [microphone, graph.node(named: "nearend.microphone")].compactMap({ $0?.id }) {
    inPath.formUnion(graph.reachable(from: start, isBackwards: start == microphone?.id))
  }
  return VoiceFilter.all.compactMap { filter in
    let nodes = filters.filter { $0.voiceFilter == filter }
    guard !nodes.isEmpty else { return nil }
    let evidence = nodes.map { "node \($0.name)" }
    guard let place = nodes.first(where: { inPath.contains($0.id) }) else {
      return Finding("other-canceller", .hint, "\(filter.name) runs, and nothing of nearend goes through it", evidence: evidence)
    }
    return Finding(
      "other-canceller", .harm, "\(filter.name) processes the same voice: two echo cancellers in a row disturb each other",
      evidence: evidence + ["\(place.name) is in the path of nearend's microphone"], remedy: filter.remedy)
  }
}

func pastFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let graph = facts.graph, let status = facts.status else { return [] }
  let (microphone, speaker) = (graph.node(named: status.route.microphone?.name), graph.node(named: status.route.speaker?.name))
  func streams(_ isRight: (GraphSurvey.Link) -> UInt32?) -> [GraphSurvey.Node] {
    Set(graph.links.compactMap(isRight)).sorted().compactMap(graph.node).filter { $0.isStream && !$0.isOurs }
  }
  let users = Set(
    graph.links.compactMap { link -> UInt32? in graph.node(link.from)?.name == "nearend.microphone" ? graph.node(link.to)?.client : nil })
  var findings: [Finding] = []
  // The microphone and, if another program's filter provides it, the sources behind that filter.
  let behind = microphone.map { graph.reachable(from: $0.id, isBackwards: true) } ?? []
  let raw = Set(behind.filter { graph.node($0)?.mediaClass.hasPrefix("Audio/Source") == true })
  let recording = streams { raw.contains($0.from) ? $0.to : nil }.filter { $0.records && $0.voiceFilter == nil }
  if !recording.isEmpty {
    findings.append(
      Finding(
        "recording-past", .harm, "an application records from the real microphone, without echo cancellation",
        evidence: recording.map(\.words),
        remedy: "choose Nearend Microphone there, or let programs that choose no device use it: nearend set default auto"))
  }
  let playing = streams { $0.to == speaker?.id ? $0.from : nil }.filter(\.plays)
  let isMix = status.route.reference == .mix
  let callers = playing.filter { $0.client.map(users.contains) == true }
  if isMix, !playing.isEmpty {
    findings.append(
      Finding(
        "playback-past", .harm, "applications bypass nearend, and their echo is not cancelled: the reference is nearend's own mix only",
        evidence: playing.map(\.words),
        remedy: "choose Nearend Speaker there, or let the canceller hear everything: reference = \"everything\""))
  } else if !callers.isEmpty {
    findings.append(
      Finding(
        "playback-past", .hint, "a call plays directly to the speaker: its echo is cancelled, but it has no row, volume or pause here",
        evidence: callers.map(\.words), remedy: "choose Nearend Speaker there, unless it is a loopback by which you hear yourself"))
  }
  return findings
}

// MARK: Levels and mutes

func microphoneFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let status = facts.status else { return [] }
  let volumes = status.route.volumes
  var findings: [Finding] = []
  if volumes.microphone.isMuted {
    findings.append(
      Finding(
        "microphone-muted", .harm, "the real microphone is muted by a mixer or a switch", evidence: [status.route.microphone?.name ?? ""],
        remedy: "unmute it: wpctl set-mute @DEFAULT_AUDIO_SOURCE@ 0, or the key on the headset or the keyboard"))
  }
  if volumes.nearendMicrophone.isMuted {
    findings.append(
      Finding(
        "microphone-muted", .harm, "Nearend Microphone is muted by a mixer", evidence: ["nearend.microphone"],
        remedy: "unmute it in the mixer: pactl set-source-mute nearend.microphone 0"))
  }
  if status.session.isMicrophoneMuted {
    findings.append(
      Finding(
        "microphone-muted", .hint, "the microphone is muted in nearend",
        evidence: status.session.isTalkingWhileMuted ? ["and somebody talks"] : [],
        remedy: "nearend unmute"))
  }
  findings += volumeFindings(status)
  findings += channelFindings(status)
  let isOpen = status.graph.captureLinks > 0 && status.session.state == .active
  if isOpen, findings.isEmpty, status.processing.microphoneLevel <= -100 {
    findings.append(
      Finding(
        "microphone-silent", .harm, "the microphone delivers only silence",
        evidence: ["\(status.route.microphone?.name ?? "it") has a level of \(status.processing.microphoneLevel) dBFS"],
        remedy: "look for a switch on it, for another input of the card (wpctl status), or for the privacy settings of the desktop"))
  }
  return findings
}

/// Channels of the microphone that are left out because they would harm the voice; that most of more than an array has are empty is no
/// wonder.
private func channelFindings(_ status: Snapshot) -> [Finding] {
  let inputs = status.route.microphoneInputs
  let harmful = inputs.filter {
    [.clipped, .opposite, .noisy].contains($0.use) || inputs.count <= 8 && $0.use != .heard && $0.use != .unchosen
  }
  guard !harmful.isEmpty else { return [] }
  return [
    Finding(
      "microphone-channels", .hint, "not all of the microphone's channels work: what is left out is not heard", evidence: [inputs.words],
      remedy: "look at its plugs and gains; to choose yourself which are heard, nearend set microphoneChannels NUMBERS (or mean, for all)")
  ]
}

/// Volumes that somebody has turned so far down that a call suffers, and mutes of the speaker's side.
private func volumeFindings(_ status: Snapshot) -> [Finding] {
  status.route.volumes.ends.compactMap { end in
    let isInput = end.direction == .input
    // Mutes of microphones have findings of their own.
    guard let complaint = end.complaint, !(isInput && end.status.isMuted) else { return nil }
    let real = isInput ? status.route.microphone?.name : status.route.speaker?.name
    let node = end.isOurs ? (isInput ? "nearend.microphone" : "nearend.speaker") : real ?? (isInput ? "@DEFAULT_SOURCE@" : "@DEFAULT_SINK@")
    let tool = isInput ? "source" : "sink"
    return Finding(
      end.status.isMuted ? "speaker-muted" : "volume", isInput ? .harm : .hint, complaint, evidence: [node],
      remedy: end.status.isMuted
        ? "unmute it in the mixer: pactl set-sink-mute \(node) 0" : "turn it up in the mixer: pactl set-\(tool)-volume \(node) 100%")
  }
}

func modeFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let status = facts.status, status.processing.micMode.effective != status.processing.micMode.requested,
    let reason = status.processing.micMode.reason
  else { return [] }
  let mode = status.processing.micMode
  // What keeps everything from being processed, such as that nobody records, or bypass, says nothing about the mode.
  guard mode.requested != .standard, reason != status.processing.components.first(where: \.isRequested)?.reason else { return [] }
  guard status.session.state == .active || mode.requested == .voiceIsolation else { return [] }
  return [
    Finding(
      "mic-mode", .hint, "the chosen mic mode is not what is heard", evidence: ["\(mode.requested.words): \(reason)"],
      remedy: mode.requested == .voiceIsolation && mode.isolator == nil
        ? "install it: nearend isolation install; or choose another: nearend set micMode standard"
        : "choose another: nearend set micMode standard")
  ]
}

func echoFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let processing = facts.status?.processing else { return [] }
  let evidence = [
    (processing.echoReduction ?? processing.erle).map { "the echo is \(decimal($0, 1)) dB lower" },
    processing.filterERLE.map { "ERLE \(decimal($0, 1)) dB" },
    processing.echoDelay.map { "it comes \(Int(bounded: $0)) ms late" },
    "engine \(processing.engineName)",
  ].compactMap { $0 }
  if processing.echo == .failing {
    let other = processing.engine == .webrtc ? EchoCanceller.nearend : .webrtc
    return [
      Finding(
        "echo", .harm, "the echo is not cancelled", evidence: evidence,
        remedy: """
          turn the speaker down so that it does not distort, use headphones, or try the other engine: nearend set aec \(other.rawValue); an echo more \
          than 0.5 s late, of a television or a network speaker, is out of reach: play the call by a speaker of this machine
          """)
    ]
  }
  if processing.echo == .suppressing {
    return [
      Finding(
        "echo", .hint, "the filter does not cancel the echo: the suppressor hides it, and your voice with it while both talk",
        evidence: evidence,
        remedy: """
          turn the speaker down so that it does not distort, put it where it does not move, or use headphones; an echo more than 0.5 s \
          late, of a television or a network speaker, is out of reach: play the call by a speaker of this machine
          """)
    ]
  }
  let canceller = processing.components.first { $0.component == .echoCancellation }
  if !processing.isInUse || processing.isBypassed || canceller?.isRequested == false {
    let why =
      !processing.isInUse ? "voice processing is off" : processing.isBypassed ? "voice processing is bypassed" : "it is switched off"
    return [
      Finding(
        "echo", .hint, "echo cancellation is off",
        evidence: [why] + (facts.status?.risksEcho == true ? ["others talk over a loudspeaker, and may hear themselves"] : []),
        remedy: !processing.isInUse
          ? "start nearend with voice processing" : processing.isBypassed ? "nearend set bypass off" : "nearend set echoCancellation on")
    ]
  }
  return processing.echo == .cancelling ? [Finding("echo", .fine, "the echo is cancelled", evidence: evidence)] : []
}

func engineFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let library = facts.library else { return [] }
  guard !library.isEmpty else {
    return [
      Finding(
        "engine", .fine, "the engine webrtc is not there: webrtc-audio-processing is not installed",
        evidence: ["nearend's own takes no library; for the other, \(facts.libraryRemedy)"])
    ]
  }
  let isOld = library.hasSuffix(" 0.3")
  let isUsed = facts.status?.processing.engine == .webrtc
  return [
    Finding(
      "engine", isOld && isUsed ? .hint : .fine, "the engine webrtc is \(library)",
      evidence: isOld ? ["it is half duplex, and of the generation before AEC3"] : [],
      remedy: isOld && isUsed ? "nearend's own engine preserves the near end during double talk: nearend set aec nearend" : nil)
  ]
}
