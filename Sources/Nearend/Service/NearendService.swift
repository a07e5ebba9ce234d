import Border
import Foundation
import PipeWireGraph
import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// Options of a service. [any]
public struct NearendOptions: Sendable {
  public var graph: GraphOptions
  /// The session's initial settings.
  public var session: SessionSettings
  /// The initial engine for echo and noise.
  public var echoCanceller: EchoCanceller
  /// Path of the Unix socket for other processes; nil for none.
  public var controlSocket: String?
  /// Where telemetry goes; nowhere by default.
  public var telemetry: TelemetryOptions
  /// Called with each log entry.
  public var echo: (@Sendable (LogEntry) -> Void)?

  public init(
    graph: GraphOptions = GraphOptions(), session: SessionSettings = SessionSettings(), echoCanceller: EchoCanceller = .nearend,
    controlSocket: String? = nil,
    telemetry: TelemetryOptions = TelemetryOptions(),
    echo: (@Sendable (LogEntry) -> Void)? = nil
  ) {
    self.graph = graph
    self.session = session
    self.echoCanceller = echoCanceller
    self.controlSocket = controlSocket
    self.telemetry = telemetry
    self.echo = echo
  }
}

/// All of nearend in one process: the audio core, its place in PipeWire's graph, and the state of both. [any]
public final class NearendService: Sendable {
  /// The session: media, activation and recovery; decides whether sound flows.
  public let session: VoiceSession
  /// Posts the events.
  public let events: EventBus
  package let core: AudioCore
  let graph: any SessionGraph
  let log: EventLog
  let watch: EventWatch
  let recorder: HistoryRecorder
  let tally = EventTally()
  /// Set by `start`, if there is a destination.
  let telemetry = Mutex<Telemetry?>(nil)
  private let greeting: Greeting
  private let telemetryOptions: TelemetryOptions
  private let processorUse = ProcessorUse()
  private let started = Date()
  private let settingChanges: EventBus.Subscription
  /// Serializes adding and removing sinks, which are registered in two places.
  private let registration = Mutex(())
  /// Media that `addRingSink` registered, and that is unregistered with its sink.
  private let sinkMedia = Mutex<Set<String>>([])
  private let completion = Callback<@Sendable (inout Snapshot) -> Void>()
  private let participantChanged = Callback<@Sendable (String, ParticipantChange) -> Void>()
  private let controlSocket: String?
  private let control = Mutex<ControlServer?>(nil)
  /// Media that the control socket's clients have registered.
  let clientMedia = Mutex(ClientMedia())
  /// Programs that have joined through the control socket.
  let programs = Programs()
  /// Gives them the voice.
  let relay: VoiceRelay

  /// Creates a service that does nothing before `start`.
  /// - Throws: `GraphError.refused` if voice processing cannot be set up.
  public convenience init(_ options: NearendOptions) throws(GraphError) {
    try self.init(options, log: EventLog(echo: options.echo), events: EventBus()) {
      GraphController(core: $0, options: $1, listener: $2)
    }
  }

  /// Creates a service with a log and a bus that outlive it, and a graph of the caller's making.
  init(_ options: NearendOptions, log: EventLog, events: EventBus, makeGraph: MakeGraph) throws(GraphError) {
    telemetryOptions = options.telemetry
    self.log = log
    self.events = events
    controlSocket = options.controlSocket
    do {
      core = try AudioCore(usesMixAsReference: options.graph.reference == .mix)
    } catch {
      throw .refused(reason: "voice processing cannot start: \(error)")
    }
    core.controls.echoCanceller = options.echoCanceller
    relay = VoiceRelay(tap: core.relay)
    let greeting = Greeting(log)
    self.greeting = greeting
    let session = VoiceSession(settings: options.session, core: core, log: log, events: events)
    self.session = session
    let watch = EventWatch(core: core, events: events)
    self.watch = watch
    let recorder = HistoryRecorder(core: core)
    self.recorder = recorder
    let stages = StageWatch(capture: core.captureStages, render: core.mixer.stages, log: log)
    tally.listen(to: events)
    session.slot.listen { [weak session] news in
      switch news {
      case .hadAudio(let id): session?.send(.sourceHadAudio(mediaId: id))
      case .rates(let id, let capture, let output):
        let resampling = capture == output ? nil : SessionState.Resampling(captureRate: capture, outputRate: output)
        session?.send(.sourceResampling(mediaId: id, resampling))
      case .overrun(let id, let lost, let total): watch.sourceOverrun(mediaId: id, lost: lost, total: total)
      }
    }
    let inbox = GraphInbox(
      session: session, log: log, events: events, greeting: greeting, watch: watch, stages: stages, recorder: recorder)
    let graph = makeGraph(core, options.graph, inbox)
    self.graph = graph
    session.connect { [weak graph] request in
      switch request {
      case .demandChanged: graph?.demandChanged()
      case .rebuild: graph?.rebuild()
      case .tellWhenSoundPasses: graph?.tellWhenSoundPasses()
      }
    }
    settingChanges = events.subscribe { [weak graph] event in
      if event.kind == .settingChanged { graph?.parametersChanged() }
    }
    // `unowned(unsafe)` is sound: these run on the graph's thread, whose end `deinit` waits for. A strong reference could be the last one
    // there.
    graph.provide(
      GraphParameters(
        read: { [unowned(unsafe) self] in nodeParameters() },
        write: { [unowned(unsafe) self] in take($0) }))
  }

