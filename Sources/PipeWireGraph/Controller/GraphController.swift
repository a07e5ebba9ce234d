import LoginSession
import PipeWireClient
import RealtimeCore
import SessionModel

/// nearend in PipeWire's graph: the filter, the virtual devices, and the links between them and the real devices, all recreated when the
/// daemon comes back.
///
/// Every change in the daemon's registry leads to `reconcile`, which brings the graph to its wanted state; nothing else makes or ends
/// links.
///
/// `@unchecked Sendable`: all state is accessed with the thread loop's lock held, in its own thread's callbacks or through `loop.locked`.
public final class GraphController: @unchecked Sendable {
  let loop = ThreadLoop(name: "nearend-control")
  let core: AudioCore
  let options: GraphOptions
  var remote: String? { options.remote }
  let hooks: GraphHooks
  private var parameters: GraphParameters?

  // What exists only while the daemon is there.
  var connection: Connection?
  private var filter: DuplexFilter?
  private var devices: VirtualDevices?
  private var links: LinkKeeper?
  private var clients: ClientWatch?
  private var roles: RoleWatch?
  private var volumes: VolumeWatch?
  private var groups: LinkGroups?

  // Outlives the daemon.
  private(set) var routes: RouteKeeper!
  private(set) var ducking: DuckingKeeper!
  var reference: ReferenceSource
  private var graphSinks: [String: GraphSink] = [:]
  private var graphSinkOrder: [String] = []
  var objects = GraphObjects([])
  var media = ClientWatch.Users()
  private var wanted = SessionDemand()
  var lostSince: UInt64?
  /// Set once it has had a place in a daemon's graph.
  var hasJoined = false
  /// What was last told of why it has none though there is a daemon.
  var refusal: GraphError?
  private var hasNoDevice = false
  private var login: LoginWatch?
  private var interrupter: String?
  /// The last route with both an input and an output.
  private var echoPath: RouteDescription?
  private var isDemanded = false
  private(set) var isInCall = false
  private(set) var isStopping = false
  private var lastVolumes = VolumesStatus()
  private var closedMicrophone: UInt32?
  /// How often it was suspended since the mute, and when last, in seconds.
  private var closing = (count: 0, time: 0.0)
  private var priority = PriorityWatch()
  private lazy var freeze = makeFreezeRecovery()
  private lazy var recovery = RecoveryWatch(loop: loop, core: core) { [unowned self] in hooks.soundPasses() }

  private(set) var dirty: LoopSignal!
  private var parametersDirty: LoopSignal!
  private var latencyDirty: LoopSignal!
  private(set) var retryTimer: LoopTimer!
  private var watchTimer: LoopTimer!
  private var makingTimer: LoopTimer!
  private var beatTimer: LoopTimer?

  /// The client's name differs from its node's: tools that take a name would find the client first.
  static let client: Properties = ["application.name": "Nearend Voice Processing", "application.id": "nearend.voice-processing"]
  /// Seconds between looks at what the audio thread reports, while it runs.
  private static let watchInterval = 0.1
  /// Seconds between checks for a capture path that is being made.
  private static let makingInterval = 0.01

  /// Does nothing before `start`. [any]
  public init(core: AudioCore, options: GraphOptions, hooks: GraphHooks) {
    self.core = core
    self.options = options
    self.hooks = hooks
    reference = options.reference
    dirty = LoopSignal(loop: loop) { [unowned self] in reconcile() }
    routes = RouteKeeper(
      options, loop: loop,
      hooks: RouteKeeper.Hooks(
        pause: { [unowned self] in self.core.mixer.isPaused = $0 },
        changed: { [unowned self] in
          noticeEchoPath($0)
          self.hooks.routeChanged($0)
        },
        remark: { [unowned self] in tell($0, $1) }, again: { [unowned self] in dirty.raise() }))
    ducking = makeDuckingKeeper()
    parametersDirty = LoopSignal(loop: loop) { [unowned self] in
      // The engine may have changed.
      renewCapturePath()
      publishParameters()
    }
    latencyDirty = LoopSignal(loop: loop) { [unowned self] in watch() }
    retryTimer = LoopTimer(loop: loop) { [unowned self] in reconnect() }
    watchTimer = LoopTimer(loop: loop) { [unowned self] in watch() }
    makingTimer = LoopTimer(loop: loop) { [unowned self] in
      renewCapturePath()
      tellLatency()
    }
  }

