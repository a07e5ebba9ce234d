/// Adds the voice-processing unit and its place in PipeWire's graph.
extension Diagnostics {
  mutating func addUnit(_ report: ServiceReport) {
    let (snapshot, settings) = (report.snapshot, report.session.settings)
    let processing = snapshot.processing
    add("Voice Processing", processing.isInUse ? "on" : "off (audio passes unchanged)")
    add("Voice Processing Engine", processing.engineName.isEmpty ? "unknown" : processing.engineName)
    add("Voice Processing Library", processing.library.isEmpty ? "not loaded" : processing.library)
    add("Bypass Voice Processing", Self.yesNo(processing.isBypassed))
    for component in processing.components {
      let effect =
        component.isEffective
        ? "effective" : "\(component.isActive ? "active, " : "")not effective\(component.reason.map { ": \($0)" } ?? "")"
      let value = component.isRequested ? "YES, \(effect)" : "NO"
      add(Self.name(component.component), value)
    }
    addMicMode(processing.micMode)
    add("Channel Count", "\(Self.channels(settings.renderChannelCount)) out, \(Self.channels(settings.captureChannelCount)) in")
    add("Sample Rate", snapshot.graph.rate > 0 ? "\(snapshot.graph.rate) Hz" : "unknown before the first cycle")
    addMeasurements(processing)
    addPlugIns(snapshot.stages)
    addStages(report.silencedStageSamples)
  }

  private mutating func addMicMode(_ mode: MicModeStatus) {
    let effect = mode.effective == mode.requested ? "effective" : "not effective\(mode.reason.map { ": \($0)" } ?? "")"
    add("Mic Mode", "\(mode.requested.rawValue), \(effect)")
    guard let isolator = mode.isolator else { return }
    addDetail(1, "Isolation: \(isolator), \(mode.latency) frames later, \(mode.lateBlocks) blocks of 10 ms came too late")
  }

  private mutating func addPlugIns(_ stages: [StageStatus]) {
    guard !stages.isEmpty else { return }
    add("Plug-ins", "\(stages.count)")
    for stage in stages {
      addDetail(1, "\(stage.id): \(stage.words)")
      for port in stage.ports { addDetail(2, "\(port.name): \(decimal(port.value, 3)) (\(port.possible))") }
    }
  }

  /// Adds the stages' line only if something is wrong.
  private mutating func addStages(_ silenced: SilencedSamples) {
    for (chain, samples) in [("Capture", silenced.capture), ("Render", silenced.render)] where samples > 0 {
      add("\(chain) Stages", "broken: \(samples) samples were NaN or infinite, and were silenced")
    }
  }

  private static func name(_ component: ProcessingComponent) -> String {
    switch component {
    case .highPassFilter: "High-Pass Filter"
    case .echoCancellation: "Echo Cancellation"
    case .noiseSuppression: "Noise Suppression"
    case .gainControl: "AGC"
    }
  }

  private mutating func addMeasurements(_ processing: ProcessingStatus) {
    add("Echo", processing.echo.words)
    if processing.engine != .webrtc {
      addDetail(1, "ERLE: \(processing.erle.map { "\(decimal($0, 1)) dB" } ?? "not measured yet")")
    }
    addDetail(1, "Reduced in all: \(processing.echoReduction.map { "\(decimal($0, 1)) dB" } ?? "not measured yet")")
    addDetail(1, "Echo delay: \(processing.echoDelay.map { "\(decimal($0, 1)) ms" } ?? "not measured yet")")
    addDetail(1, "Stream delay from the graph: \(decimal(processing.streamDelay, 1)) ms")
    add("AGC Gain", "\(decimal(processing.gain, 1)) dB")
    add("Limiter Gain", "\(decimal(processing.limiterGain, 1)) dB")
    add("Voice Activity", Self.yesNo(processing.hasVoice))
    add(
      "Levels",
      "microphone \(Self.level(processing.microphoneLevel)), reference \(Self.level(processing.referenceLevel)), "
        + "voice \(Self.level(processing.voiceLevel)), speaker \(Self.level(processing.speakerLevel))")
  }

