import LoginSession
import PipeWireClient
import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// nearend in PipeWire's graph: the filter, the virtual devices, and the links between them and the real devices, all recreated when the
/// daemon returns.
///
/// Every change in the daemon's registry leads to `reconcile`, which brings the graph to its wanted state; nothing else makes or removes
/// links.
///
/// `@unchecked Sendable`: all state is accessed with the thread loop's lock held, in its own thread's callbacks or through `loop.locked`.
package final class GraphController: @unchecked Sendable {
  let loop = ThreadLoop(name: "nearend-control", descriptors: Shortage.mostNeededBySession)
  let core: AudioCore
  let options: GraphOptions
  /// Receives the graph's events, and states the session's demands.
  let listener: any GraphListener
  private(set) var parameters: GraphParameters?

  /// Everything that depends on the daemon; nil while it is away.
  var attachment: DaemonAttachment?
  /// What the attachment and the keepers tell.
  let events = EventSender<ControllerEvent>()
  var arrival = Arrival()

  // These outlive the daemon.
  let routes: RouteKeeper
  let ducking: DuckingKeeper
  let freeze: FreezeRecovery
  let recovery: RecoveryWatch
  let restore: RestoreKeeper
  var firstPoll = FirstPoll()
  var priority = PriorityWatch()
  var news = GraphNews()
  var cycleWindow = CycleWindow()
  var speakerGain = SpeakerGain()
  /// In a lock of its own, so that asking for one waits for nobody.
  let settingsInEffect: Mutex<GraphSettings>
  /// Participants with a device of their own, in the order of registration.
  private(set) var graphSinks: [GraphSink] = []
  private(set) var login: LoginWatch?
  /// The last route with both an input and an output.
  var echoPath: RouteDescription?
  /// Whether nearend manages a call.
  var isInCall = false
  private(set) var isStopping = false

  private(set) var schedule: Schedule

  /// Creates a controller, which does nothing before `start`. [any]
  package init(core: AudioCore, options: GraphOptions, listener: any GraphListener) {
    self.core = core
    self.options = options
    self.listener = listener
    settingsInEffect = Mutex(options.settings)
    schedule = Schedule(loop: loop)
    restore = RestoreKeeper(RestoreFile(folder: options.stateFolder)) { listener.handle(.remark($0, $1)) }
    routes = RouteKeeper(options, loop: loop, restore: restore, events: events)
    ducking = DuckingKeeper(
      loop: loop, core: core, remote: options.remote, settings: options.settings.ducking, restore: restore, events: events)
    freeze = FreezeRecovery(loop: loop, core: core, events: events)
    recovery = RecoveryWatch(loop: loop, core: core) { listener.handle(.soundPasses) }
    schedule.reconcile.connect(to: self) { $0.reconcile() }
    schedule.reconcileLater.connect(to: self) { $0.reconcileSoon() }
    schedule.publish.connect(to: self) { controller in
      // The engine may have changed.
      controller.renewCapturePath()
      controller.publishParameters()
      // *Nearend Microphone* may have another number of channels now.
      controller.reconcileSoon()
    }
    schedule.latency.connect(to: self) { $0.updateLatency() }
    schedule.reconnect.connect(to: self) { $0.reconnect() }
    schedule.poll.connect(to: self) { $0.poll() }
    schedule.making.connect(to: self) { controller in
      controller.renewCapturePath()
      controller.updateLatency()
    }
    events.connect(to: self) { $0.handle($1) }
  }

  /// Joins the graph. [any], once.
  /// - Throws: `noDaemon`, `alreadyRunning`, `unknownDevice`, `refused`; nothing stays in the graph then. With `waitsForArrival` not the
  ///   first, and the third only for a device of the other direction.
  package func start() throws(GraphError) {
    do throws(GraphError) {
      do throws(PipeWireError) { try loop.start() } catch { throw GraphError(error) }
      try loop.locked { () throws(GraphError) in
        let isThere = try join()
        renewCapturePath(isFirst: true)
        if isThere {
          do throws(PipeWireError) { try build() } catch { throw GraphError(error) }
        }
        login = LoginWatch(options.interruptions.systemBus, loop: loop) { [events] in events.send(.login($0)) }
        reconcileSoon()
      }
    } catch {
      stop()
      throw error
    }
  }

  /// Leaves the graph and removes every node and link. Idempotent. [any], not from `GraphListener.handle`.
  package func stop() {
    // The connection that is being closed, until it can no longer deliver anything.
    var leaving: Connection?
    loop.locked {
      isStopping = true
      for timer in [schedule.poll, schedule.making] { timer.pause() }
      freeze.pause()
      recovery.pause()
      restoreDuckedStreams()
      if let attachment { attachment.routes.giveBack(attachment.programs) }
      routes.leave(attachment?.routes)
      // Let the daemon remove everything before the connection closes.
      leaving = attachment?.connection
      detach()
      leaving?.roundTrip(timeout: 1)
    }
    // End the thread first: it may be about to call, without the lock, what is destroyed here.
    loop.stop()
    loop.locked {
      schedule.cancel()
      freeze.cancel()
      recovery.cancel()
      login = nil
      // They retain this controller.
      parameters = nil
      routes.end()
      ducking.end()
      leaving = nil
    }
  }

  // MARK: Changes while running

  /// Gives a participant its own PipeWire sink device, `nearend.sink.<id>` (K9). [any]
  package func addGraphSink(_ sink: GraphSink) {
    loop.locked {
      graphSinks.append(sink)
      reconcileSoon()
    }
  }

  /// Removes a participant's device. [any]
  package func removeGraphSink(id: String) {
    loop.locked {
      guard let index = graphSinks.firstIndex(where: { $0.id == id }) else { return }
      attachment?.filter?.removeSinkPorts(id: id, slot: graphSinks.remove(at: index).slot)
      reconcileSoon()
    }
  }

  /// Reconciles with a new demand of the session. [any], not from `GraphListener.demands`.
  package func demandChanged() { loop.locked { reconcileSoon() } }

  /// Rebuilds a frozen graph's filter with the same ports, as soon as the daemon answers; devices and settings stay (I5). [any]
  package func rebuild() { loop.locked { freeze.requestRebuild() } }

  /// Sends `soundPasses` once what the session demands is linked and cycles run where they are due (S4). [any]
  package func notifyWhenSoundPasses() {
    loop.locked {
      recovery.request()
      reconcileSoon()
    }
  }

  /// Sets the filter node's parameters. [any], once, before `start`.
  package func provide(_ parameters: GraphParameters) { loop.locked { self.parameters = parameters } }

  /// Publishes the parameters again, asynchronously. [any]
  package func parametersChanged() { loop.locked { schedule.publish.raise() } }

  /// Calls `beat` on the control thread every `interval` seconds, for as long as that thread answers. [any], once.
  package func startHeartbeat(every interval: Double, _ beat: @escaping @Sendable () -> Void) {
    loop.locked {
      schedule.beat = LoopTimer(loop: loop, handler: beat)
      schedule.beat?.schedule(after: interval, every: interval)
    }
  }

  // MARK: The daemon

  func attach() throws(PipeWireError) {
    attachment = try DaemonAttachment(options, loop: loop, events: events)
    try loop.check()
    restore.reportUnreadable()
    routes.handle(.connected)
  }

  func detach() {
    loop.assertLocked()
    attachment = nil
    routes.handle(.disconnected)
    ducking.disconnected()
  }

  func build() throws(PipeWireError) {
    guard let attachment else { return }
    arrival.hasJoined = true
    try attachment.makeFilter(core)
    publishParameters()
  }

  func publishParameters() {
    guard let filter = attachment?.filter, let parameters else { return }
    do throws(PipeWireError) { try filter.filter.publish(parameters.read()) } catch { log(.warning, error.description) }
  }

  // MARK: Telling

  func interrupt(_ reason: Interruption.Reason, _ isOn: Bool) { listener.handle(.interruption(reason, isOn)) }

  func notify(_ events: [GraphEvent]) { for event in events { listener.handle(event) } }

  func log(_ level: LogEntry.Level, _ message: String) { listener.handle(.remark(level, message)) }
}