  /// Joins the graph. [any], once.
  /// - Throws: `noDaemon`, `alreadyRunning`, `unknownDevice`, `refused`; nothing is left behind then. With `waitsForArrival` neither the first nor the third.
  public func start() throws(GraphError) {
    loop.start()
    do throws(GraphError) {
      try loop.locked { () throws(GraphError) in
        let isThere = try join()
        renewCapturePath(isFirst: true)
        if isThere {
          do throws(PipeWireError) { try build() } catch { throw GraphError(error) }
        }
        login = LoginWatch(options.interruptions.systemBus, loop: loop) { [unowned self] in handle($0) }
        dirty.raise()
      }
    } catch {
      stop()
      throw error
    }
  }

  /// Leaves the graph, without a node or link remaining. Idempotent. [any], not from `remark`.
  public func stop() {
    loop.locked {
      isStopping = true
      watchTimer.pause()
      makingTimer.pause()
      freeze.pause()
      recovery.pause()
      bringBackOthers()
      routes.leave()
      // The daemon removes everything before the connection closes.
      takeDown()
      connection?.roundTrip(timeout: 1)
    }
    // First end the thread: it may be about to call, without the lock, what is destroyed here.
    loop.stop()
    loop.locked {
      dirty.cancel()
      parametersDirty.cancel()
      latencyDirty.cancel()
      retryTimer.cancel()
      watchTimer.cancel()
      makingTimer.cancel()
      beatTimer?.cancel()
      freeze.cancel()
      recovery.cancel()
      login = nil
      // Once more, for anything that arrived during the round trip.
      takeDown()
      routes.end()
      ducking.end()
      connection = nil
    }
  }

  // MARK: Changes while running

  /// Gives a participant its own PipeWire sink device, `nearend.sink.<id>` (K9). [any]
  public func addGraphSink(_ sink: GraphSink) {
    loop.locked {
      graphSinks[sink.id] = sink
      graphSinkOrder.append(sink.id)
      dirty.raise()
    }
  }

  /// Removes a participant's device. [any]
  public func removeGraphSink(id: String) {
    loop.locked {
      guard let sink = graphSinks.removeValue(forKey: id) else { return }
      graphSinkOrder.removeAll { $0 == id }
      filter?.removeSinkPorts(id: id, slot: sink.slot)
      dirty.raise()
    }
  }

  /// Reconciles with a new demand of the session. [any], not from a hook.
  public func demandChanged() { loop.locked { dirty.raise() } }

  /// Rebuilds a frozen graph's filter with the same ports, as soon as the daemon answers; devices and settings stay (I5). [any]
  public func rebuild() { loop.locked { freeze.ask() } }

  /// Calls the hook `soundPasses` once what the session demands is linked and cycles run where they are due (S4). [any]
  public func tellWhenSoundPasses() {
    loop.locked {
      recovery.ask()
      dirty.raise()
    }
  }

  /// Sets the filter node's parameters. [any], once, before `start`.
  public func provide(_ parameters: GraphParameters) { loop.locked { self.parameters = parameters } }

  /// Publishes the parameters again, soon. [any]
  public func parametersChanged() { loop.locked { parametersDirty.raise() } }

  /// Calls `beat` on the control thread every `interval` seconds, for as long as that thread answers. [any], once.
  public func beat(every interval: Double, _ beat: @escaping @Sendable () -> Void) {
    loop.locked {
      beatTimer = LoopTimer(loop: loop, handler: beat)
      beatTimer?.schedule(after: interval, every: interval)
    }
  }

  // MARK: Connection

  func connect() throws(PipeWireError) {
    let properties = Self.client
    let connection = try Connection(loop: loop, remote: options.remote, properties: properties) { [unowned self] event in handle(event) }
    self.connection = connection
    routes.connected(connection, remote: options.remote, properties: properties)
    clients = ClientWatch(connection) { [unowned self] in dirty.raise() }
    roles = RoleWatch(connection, roles: options.interruptions.roles) { [unowned self] in dirty.raise() }
    volumes = VolumeWatch(connection) { [unowned self] in noticeMute() }
    groups = LinkGroups(connection) { [unowned self] in dirty.raise() }
    devices = VirtualDevices(connection) { [unowned self] in
      dirty.raise()
    } failed: { [unowned self] reason in
      tell(.error, "a device was refused: \(reason); retrying with backoff")
    }
    links = makeLinkKeeper(connection)
  }

