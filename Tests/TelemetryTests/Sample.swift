import SessionModel
import TestSupport

/// Reports to make text of.
extension Sample {
  static let idle = ServiceReport(snapshot: Snapshot(version: "1.2.3"), session: SessionState())

  /// A running session with two participants, as reported to a server.
  static let call: ServiceReport = {
    var session = SessionState()
    for event: SessionEvent in [
      .registerMedia(id: "source-abc123", isSend: true, isReceive: false),
      .registerMedia(id: "sink-def456", isSend: false, isReceive: true), .registerMedia(id: "sink-ghi789", isSend: false, isReceive: true),
      .registerSource(mediaId: "source-abc123"), .registerSink(mediaId: "sink-def456"), .registerSink(mediaId: "sink-ghi789"),
      .sourceHadAudio(mediaId: "source-abc123"),
      .sourceResampling(mediaId: "source-abc123", SessionState.Resampling(captureRate: 16_000, outputRate: 48_000)),
    ] { session = reduce(session, event).state }
    var snapshot = Snapshot(version: "1.2.3", uptime: 75, cpuPercent: 2.5)
    snapshot.session = SessionStatus(state: .active, isActive: true)
    snapshot.source = SourceStatus(
      mediaId: "source-abc123", isDeferred: false, overruns: 0, captureRate: 16_000, outputRate: 48_000, isResampling: true, hadAudio: true)
    snapshot.graph = GraphStatus(
      isConnected: true, daemonVersion: "0.3.65", nodeId: 45, driver: "alsa_output.usb", quantum: 256, rate: 48_000, cycles: 1_234,
      busyRatio: 0.0625, busyRatioPeak: 0.125, xruns: 2, captureLatency: 720, renderLatency: 0, captureLinks: 1, renderLinks: 2)
    let microphone = Device(name: "alsa_input.usb", description: "USB Microphone", direction: .input, isDefault: true)
    let speaker = Device(name: "alsa_output.usb", description: "USB Speaker", direction: .output, isDefault: true)
    snapshot.route = RouteStatus(
      microphone: microphone, speaker: speaker, devices: [microphone, speaker],
      current: RouteDescription(
        inputs: [RoutePort(name: "alsa_input.usb", description: "USB Microphone", portType: .usbAudio, rate: 16_000)],
        outputs: [RoutePort(name: "alsa_output.usb", description: "USB Speaker", portType: .usbAudio)]))
    snapshot.route.volumes.speaker = VolumeStatus(volume: 0.65, isMuted: true)
    snapshot.processing.library = "webrtc-audio-processing 0.3"
    snapshot.processing.components = [
      ComponentStatus(component: .highPassFilter, isRequested: true, isEffective: true),
      ComponentStatus(component: .echoCancellation, isRequested: true, isActive: true, isEffective: false, reason: "bypassed"),
      ComponentStatus(component: .noiseSuppression, isRequested: false, isEffective: false),
      ComponentStatus(component: .gainControl, isRequested: true, isEffective: false, reason: "nobody records"),
    ]
    snapshot.processing.echo = .cancelling
    (snapshot.processing.erle, snapshot.processing.echoReduction) = (24.5, 48.5)
    (snapshot.processing.echoDelay, snapshot.processing.streamDelay) = (42.5, 40)
    (snapshot.processing.gain, snapshot.processing.hasVoice) = (3.25, true)
    (snapshot.processing.microphoneLevel, snapshot.processing.referenceLevel, snapshot.processing.voiceLevel) = (-20, -30.5, -18)
    snapshot.sinks = [
      SinkStatus(
        id: "sink-def456", state: .playing, sampleRate: 16_000, channelCount: 1, fillBytes: 9_600, capacityBytes: 19_200, targetFill: 0.5,
        consecutiveUnderruns: 1, totalUnderruns: 4, consecutiveDrops: 2, totalDrops: 3, framesWritten: 96_000, framesRead: 91_200,
        isResampling: true, resampleRatio: 3.000_15, driftPPM: 50, jitter: 2.5, jitterSpikes: 1, peak: -12, ssrc: 4_294_967_295),
      SinkStatus(id: "sink-ghi789", state: .idle, sampleRate: 48_000, channelCount: 2, fillBytes: 7_200, capacityBytes: 38_400),
      SinkStatus(id: "alice", kind: .graph, state: .playing, sampleRate: 48_000, channelCount: 2, isMuted: true, ssrc: 0),
    ]
    snapshot.sinks[1].remote = RemoteStatus(
      address: "0.0.0.0:5004", peer: "10.0.0.8:40123", channels: 1, packetTime: 10, packets: 5_940, lost: 60, late: 2, duplicates: 1,
      refused: 3, lastRefusal: "another sender", streams: 1, lossPercent: 1, jitter: 4.5, latency: 98.5, roundTrip: 61.25)
    snapshot.sends = [
      SendStatus(
        id: "sink-ghi789", address: "10.0.0.8:5004", ssrc: 77, packetTime: 10, packets: 6_000, failures: 1, failure: "Connection refused",
        lossPercent: 0.5, jitter: 3.25, roundTrip: 61.25)
    ]
    var report = ServiceReport(snapshot: snapshot, session: session)
    report.outputVolume = 0.8
    report.cpuSeconds = 1.5
    for _ in 0..<2 { report.events.count(AudioEvent(.interruptionBegan, time: 0, detail: ["reason": "daemonLost"])) }
    report.events.count(AudioEvent(.interruptionEnded, time: 0, detail: ["reason": "daemonLost", "duration": 1.5]))
    report.telemetry = [
      TelemetryOutletStatus(name: "file", delivered: 12),
      TelemetryOutletStatus(name: "http", queued: 5, delivered: 3, dropped: 7, failure: "HTTP status 500"),
    ]
    return report
  }()

  /// A session without voice processing that waits for a call manager.
  static let plain: ServiceReport = {
    var session = SessionState()
    for event: SessionEvent in [
      .setInitOnly(.useVoiceProcessingIO(false)), .setInitOnly(.manualAudioSessionManagement(true)), .setInitOnly(.channelCount(1)),
      .registerMedia(id: "ear", isSend: false, isReceive: true),
    ] { session = reduce(session, event).state }
    var snapshot = Snapshot(version: "1.2.3")
    snapshot.processing.isInUse = false
    snapshot.processing.isBypassed = true
    snapshot.processing.components = [ComponentStatus(component: .gainControl, isRequested: false, isEffective: false)]
    return ServiceReport(snapshot: snapshot, session: session)
  }()

  static let interrupted: ServiceReport = {
    var report = call
    report.session = reduce(report.session, .interruptionBegan(.daemonLost)).state
    report.snapshot.session.state = .interrupted
    report.snapshot.session.interruption = Interruption(reason: .daemonLost, duration: 2.25)
    report.snapshot.session.interruptions = [
      InterruptionRecord(reason: .daemonLost, began: 1_000, duration: 1.5, outcome: .recovered),
      InterruptionRecord(reason: .daemonLost, began: 1_010, duration: 2.25, outcome: .holds),
    ]
    report.snapshot.graph = GraphStatus()
    report.snapshot.route = RouteStatus()
    report.telemetry = []
    return report
  }()
}
