import Foundation
import RealtimeCore
import SessionModel

/// The status document. [any]
extension NearendService {
  /// Returns the complete current state. Never waits for the audio thread.
  package func snapshot() -> Snapshot {
    let report = graph.report
    var snapshot = Snapshot(version: nearendVersion)
    snapshot.uptime = Date().timeIntervalSince(started)
    snapshot.cpuPercent = processorUse.percent()
    snapshot.graph = report.graph
    snapshot.route = report.route
    snapshot.ducking = report.ducking
    let state = session.current
    let isHeard = report.graph.isConnected && state.demand.isActive
    snapshot.sinks = core.mixer.sinkStatuses(
      rate: report.graph.rate, used: !report.graph.isConnected ? [] : report.graphSinksInUse, isHeard: isHeard)
    for index in snapshot.sinks.indices { snapshot.sinks[index].remote = remotes.status(of: snapshot.sinks[index].id) }
    snapshot.sends = remotes.sends
    snapshot.session = SessionStatus(
      state, interruption: session.interruption, interruptions: session.interruptions, isMicrophoneMuted: core.controls.isMicrophoneMuted)
    snapshot.session.isTalkingWhileMuted = isTalkingWhileMuted
    snapshot.session.microphoneSilence = watch.microphoneSilence
    snapshot.appAudio = AppAudioStatus(core.appAudio, isHeard: isHeard)
    snapshot.outputVolume = core.mixer.masterGain.inFewestDigits
    snapshot.source = sourceStatus
    snapshot.processing = ProcessingStatus(
      controls: core.controls, meters: core.meters.snapshot(),
      render: isHeard ? (core.mixer.speakerPeak, core.mixer.limiterGain) : (0, 1),
      isSending: state.demand.sends, hasMicrophone: report.graph.captureLinks > 0, isInterrupted: !state.interruptions.isEmpty,
      streamDelay: report.streamDelay, isolation: isolationStatus,
      modeLatency: report.graph.quantum > 0 ? core.isolation.latency(quantum: report.graph.quantum) : 0)
    snapshot.stages = stages
    snapshot.audition = auditions.status
    snapshot.presets = presets?.presetsStatus
    snapshot.log = log.all
    completion.current?(&snapshot)
    return snapshot
  }

  /// The state of voice isolation. The isolator is created only once something records; until then `failure` reports what it would lack.
  private var isolationStatus: VoiceIsolation.Status {
    var status = core.isolation.status
    if core.controls.micMode == .voiceIsolation, status.isolator == nil, status.failure == nil { status.failure = core.isolation.obstacle }
    return status
  }

  /// Sets a function that adds to every snapshot what the service itself does not know.
  package func completeSnapshots(_ complete: @escaping @Sendable (inout Snapshot) -> Void) { completion.set(complete) }
}