  private func makeLinkKeeper(_ connection: Connection) -> LinkKeeper {
    LinkKeeper(connection) { [unowned self] in
      dirty.raise()
    } failed: { [unowned self] reason in
      tell(.warning, "a link was refused: \(reason); retrying with backoff")
    }
  }

  func build() throws(PipeWireError) {
    guard let connection else { return }
    hasJoined = true
    filter = try DuplexFilter(connection, core: core) { [unowned self] event in
      switch event {
      case .state(.error(let reason)): tell(.error, "the filter node failed: \(reason)")
      case .state(let state):
        guard state == .streaming else {
          freeze.rest()
          return watchTimer.pause()
        }
        core.graphRestarted()
        watchTimer.schedule(after: Self.watchInterval, every: Self.watchInterval)
      // Later: handling it may rebuild the filter, whose event this is.
      case .latencyChanged: latencyDirty.raise()
      case .parameters(let changes): parameters?.write(changes)
      }
    }
    publishParameters()
  }

  private func publishParameters() {
    guard let filter, let parameters else { return }
    do throws(PipeWireError) { try filter.filter.publish(parameters.read()) } catch { tell(.warning, error.description) }
  }

  func takeDown() {
    // Its links go with it, safely in whatever state they are (`LinkInquiry`).
    filter = nil
    links = nil
    devices = nil
    clients = nil
    roles = nil
    volumes = nil
    groups = nil
    routes.disconnected()
    ducking.disconnected()
  }

  private func handle(_ event: Connection.Event) {
    switch event {
    case .added: dirty.raise()
    case .removed(let object):
      if object.kind == .node { volumes?.removed(object.id) }
      dirty.raise()
    case .full: tell(.warning, "somebody fills the session with more objects than nearend looks at: some are left out")
    case .failed: break  // The object concerned hears of it too.
    case .lost(let error):
      lostSince = monotonicNanoseconds()
      tell(.error, "\(error.description); waiting for it")
      hooks.interruption(.daemonLost, true)
      freeze.lost()
      retryTimer.schedule(after: 0.001)
    }
  }

  // MARK: Reconciliation

  /// Brings the graph to its wanted state, as far as the daemon's objects allow now; the next registry event calls it again.
  private func reconcile() {
    guard let connection, let filter, let devices, let links, let clients, lostSince == nil, !isStopping else { return }
    objects = GraphObjects(connection.objects.values)
    do throws(PipeWireError) {
      try devices.keep(sinks: graphSinkOrder)
      let sinkPorts = filter.sinkPortNames
      for id in graphSinkOrder where sinkPorts[id] == nil { _ = try filter.addSinkPorts(id: id, slot: graphSinks[id]?.slot ?? 0) }
      guard let node = filter.filter.nodeId else { return }
      objects.rename(portsOf: node) { filter.filter.port($0.isInput ? .input : .output, index: $0.index)?.name }
      var endpoints = LinkPlan.Endpoints(
        filter: node, virtualSpeaker: ownNode(NodeNames.speaker), virtualMicrophone: ownNode(NodeNames.microphone))
      for (id, ports) in filter.sinkPortNames {
        if let device = ownNode(NodeNames.sinkPrefix + id) { endpoints.graphSinks.append((device, ports)) }
      }
      let sinks = Set([endpoints.virtualSpeaker].compactMap { $0 } + endpoints.graphSinks.map(\.node))
      update(media: try clients.media(in: objects, microphone: endpoints.virtualMicrophone, sinks: sinks))
      objects.own = .init(filter: node, microphone: endpoints.virtualMicrophone, sinks: sinks)
      objects.linkGroups = try groups?.look(objects) ?? [:]
      let own = sinks.union([node] + [endpoints.virtualMicrophone].compactMap { $0 })
      let ownClients = RoleWatch.clients(of: own, in: objects)
      update(interrupter: try roles?.interrupter(in: objects, ownClients: ownClients))
      let demand: SessionDemand
      (demand, wanted) = hooks.applications(media.all)
      let before = choice
      update(choice: try routes.choose(in: objects, wanted: wanted), was: before)
      let watched = [endpoints.virtualMicrophone, endpoints.virtualSpeaker, choice.microphone?.id, choice.speaker?.id]
      try volumes?.watch(watched.compactMap { $0 })
      noticeMute()
      closeMicrophone(demand)
      core.isSending = demand.sends
      core.isHeld = wanted.isActive && !demand.isActive
      freeze.use(isDemanded: demand.isActive)
      isDemanded = demand.isActive
      isInCall = demand.isCall
      _ = hearCall()
      try ducking.look(objects, speaker: choice.speaker?.id, ownClients: ownClients)
      let plan = LinkPlan(
        objects: objects, endpoints: endpoints, devices: choice, demand: demand,
        keepsAwake: demand.keepsAwake && !connection.hasPassivePorts, reference: reference)
      core.setChannelScales(microphone: plan.microphoneChannels, speaker: plan.speakerPortsPerChannel)
      try links.apply(plan, existing: objects.links)
      useReference(isLinked: plan.hasReference(objects.links))
      let hasDevice = choice.speaker != nil || (demand.sends && choice.microphone != nil)
      filter.keepAwake(demand.keepsAwake && connection.hasPassivePorts && hasDevice)
      noticeMissingDevice()
      // Links made by others are theirs to release.
      let isFree = !demand.linksDevices || !demand.isActive && !objects.hasLinks(of: node, beyond: own)
      if login?.isSleepHeldUp == true, isFree { login?.maySleep() }
      recovery.reconciled(
        isLinked: demand.isActive && plan.isThere(objects.links, demand: demand, devices: choice),
        needsCycles: demand.keepsAwake && hasDevice)
    } catch {
      // The connection reports the loss itself, and is then recreated.
      tell(.warning, error.description)
    }
    if let retry = [links.nextRetry, devices.nextRetry].compactMap({ $0 }).min() { retryTimer(at: retry) }
  }

