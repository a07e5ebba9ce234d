import Foundation
import PipeWireGraph
import RealtimeCore
import SessionModel
import Synchronization

/// All of nearend in one process: the audio core, its place in PipeWire's graph, and the state of both. [any]
package final class NearendService: Sendable {
  /// The session: media, activation and recovery; decides whether sound flows.
  package let session: VoiceSession
  /// Tells what happens.
  package let events: EventBus
  package let core: AudioCore
  let graph: any SessionGraph
  let settings: ServiceSettings
  let participants: Participants
  let remotes: Remotes
  let log: EventLog
  let watch: EventWatch
  let recorder: HistoryRecorder
  let auditions: Auditions
  let tally = EventTally()
  /// Set by `start`, if there is a destination.
  let telemetry = Mutex<Telemetry?>(nil)
  private let greeting: Greeting
  private let telemetryOptions: TelemetryOptions
  let processorUse = ProcessorUse()
  let started = Date()
  private let settingChanges: EventBus.Subscription
  /// Adds to every snapshot what the service itself does not know.
  let completion = Callback<@Sendable (inout Snapshot) -> Void>()
  /// Applies what files say now.
  let reload = Callback<@Sendable () -> Void>()
  let presetKeeper = Callback<any PresetKeeping>()
  private let controlSocket: String?
  private let control = Mutex<ControlServer?>(nil)
  /// Media that the control socket's clients have registered.
  let clientMedia = Mutex(ClientMedia())
  /// Programs that have joined through the control socket.
  let programs = Programs()
  let plugInTrial: PlugInTrial?
  let trialEnd = TrialEnd()
  /// Distributes the voice to joined programs and remote senders.
  let relay: VoiceRelay

  /// Creates a service that does nothing before `start`.
  /// - Parameter events: the bus that it is to tell by.
  /// - Throws: `GraphError.refused` if voice processing cannot be set up.
  package convenience init(_ options: NearendOptions, events: EventBus = EventBus()) throws(GraphError) {
    try self.init(options, log: EventLog(events), events: events) {
      GraphController(core: $0, options: $1, listener: $2)
    }
  }

  /// Creates a service with a log and a bus that outlive it, and a graph that the caller creates.
  init(_ options: NearendOptions, log: EventLog, events: EventBus, makeGraph: MakeGraph) throws(GraphError) {
    telemetryOptions = options.telemetry
    self.log = log
    self.events = events
    controlSocket = options.controlSocket
    plugInTrial = options.plugInTrial
    do {
      core = try AudioCore(usesMixAsReference: options.graph.settings.reference == .mix)
    } catch {
      throw .refused(reason: "voice processing cannot start: \(error)")
    }
    core.controls.echoCanceller = options.echoCanceller
    relay = VoiceRelay(tap: core.relay)
    let greeting = Greeting(log)
    self.greeting = greeting
    let session = VoiceSession(settings: options.session, core: core, log: log, events: events)
    self.session = session
    let watch = EventWatch(core: core, events: events, unitRun: { [weak session] in session?.unitRun })
    self.watch = watch
    let recorder = HistoryRecorder(core: core)
    self.recorder = recorder
    let auditions = Auditions(core: core, session: session, log: log)
    self.auditions = auditions
    let stages = StageWatch(capture: core.captureStages, render: core.mixer.stages, plugIns: core.plugIns, log: log)
    tally.listen(to: events)
    let inbox = GraphInbox(
      session: session, log: log, events: events, greeting: greeting, watch: watch, stages: stages, recorder: recorder,
      programs: programs)
    let graph = makeGraph(core, options.graph, inbox)
    self.graph = graph
    settings = ServiceSettings(core: core, session: session, graph: graph, log: log, events: events)
    participants = Participants(core: core, session: session, graph: graph, log: log, events: events)
    remotes = Remotes(participants: participants, session: session, relay: relay, log: log)
    session.connect(to: graph)
    auditions.connect(to: graph)
    settingChanges = events.subscribe { [weak graph] news in
      if case .event(let event) = news, event.kind == .settingChanged { graph?.parametersChanged() }
    }
    let props = NodeProps(settings: settings)
    graph.provide(GraphParameters(read: { props.parameters() }, write: { props.apply($0) }))
  }

  /// Joins the graph, and opens the control socket. Call it once.
  /// - Throws: the graph's error; `GraphError.refused` if telemetry's file cannot be written, or the socket not be opened.
  package func start() throws(GraphError) {
    try startTelemetry(telemetryOptions)
    try graph.start()
    greeting.post()
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
      try ControlEndpoints.answer(exchange, for: self)
    }
    control.withLock { $0 = server }
    server.start()
    log.add(.info, "control socket: \(controlSocket)")
  }

  /// The number of clients connected to the control socket.
  var clientCount: Int { control.withLock { $0?.connectionCount ?? 0 } }

  deinit { stop() }

  /// Leaves the graph, without leaving anything behind; a source and every client of the socket see their end. Idempotent.
  package func stop() {
    endTrials()
    let server = control.withLock { control in
      defer { control = nil }
      return control
    }
    server?.stop()
    auditions.stop()
    remotes.stop()
    if let source = session.slot.current { session.unregister(source) }
    graph.stop()
    telemetry.withLock { $0 }?.stop()
  }

  /// Calls `beat` every `interval` seconds on the control thread, which serves the graph: if that thread hangs, the calls cease. [any],
  /// once, after `start`. A service in manual rendering has no such thread.
  package func startHeartbeat(every interval: Double, _ beat: @escaping @Sendable () -> Void) {
    graph.startHeartbeat(every: interval, beat)
  }

  /// Puts a remark into the log.
  package func remark(_ message: String, _ level: LogEntry.Level = .info) { log.add(level, message) }
}