  mutating func addGraph(_ report: ServiceReport) {
    let graph = report.snapshot.graph
    add("PipeWire Daemon", graph.isConnected ? "connected, version \(graph.daemonVersion)" : "not connected")
    add("Node", graph.nodeId.map { "nearend, id \($0)" } ?? "None")
    add("Driver", graph.driver.isEmpty ? "None" : graph.driver)
    add("Quantum", Self.frames(graph.quantum, rate: graph.rate))
    let route = report.snapshot.route.current
    add("Hardware Sample Rate", Self.rates(input: route.inputs.first?.rate, output: route.outputs.first?.rate, driver: graph.rate))
    add("Cycles", "\(graph.cycles), \(graph.xruns) missed")
    add("Load", "\(decimal(graph.busyRatio * 100, 2)) % of a cycle, at most \(decimal(graph.busyRatioPeak * 100, 2)) %")
    add(
      "Audio Thread Priority",
      graph.realtimePriority.map { $0 > 0 ? "realtime, \($0)" : "None: other work can make cycles late" } ?? "Not Known Yet")
    add("Capture Latency", Self.frames(graph.captureLatency, rate: graph.rate))
    add("Render Latency", Self.frames(graph.renderLatency, rate: graph.rate))
    add("Links", "\(graph.captureLinks) from the microphone, \(graph.renderLinks) to the speaker")
  }

  mutating func addRoute(_ report: ServiceReport) {
    let route = report.snapshot.route
    func ports(_ ports: [RoutePort]) -> String {
      Self.list(ports.map { "\($0.portType.rawValue), \($0.description.isEmpty ? $0.name : "\($0.description) (\($0.name))")" })
    }
    add("Input Available", Self.yesNo(route.microphone != nil))
    add("Microphone Muted", Self.mute(report.snapshot))
    add("Recording Prepared", report.snapshot.session.isRecordingAlwaysPrepared ? "Always" : "While somebody records")
    let speaker = route.volumes.speaker
    let volume = "\(decimal(speaker.volume * 100, 0)) %\(speaker.isMuted ? ", muted" : "")"
    add("Output Volume", route.speaker == nil ? "None" : volume)
    add("Mix Volume", "\(decimal(report.outputVolume * 100, 0)) %")
    add("Application Audio", Self.appAudio(report.snapshot.appAudio))
    add("Route Inputs", ports(route.current.inputs))
    add("Route Outputs", ports(route.current.outputs))
    add("Other Audio Ducking", report.snapshot.ducking.words)
    add("Reference", route.reference.words)
  }

  /// The rates of the devices, if they report them; otherwise the driver's, at which all ports of the filter run.
  private static func rates(input: Int?, output: Int?, driver: Int) -> String {
    switch (input, output) {
    case (nil, nil): driver > 0 ? "\(driver) Hz, the driver's clock" : "unknown before the first cycle"
    case (let rate?, nil): "\(rate) Hz in"
    case (nil, let rate?): "\(rate) Hz out"
    case (let input?, let output?): input == output ? "\(input) Hz" : "\(input) Hz in, \(output) Hz out"
    }
  }

  private static func mute(_ snapshot: Snapshot) -> String {
    let (session, volumes) = (snapshot.session, snapshot.route.volumes)
    return [
      yesNo(session.isMicrophoneMuted), " (\(session.microphoneMuteMode.rawValue))", session.isTalkingWhileMuted ? ", somebody talks" : nil,
      volumes.microphone.isMuted ? "; muted by a switch or a mixer" : nil,
      volumes.nearendMicrophone.isMuted ? "; Nearend Microphone is muted by a mixer" : nil,
    ].compactMap { $0 }.joined()
  }

  private static func appAudio(_ app: AppAudioStatus) -> String {
    guard !app.sources.isEmpty else { return "None" }
    return app.sources.map { "\($0.id) \($0.state.rawValue)" }.joined(separator: ", ") + ", volume \(decimal(app.appVolume * 100, 0)) %"
  }

  mutating func addTelemetry(_ report: ServiceReport) {
    if report.telemetry.isEmpty { return add("Telemetry", "Off") }
    if let reason = report.telemetryHeldBack { add("Telemetry Held Back", reason) }
    for outlet in report.telemetry {
      let failure = outlet.failure.map { "; failing: \($0)" } ?? ""
      add("Telemetry", "\(outlet.name), \(outlet.delivered) delivered, \(outlet.queued) waiting, \(outlet.dropped) dropped\(failure)")
    }
  }
}