  private func retryTimer(at time: UInt64) {
    let now = monotonicNanoseconds()
    reconcileTimer.schedule(after: max(0.01, time > now ? Double(time - now) / 1e9 : 0))
  }
  private lazy var reconcileTimer = LoopTimer(loop: loop) { [unowned self] in dirty.raise() }

  /// Identified by the id that the daemon gave it: others may bear the name.
  private func ownNode(_ name: String) -> UInt32? { devices?.id(of: name).flatMap { objects.node(id: $0)?.id } }

  private func update(media new: ClientWatch.Users) {
    for name in new.send where !media.send.contains(name) { tell(.info, "\(name) records from Nearend Microphone") }
    for name in media.send where !new.send.contains(name) { tell(.info, "\(name) no longer records") }
    for name in new.receive where !media.receive.contains(name) { tell(.info, "\(name) plays through nearend") }
    for name in media.receive where !new.receive.contains(name) { tell(.info, "\(name) no longer plays") }
    media = new
  }

  private var choice: RealDevices.Choice { routes.choice }

  /// Resets the known echo delay only if the echo path changed: devices that are gone for a moment come back to the same one.
  private func noticeEchoPath(_ change: RouteChange) {
    func isWhole(_ route: RouteDescription) -> Bool { !route.inputs.isEmpty && !route.outputs.isEmpty }
    if echoPath == nil, isWhole(change.previousRoute) { echoPath = change.previousRoute }
    guard isWhole(change.route), echoPath != change.route else { return }
    echoPath = change.route
    core.controls.echoPathChanged()
  }

  private func update(choice new: RealDevices.Choice, was old: RealDevices.Choice) {
    if new.microphone?.nodeName != old.microphone?.nodeName {
      tell(.info, "microphone: \(new.microphone?.nodeName ?? "none")")
    }
    if new.speaker?.nodeName != old.speaker?.nodeName { tell(.info, "speaker: \(new.speaker?.nodeName ?? "none")") }
    hooks.route(RouteEnds(microphone: new.microphone?.nodeName, speaker: new.speaker?.nodeName))
  }

  /// Nearend's mix takes over at once, and is given up once what the speaker plays is there.
  private func useReference(isLinked: Bool) {
    let usesMix = reference == .mix || core.usesMixAsReference && isDemanded && !isLinked
    guard usesMix != core.usesMixAsReference else { return }
    core.usesMixAsReference = usesMix
    // It comes earlier or later than the other, and so does the echo.
    core.streamDelay = streamDelay(core.cycleMeters)
    core.controls.echoPathChanged()
  }

