/// The metrics of a session, in base units (seconds, bytes, ratios). [any]
package struct ServiceMetrics: Sendable {
  package let families: [MetricFamily]
  /// The text of `GET /metrics`: Prometheus' text format 0.0.4.
  package var text: String { MetricsText.text(of: families) }
  /// The format's `Content-Type`.
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  package init(_ report: ServiceReport) {
    var metrics = MetricsText()
    metrics.addProcess(report)
    metrics.addSession(report)
    metrics.addGraph(report.snapshot.graph)
    metrics.addProcessing(report)
    metrics.addStages(report.snapshot.stages)
    metrics.addSinks(report.snapshot.sinks)
    metrics.addRemotes(report.snapshot)
    metrics.addTelemetry(report.telemetry)
    families = metrics.families
  }

  /// Returns what an exporter serves for a nearend that answered with `text`, or did not answer: `nearend_up`, then `text`.
  package static func exported(_ text: String?) -> String {
    var metrics = MetricsText()
    metrics.add("nearend_up", .gauge, "Whether a nearend runs here and answers.", text == nil ? 0 : 1)
    return MetricsText.text(of: metrics.families) + (text ?? "")
  }
}

extension MetricsText {
  fileprivate mutating func addProcess(_ report: ServiceReport) {
    let snapshot = report.snapshot
    add(
      "nearend_info", .gauge, "Versions, as labels.",
      [
        Sample(
          [
            "version": snapshot.version, "engine": snapshot.processing.engine.rawValue, "library": snapshot.processing.library,
            "pipewire": snapshot.graph.daemonVersion,
          ], 1
        )
      ])
    add("nearend_uptime_seconds", .gauge, "Time since nearend started.", snapshot.uptime)
    add("process_cpu_seconds_total", .counter, "Processor time that the process has used.", report.cpuSeconds)
  }

  fileprivate mutating func addSession(_ report: ServiceReport) {
    let session = report.session
    let states: [SessionStatus.State] = [.idle, .active, .waiting, .interrupted]
    add(
      "nearend_session_state", .gauge, "1 for the state that the session is in.",
      states.map { Sample(["state": $0.rawValue], $0 == report.snapshot.session.state ? 1 : 0) })
    add("nearend_session_active", .gauge, "Whether the session is active (isSessionActive).", session.isActive ? 1 : 0)
    add(
      "nearend_media", .gauge, "Registered media by direction; one that does both counts twice.",
      [
        Sample(["direction": "send"], Double(session.media.count(where: \.isSend))),
        Sample(["direction": "receive"], Double(session.media.count(where: \.isReceive))),
      ])
    add(
      "nearend_interruptions_total", .counter, "Interruptions that began, by reason.",
      Interruption.Reason.allCases.map { Sample(["reason": $0.rawValue], Double(report.events.interruptions[$0.rawValue] ?? 0)) })
    add(
      "nearend_interruption_seconds_total", .counter, "How long interruptions that are over held, by reason.",
      Interruption.Reason.allCases.map { Sample(["reason": $0.rawValue], report.events.interruptionSeconds[$0.rawValue] ?? 0) })
    add(
      "nearend_events_total", .counter, "Events posted, by kind.",
      AudioEvent.Kind.allCases.map { Sample(["kind": $0.rawValue], Double(report.events.kinds[$0] ?? 0)) })
  }

  fileprivate mutating func addGraph(_ graph: GraphStatus) {
    add("nearend_connected", .gauge, "Whether the PipeWire daemon is there.", graph.isConnected ? 1 : 0)
    add("nearend_cycles_total", .counter, "Cycles of the graph that were processed.", Double(graph.cycles))
    add("nearend_xruns_total", .counter, "Cycles of the graph that were missed.", Double(graph.xruns))
    if let priority = graph.realtimePriority {
      add("nearend_realtime_priority", .gauge, "The audio thread's realtime priority; 0 for none.", Double(priority))
    }
    add("nearend_busy_ratio", .gauge, "Share of a cycle's time that processing takes, over a second.", graph.busyRatio)
    add("nearend_busy_peak_ratio", .gauge, "The largest share of a cycle's time in the last second.", graph.busyRatioPeak)
    add("nearend_sample_rate_hertz", .gauge, "Frames per second of the graph; 0 before the first cycle.", Double(graph.rate))
    func seconds(_ frames: Int) -> Double { graph.rate > 0 ? Double(frames) / Double(graph.rate) : 0 }
    add("nearend_quantum_seconds", .gauge, "Length of a cycle; 0 before the first.", seconds(graph.quantum))
    add(
      "nearend_latency_seconds", .gauge, "Latency that nearend itself adds, by path.",
      [Sample(["path": "capture"], seconds(graph.captureLatency)), Sample(["path": "render"], seconds(graph.renderLatency))])
    add(
      "nearend_links", .gauge, "Links to real devices, by path.",
      [Sample(["path": "capture"], Double(graph.captureLinks)), Sample(["path": "render"], Double(graph.renderLinks))])
  }

