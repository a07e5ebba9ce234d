import LoginSession
import PipeWireClient
import Platform
import RealtimeCore
import SessionModel

/// Handles what the keepers and watchers of the graph tell.
extension GraphController {
  func handle(_ event: ControllerEvent) {
    switch event {
    case .remark(let level, let text): log(level, text)
    case .isDue: reconcileSoon()
    case .volumesChanged: noticeVolumes()
    case .filter(let event): handle(event)
    case .lost(let error): beginWaiting(error)
    case .pause(let isOn): core.mixer.isPaused = isOn
    case .misplaced(let direction, let name): refusePick(direction, name)
    case .routeChanged(let change):
      noticeEchoPath(change)
      listener.handle(.routeChanged(change))
    case .unducked: loop.signal()
    case .froze:
      log(.error, "the graph is frozen: no cycle for more than \(FreezeWatch.limit) s though it should run")
      interrupt(.frozen, true)
    case .rebuild: rebuildFilter()
    case .thawed: interrupt(.frozen, false)
    case .login(let event): handle(event)
    }
  }

  /// Waits for a daemon that went away: reported once, even if the next one ends before it has answered.
  private func beginWaiting(_ error: PipeWireError) {
    guard arrival.lostSince == nil else { return retryLater() }
    arrival.lostSince = monotonicNanoseconds()
    log(.error, "\(error.description); waiting for it")
    interrupt(.daemonLost, true)
    freeze.lost()
    schedule.reconnect.schedule(after: 0.001)
    reconcileSoon()
  }

  private func handle(_ event: DuplexFilter.Event) {
    switch event {
    case .state(.error(let reason)): log(.error, "the filter node failed: \(reason)")
    case .state(.streaming):
      core.graphRestarted()
      firstPoll.start(cycles: core.cycleMeters.cycles)
      schedule.awaitFirstCycle()
    case .state:
      freeze.noCycleDue()
      schedule.poll.pause()
      // Cycles may have run for less time than the first poll takes on a busy machine.
      schedule.latency.raise()
    // Deferred, because handling it may rebuild the filter that sends this event.
    case .latencyChanged: schedule.latency.raise()
    case .parameters(let changes): parameters?.write(changes)
    }
  }

  /// Resets the known echo delay only if the echo path changed: devices that disappear briefly return to the same path.
  private func noticeEchoPath(_ change: RouteChange) {
    func isWhole(_ route: RouteDescription) -> Bool { !route.inputs.isEmpty && !route.outputs.isEmpty }
    if echoPath == nil, isWhole(change.previousRoute) { echoPath = change.previousRoute }
    guard isWhole(change.route), echoPath != change.route else { return }
    echoPath = change.route
    core.controls.echoPathChanged()
    core.inputs.restart()
  }

  private func rebuildFilter() {
    guard let attachment, !isStopping else { return }
    log(.warning, "the filter is rebuilt")
    schedule.poll.pause()
    do throws(PipeWireError) {
      try attachment.remakeFilter(core)
      publishParameters()
    } catch {
      log(.error, error.description)
    }
    reconcileSoon()
  }

  private func handle(_ event: LoginWatch.Event) {
    switch event {
    case .remark(let text): log(.info, text)
    case .sleep(let isGoing):
      log(.info, isGoing ? "the machine is about to sleep" : "the machine is awake again")
      routes.handle(.sleep(isGoing: isGoing))
      interrupt(.sleep, isGoing)
    case .active(let isActive):
      if !isActive { log(.info, "another login session has the seat") }
      listener.handle(.session(isActive ? .enteredForeground : .enteredBackground))
      if options.interruptions.whenInactive == .stop { interrupt(.sessionInactive, !isActive) }
    }
    reconcileSoon()
  }
}