  /// Held up is the session only where no device is left that it could use; with one of two it goes on.
  private func noticeMissingDevice() {
    // A headset between two profiles is about to return; and without automatic configuration devices are others' concern.
    let isLooking = wanted.isActive && wanted.linksDevices && !routes.isHeadsetMoving
    let isMissing = isLooking && choice.speaker == nil && (choice.microphone == nil || !wanted.sends)
    guard isMissing != hasNoDevice else { return }
    hasNoDevice = isMissing
    tell(isMissing ? .warning : .info, isMissing ? "no real device to play to or record from" : "a real device is there again")
    hooks.interruption(.noDevice, isMissing)
    dirty.raise()
  }

  /// Suspends the device of a muted microphone (D1, mode restart); a session manager would wait another 5 s.
  private func closeMicrophone(_ demand: SessionDemand) {
    guard demand.sends, demand.linksDevices, !demand.opensMicrophone, let id = choice.microphone?.id else {
      (closedMicrophone, closing.count) = (nil, 0)
      return
    }
    guard closedMicrophone != id, !objects.links.contains(where: { $0.outputNode == id || $0.inputNode == id }) else { return }
    closedMicrophone = id
    closing = (closing.count + 1, monotonicSeconds())
    volumes?.suspend(id)
  }

  /// Suspends a closed microphone again that the daemon has woken: it runs the devices of a group together, whichever of them begins. Not for
  /// ever, because each time may be heard from the others.
  private func keepMicrophoneClosed() {
    guard closedMicrophone != nil, closing.count < 5, monotonicSeconds() > closing.time + 0.5, routes.isMicrophoneRunning else { return }
    closedMicrophone = nil
    dirty.raise()
  }

  /// Logs mutes that were not set in nearend.
  private func noticeMute() {
    let now = volumeStatus
    defer { lastVolumes = now }
    for (name, new, old) in [
      ("the real microphone", now.microphone, lastVolumes.microphone),
      ("Nearend Microphone", now.nearendMicrophone, lastVolumes.nearendMicrophone),
      ("Nearend Speaker", now.nearendSpeaker, lastVolumes.nearendSpeaker),
    ] where new.isMuted != old.isMuted {
      tell(.info, "\(name) is \(new.isMuted ? "muted" : "no longer muted"), by a mixer or a switch")
    }
  }

  private var volumeStatus: VolumesStatus {
    guard let volumes else { return lastVolumes }
    var status = VolumesStatus(
      nearendMicrophone: volumes.status(ownNode(NodeNames.microphone)), nearendSpeaker: volumes.status(ownNode(NodeNames.speaker)),
      microphone: volumes.status(choice.microphone?.id), speaker: volumes.status(choice.speaker?.id))
    if routes.isMicrophoneMuted { status.microphone.isMuted = true }
    return status
  }

  // MARK: Interruptions

  private func update(interrupter new: String?) {
    let (was, isNow) = (interrupter != nil, new != nil)
    interrupter = new
    guard was != isNow else { return }
    if let new { tell(.warning, "interrupted: \(new) has priority over a call") }
    hooks.interruption(.role, isNow)
  }

  private func handle(_ event: LoginWatch.Event) {
    switch event {
    case .remark(let text): tell(.info, text)
    case .sleep(let isGoing):
      tell(.info, isGoing ? "the machine is about to sleep" : "the machine is awake again")
      routes.sleep(isGoing)
      hooks.interruption(.sleep, isGoing)
    case .active(let isActive):
      if !isActive { tell(.info, "another login session has the seat") }
      hooks.foreground(isActive)
      if options.interruptions.whenInactive == .stop { hooks.interruption(.sessionInactive, !isActive) }
    }
    dirty.raise()
  }

  private func makeFreezeRecovery() -> FreezeRecovery {
    FreezeRecovery(
      loop: loop, core: core,
      hooks: .init(
        connection: { [unowned self] in lostSince == nil ? connection : nil },
        froze: { [unowned self] in
          tell(.error, "the graph is frozen: no cycle for \(FreezeWatch.limit) s though it should run")
          hooks.interruption(.frozen, true)
        },
        rebuild: { [unowned self] in rebuildFilter() },
        over: { [unowned self] in hooks.interruption(.frozen, false) }))
  }