  /// Joins the graph, and opens the control socket. Call it once.
  /// - Throws: the graph's error; `GraphError.refused` if telemetry's file cannot be written, or the socket not be opened.
  public func start() throws(GraphError) {
    try startTelemetry(telemetryOptions)
    try graph.start()
    greeting.say()
    do throws(ControlError) {
      try openControlSocket()
    } catch {
      graph.stop()
      if case .inUse(_, let pid) = error { throw .alreadyRunning(pid: pid) }
      throw .refused(reason: error.description)
    }
  }

  func openControlSocket(limits: ControlLimits = ControlLimits()) throws(ControlError) {
    guard let controlSocket else { return }
    let server = ControlServer(socket: try ControlSocket(path: controlSocket), limits: limits) { [weak self] exchange in
      try ControlRoutes.answer(exchange, for: self)
    }
    control.withLock { $0 = server }
    server.start()
    log.add(.info, "control socket: \(controlSocket)")
  }

  /// The number of clients connected to the control socket.
  var clientCount: Int { control.withLock { $0?.connectionCount ?? 0 } }

  deinit { stop() }

  /// Leaves the graph, without leaving anything behind; a source and every client of the socket see their end. Idempotent.
  public func stop() {
    let server = control.withLock { control in
      defer { control = nil }
      return control
    }
    server?.stop()
    if let source = session.slot.current { session.unregister(source) }
    graph.stop()
    telemetry.withLock { $0 }?.stop()
  }

  /// Calls `beat` every `interval` seconds on the control thread, which looks after the graph: one that hangs calls nobody. [any], once, after `start`.
  /// A service in manual rendering has no such thread.
  public func beat(every interval: Double, _ beat: @escaping @Sendable () -> Void) { graph.beat(every: interval, beat) }

  /// Puts a remark into the log.
  public func remark(_ message: String, _ level: LogEntry.Level = .info) { log.add(level, message) }

  /// What happens to a participant.
  package enum ParticipantChange: Sendable {
    case came, left
    /// It has another gain or mute.
    case changed
  }

  /// `heard` is called with a participant's id and what happened to it, on the thread that does it; it must not wait. nil for nobody. [any]
  package func onParticipant(_ heard: (@Sendable (String, ParticipantChange) -> Void)?) { participantChanged.set(heard) }

  // MARK: Sinks

  /// Adds a participant whose PCM a program writes (K1), until `removeSink`: with receive media of its own, or as the sink of registered
  /// media.
  public func addRingSink(id: String, sampleRate: Int, channelCount: Int, bufferSize: Int) throws(SinkError) -> RingSink {
    let sink = try RingSink(
      id: id, format: SinkFormat(sampleRate: sampleRate, channelCount: channelCount), capacityBytes: bufferSize)
    guard !session.current.sinks.contains(id) else { throw .alreadyRegistered(id: id) }
    let isNew = session.current.program(id) == nil
    if isNew, let refusal = session.send(.registerMedia(id: id, isSend: false, isReceive: true)) {
      throw SinkError(id: id, refusal)
    }
    do throws(SinkError) {
      if let refusal = try session.register(sink) {
        throw SinkError(id: id, refusal)
      }
    } catch {
      if isNew { session.send(.unregisterMedia(id: id)) }
      throw error
    }
    sinkMedia.withLock { if isNew { $0.insert(id) } else { $0.remove(id) } }
    log.add(.info, "participant \(id): \(sampleRate) Hz, \(channelCount) channel\(channelCount == 1 ? "" : "s")")
    participantChanged.current?(id, .came)
    return sink
  }