  fileprivate mutating func addProcessing(_ report: ServiceReport) {
    let processing = report.snapshot.processing
    add(
      "nearend_component_effective", .gauge, "Whether a component of voice processing is heard.",
      processing.components.map { Sample(["component": $0.component.rawValue], $0.isEffective ? 1 : 0) })
    add(
      "nearend_mic_mode_effective", .gauge, "1 for the mode of the microphone that is heard.",
      MicMode.allCases.map { Sample(["mode": $0.rawValue], $0 == processing.micMode.effective ? 1 : 0) })
    add(
      "nearend_isolation_late_blocks_total", .counter, "Blocks of 10 ms for which voice isolation was too late.",
      Double(processing.micMode.lateBlocks))
    if let erle = processing.erle {
      let meaning = "Echo return loss enhancement: of nearend's filter alone; of the engine webrtc, how far the echo is lowered in all."
      add("nearend_erle_decibels", .gauge, meaning, erle)
    }
    if let reduction = processing.echoReduction {
      add("nearend_echo_reduction_decibels", .gauge, "How far the echo is lowered in all.", reduction)
    }
    if let delay = processing.echoDelay {
      add("nearend_echo_delay_seconds", .gauge, "Delay of the echo, as measured from the signals.", delay / 1000)
    }
    add("nearend_stream_delay_seconds", .gauge, "Delay of the echo, as the graph's latencies tell it.", processing.streamDelay / 1000)
    add("nearend_gain_decibels", .gauge, "Gain that gain control applies.", processing.gain)
    add("nearend_limiter_gain_decibels", .gauge, "How far the limiter pulls the mix down.", processing.limiterGain)
    add("nearend_voice_activity", .gauge, "Whether the near end talks.", processing.hasVoice ? 1 : 0)
    add("nearend_microphone_muted", .gauge, "Whether the microphone is muted.", report.snapshot.session.isMicrophoneMuted ? 1 : 0)
    let silenced = report.silencedStageSamples
    add(
      "nearend_stage_silenced_samples_total", .counter, "NaN and infinite samples of a program's own stages, by chain.",
      [Sample(["chain": "capture"], Double(silenced.capture)), Sample(["chain": "render"], Double(silenced.render))])
    add("nearend_output_volume_ratio", .gauge, "Linear gain of the whole mix.", report.outputVolume)
  }

  fileprivate mutating func addStages(_ stages: [StageStatus]) {
    add(
      "nearend_stage_running", .gauge, "Whether a plug-in runs, rather than being bypassed.",
      stages.map { Sample(["stage": $0.id], $0.state == .running ? 1 : 0) })
  }

  fileprivate mutating func addSinks(_ sinks: [SinkStatus]) {
    func each(_ value: (SinkStatus) -> Double) -> [Sample] { sinks.map { Sample(["sink": $0.id], value($0)) } }
    let rings = sinks.filter { $0.kind == .ring }
    func ring(_ value: (SinkStatus) -> Double) -> [Sample] { rings.map { Sample(["sink": $0.id], value($0)) } }
    add("nearend_sinks", .gauge, "Speaker outputs.", Double(sinks.count))
    add("nearend_sink_buffered_bytes", .gauge, "Bytes that wait in a sink's ring.", ring { Double($0.fillBytes) })
    add("nearend_sink_capacity_bytes", .gauge, "Size of a sink's ring.", ring { Double($0.capacityBytes) })
    add("nearend_sink_fill_ratio", .gauge, "Share of a sink's ring that is full.", ring { $0.fill })
    add("nearend_sink_underruns_total", .counter, "Times that a sink ran dry while it played.", ring { Double($0.totalUnderruns) })
    add("nearend_sink_drops_total", .counter, "Writes refused whole because the ring was full.", ring { Double($0.totalDrops) })
    add("nearend_sink_jitter_spikes_total", .counter, "Writes that came much too late.", ring { Double($0.jitterSpikes) })
    add("nearend_sink_jitter_seconds", .gauge, "Mean deviation of writes from when they were due.", ring { $0.jitter / 1000 })
    add("nearend_sink_written_frames_total", .counter, "Frames written to a sink.", ring { Double($0.framesWritten) })
    add("nearend_sink_read_frames_total", .counter, "Frames played from a sink.", ring { Double($0.framesRead) })
    add("nearend_sink_drift_ratio", .gauge, "How much faster than the graph's a writer's clock runs.", ring { $0.driftPPM / 1e6 })
    add("nearend_sink_gain_ratio", .gauge, "Linear gain of a sink.", each { $0.gain })
    add("nearend_sink_muted", .gauge, "Whether a sink is muted.", each { $0.isMuted ? 1 : 0 })
  }

  fileprivate mutating func addTelemetry(_ outlets: [TelemetryOutletStatus]) {
    func each(_ value: (TelemetryOutletStatus) -> Int) -> [Sample] {
      outlets.map { Sample(["outlet": $0.name], Double(value($0))) }
    }
    add("nearend_telemetry_delivered_total", .counter, "Telemetry records delivered.", each { $0.delivered })
    add("nearend_telemetry_dropped_total", .counter, "Telemetry records lost.", each { $0.dropped })
    add("nearend_telemetry_queued", .gauge, "Telemetry records that wait.", each { $0.queued })
  }
}