  /// Rebuilds the filter and its links; the devices that applications use stay.
  private func rebuildFilter() {
    guard let connection, !isStopping else { return }
    tell(.warning, "the filter is rebuilt")
    watchTimer.pause()
    // In this order: the links go with the node, safely in any state.
    filter = nil
    links = makeLinkKeeper(connection)
    do throws(PipeWireError) { try build() } catch { tell(.error, error.description) }
    dirty.raise()
  }

  // MARK: Polling the audio thread

  /// Makes a capture path for a new rate or engine, and reports latency to the graph.
  private func watch() {
    renewCapturePath()
    priority.look()
    keepMicrophoneClosed()
    hooks.looked()
    if hearCall() { dirty.raise() }
    freeze.look(isDemanded: isDemanded, isStarted: filter?.filter.state == .streaming)
    tellLatency()
  }

  private func tellLatency() {
    let meters = core.cycleMeters
    guard meters.quantum > 0 else { return }
    filter?.setLatency(capture: core.captureLatency, render: core.renderLatency)
    core.streamDelay = streamDelay(meters)
  }

  /// Waits only for the first path, before there is a filter.
  private func renewCapturePath(isFirst: Bool = false) {
    let wanted = core.controls.engine
    do {
      try isFirst ? core.prepare() : core.renewCapturePath()
    } catch {
      let engine = core.controls.engine
      tell(.error, "\(error); \(engine == wanted ? "the voice stays silent" : "\(engine.name) goes on")")
    }
    if core.isMakingCapturePath { makingTimer.schedule(after: Self.makingInterval) }
  }

  /// Frames between a sample at the reference and its echo at the microphone, as far as the graph knows: out through the speaker and back
  /// in, minus the delay of the reference itself. The monitor of a driving sink is one quantum late.
  private func streamDelay(_ meters: CycleMeters) -> Int {
    guard let latencies = filter?.latencies else { return 0 }
    let path =
      latencies.speaker.total(quantum: meters.quantum, rate: meters.rate)
      + latencies.microphone.total(quantum: meters.quantum, rate: meters.rate)
    let drives = meters.driver == choice.speaker?.id
    // An offset that a person has set may be longer than the way: then the reference comes as early as it can.
    return max(0, path - (!core.usesMixAsReference && drives ? meters.quantum : 0))
  }

  // MARK: Reporting

  /// A consistent report. Waits for the control thread, never for the audio thread. [any]
  public var report: GraphReport { loop.locked { makeReport() } }

  private func makeReport() -> GraphReport {
    var report = GraphReport()
    let meters = core.cycleMeters
    let isConnected = connection != nil && lostSince == nil
    let inputs = filter?.filter.nodeId.flatMap { objects.ports[$0] } ?? []
    let microphonePort = inputs.first { $0.name == "mic_MONO" }?.id
    let speakerPorts = Set(inputs.filter { $0.name.hasPrefix("speaker_") }.map(\.id))
    report.graph = GraphStatus(
      isConnected: isConnected, daemonVersion: isConnected ? connection?.daemonVersion ?? "" : "",
      nodeId: isConnected ? filter?.filter.nodeId : nil, driver: objects.node(id: meters.driver)?.nodeName ?? "",
      quantum: meters.quantum, rate: meters.rate, cycles: meters.cycles, busyRatio: meters.busyRatio, busyRatioPeak: meters.busyRatioPeak,
      xruns: meters.xruns, captureLatency: core.captureLatency, renderLatency: core.renderLatency,
      captureLinks: objects.links.count { $0.key.input == microphonePort },
      renderLinks: objects.links.count { speakerPorts.contains($0.key.output) }, realtimePriority: priority.value)
    report.route = routes.status(in: objects, reference: reference)
    report.route.volumes = volumeStatus
    report.graphSinksInUse = Set(
      graphSinkOrder.filter { id in ownNode(NodeNames.sinkPrefix + id).map { media.usedSinks.contains($0) } ?? false })
    report.ducking = ducking.status
    report.streamDelay = meters.rate > 0 ? Double(core.streamDelay) * 1000 / Double(meters.rate) : 0
    return report
  }

  func tell(_ level: LogEntry.Level, _ message: String) { hooks.remark(GraphRemark(level: level, message: message)) }

  func tenths(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10)" }
}