  /// Adds a participant with its own PipeWire sink device (K9). Throws `.impossibleId`, `.alreadyRegistered` or `.tooManySinks`.
  public func addGraphSink(id: String) throws(SinkError) {
    if let problem = ParticipantId.problem(id) { throw .impossibleId(id, reason: problem) }
    let result: Result<Void, SinkError> = registration.withLock { _ in
      do throws(SinkError) {
        graph.addGraphSink(try core.mixer.addGraphSink(id: id))
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
    log.add(.info, "participant \(id): device nearend.sink.\(id)")
    participantChanged.current?(id, .came)
  }

  /// Removes a participant of either kind; ignored for an unknown id.
  public func removeSink(id: String) {
    let isRemoved = registration.withLock { _ in
      graph.removeGraphSink(id: id)
      return core.mixer.graphSink(id: id) != nil && core.mixer.remove(id: id)
    }
    let hasRing = session.current.sinks.contains(id)
    if hasRing {
      // Media that somebody else registered stays, with its microphone.
      let ownsMedia = sinkMedia.withLock { $0.remove(id) != nil }
      session.send(ownsMedia ? .unregisterMedia(id: id) : .unregisterSink(mediaId: id))
    }
    guard isRemoved || hasRing else { return }
    log.add(.info, "participant \(id) left")
    participantChanged.current?(id, .left)
  }

  // MARK: Commands

  /// Carries out a command of a person or a program.
  public func perform(_ command: Command) {
    let controls = core.controls
    switch command {
    case .setBypass(let on):
      controls.isBypassed = on
      log.add(.info, "voice processing \(on ? "bypassed" : "no longer bypassed")")
    case .setComponent(let component, let on):
      controls[component] = on
      log.add(.info, "\(component.abbreviation) \(on ? "on" : "off")")
    case .setEchoCanceller(let canceller):
      controls.echoCanceller = canceller
      log.add(.info, canceller == .off ? "AEC off" : "AEC on: \(controls.engine.name)")
    case .setMicMode(let mode):
      controls.micMode = mode
      log.add(.info, "mic mode: \(mode.words)")
      if mode == .voiceIsolation, let obstacle = core.isolation.obstacle {
        log.add(.warning, "\(obstacle); until then the mode is as standard")
      }
    case .setMicrophoneMuted, .setMicrophoneMuteMode, .setRecordingAlwaysPrepared, .setMicVolume, .setAppVolume, .setAppDucking,
      .setAppMonitor:
      // Setting the same value is not logged.
      do throws(SessionRefusal) {
        guard try performAtMicrophone(command) else { return }
      } catch {
        return log.add(.warning, error.description)
      }
    case .setSinkMuted(let id, let muted):
      setSink(id) {
        $0.isMuted = muted
      } graph: {
        $0.isMuted = muted
      }
    case .setSinkGain(let id, let gain):
      setSink(id) {
        $0.gain = Float(gain)
      } graph: {
        $0.gain = Float(gain)
      }
    case .clearCounters:
      core.clearCounters()
      log.add(.info, "counters cleared")
    case .pickDevice(let direction, let name): pick(direction, name)
    case .setOutputVolume(let volume):
      core.mixer.masterGain = Float(volume)
      log.add(.info, "output volume \(Int(bounded: volume * 100)) %")
    case .setReference(let reference):
      graph.ask(.setReference(reference))
      log.add(.info, "the echo canceller hears \(reference.words)")
    case .setDefaultDevices(let on):
      graph.ask(.setDefaultDevices(on))
      log.add(.info, on ? "nearend's devices are the session's defaults" : "the session's former defaults are back")
    case .setPauseOnUnplug(let on):
      graph.ask(.setPauseOnUnplug(on))
      log.add(.info, "headphones gone: \(on ? "pause" : "play on in the room")")
    case .resumeAfterUnplug:
      guard graph.report.route.isPausedAfterUnplug else { return log.add(.info, "nothing is paused") }
      graph.ask(.resume)
      log.add(.info, "playing again, in the room")
    case .setDuckingLevel(let level):
      graph.duckingSettings.level = level
      log.add(.info, "other applications \(Int(bounded: level.decibels)) dB lower in a call")
    case .setAdvancedDucking(let on):
      graph.duckingSettings.isAdvanced = on
      log.add(.info, on ? "other applications are lowered while somebody speaks" : "other applications are lowered for the whole call")
    case .saveDiagnostics: saveDiagnostics()
    }
    if let setting = command.setting { changed(setting) }
  }

  private func pick(_ direction: Device.Direction, _ name: String?) {
    let end = direction == .input ? "microphone" : "speaker"
    if let name, GraphController.isOwnNode(name) {
      return log.add(.warning, "\(end): \(name) is nearend's own and cannot be picked, it would hear itself")
    }
    graph.pick(direction, name: name)
    let isThere = graph.report.route.missingPick(direction) == nil
    log.add(
      isThere ? .info : .warning,
      "\(end): \(name.map { "\($0), picked\(isThere ? "" : "; it is not there, and is used as soon as it comes")" } ?? "the default again")"
    )
  }

  private func setSink(_ id: String, ring: (RingSink) -> Void, graph: (GraphSink) -> Void) {
    if let sink = core.mixer.ringSink(id: id) { ring(sink) }
    if let sink = core.mixer.graphSink(id: id) { graph(sink) }
    participantChanged.current?(id, .changed)
  }

  // MARK: Snapshot

  /// Returns the complete current state. Never waits for the audio thread.
  public func snapshot() -> Snapshot {
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
    snapshot.session = SessionStatus(
      state, interruption: session.interruption, interruptions: session.interruptions, isMicrophoneMuted: core.controls.isMicrophoneMuted)
    snapshot.session.isTalkingWhileMuted = isTalkingWhileMuted
    snapshot.appAudio = AppAudioStatus(core.appAudio, isHeard: isHeard)
    snapshot.outputVolume = Double(core.mixer.masterGain)
    snapshot.source = sourceStatus
    snapshot.processing = ProcessingStatus(
      controls: core.controls, meters: core.meters.snapshot(),
      render: isHeard ? (core.mixer.speakerPeak, core.mixer.limiterGain) : (0, 1),
      isSending: state.demand.sends, hasMicrophone: report.graph.captureLinks > 0, isInterrupted: !state.interruptions.isEmpty,
      streamDelay: report.streamDelay, isolation: core.isolation.status,
      modeLatency: report.graph.quantum > 0 ? core.isolation.latency(quantum: report.graph.quantum) : 0)
    snapshot.log = log.all
    completion.current?(&snapshot)
    return snapshot
  }

  /// Lets others add to every snapshot what the service itself does not know.
  public func completeSnapshots(_ complete: @escaping @Sendable (inout Snapshot) -> Void) { completion.set(complete) }

  private func saveDiagnostics() {
    // Short, so that the log's row fits in 80 columns.
    let name = "nearend-\(Int(Date().timeIntervalSince1970))"
    let folder = FileManager.default.temporaryDirectory
    var url = folder.appendingPathComponent("\(name).json")
    for number in 2..<100 where FileManager.default.fileExists(atPath: url.path) {
      url = folder.appendingPathComponent("\(name)-\(number).json")
    }
    do {
      // Readable only by its owner: it contains names of devices and applications.
      let file = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw SystemError.last }
      defer { close(file) }
      try write(snapshot().json().utf8, to: file)
      log.add(.info, "diagnostics written to \(url.path)")
    } catch {
      log.add(.error, "diagnostics could not be written to \(url.path): \(error)")
    }
  }
}

extension SinkError {
  /// Converts the session's refusal of a sink.
  fileprivate init(id: String, _ refusal: SessionRefusal) {
    self =
      switch refusal {
      case .sinkExists: .alreadyRegistered(id: id)
      case .ended: .sessionEnds(id: id, reason: refusal.description)
      default: .refused(id: id, reason: refusal.description)
      }
  }
}
