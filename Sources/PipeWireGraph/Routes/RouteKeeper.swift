import PipeWireClient
import Platform
import SessionModel

/// Observes routes, lets `reduce` decide, and carries out its effects (R1–R7). [control]
///
///     RouteWatch ──▶ reduce(state, event, time) ──▶ pause, route change, session's defaults, headset's profile
final class RouteKeeper {
  private(set) var state: RouteState
  private let loop: ThreadLoop
  private let restore: RestoreKeeper
  private let events: EventSender<ControllerEvent>
  private let timer: LoopTimer

  init(_ options: GraphOptions, loop: ThreadLoop, restore: RestoreKeeper, events: EventSender<ControllerEvent>) {
    self.loop = loop
    self.restore = restore
    self.events = events
    var picked: [Device.Direction: String] = [:]
    (picked[.input], picked[.output]) = (options.microphone, options.speaker)
    state = RouteState(
      picked: picked, pausesOnUnplug: options.settings.pausesOnUnplug,
      defaults: DefaultDevices(mode: options.settings.defaultDeviceMode, former: restore.content.configuredDefaults),
      headset: restore.content.headset)
    timer = LoopTimer(loop: loop) { events.send(.isDue) }
  }

  /// The devices in use.
  var choice: RouteChoice { state.choice }

  /// Chooses the devices that the session wants, and carries out the consequences.
  /// - Throws: `connectionLost`.
  func choose(from devices: RealDevices, wanted: SessionDemand, with watch: RouteWatch) throws(PipeWireError) {
    try watch.watch(devices)
    handle(.observed(watch.observation(of: devices, wanted: wanted)), watch)
    watch.keepSmart(state.defaultDeviceStatus.effective == .smart, in: devices.objects)
    try watch.returnStrays(in: devices.objects)
  }

  /// Applies a request or news.
  /// - Parameter watch: carries out the effects on the session and on cards; nil without a daemon.
  func handle(_ event: RouteEvent, _ watch: RouteWatch? = nil) {
    loop.assertLocked()
    let effects: [RouteEffect]
    (state, effects) = reduce(state, event, at: monotonicSeconds())
    for effect in effects { carryOut(effect, watch) }
  }

  /// Restores what was changed in the session, and waits briefly until that is done.
  func leave(_ watch: RouteWatch?) {
    timer.pause()
    isLeaving = true
    handle(.leave(watch?.observation(of: RealDevices(GraphObjects([]))) ?? RouteObservation()), watch)
    watch?.waitUntilConfigured()
  }
  private var isLeaving = false

  func end() { timer.cancel() }

  private func carryOut(_ effect: RouteEffect, _ watch: RouteWatch?) {
    switch effect {
    case .remark(let level, let text): events.send(.remark(level, text))
    case .misplaced(let direction, let name): events.send(.misplaced(direction, name: name))
    case .pause(let isOn): events.send(.pause(isOn))
    case .changed(let change): events.send(.routeChanged(change))
    case .saveDefaults(let former): restore.change { $0.configuredDefaults = former }
    case .saveHeadset(let change): restore.change { $0.headset = change }
    case .configure(let direction, let value): watch?.configure(direction, value)
    case .beSmart(let isOn): watch?.beSmart(isOn)
    case .switchProfile(let request): watch?.perform(request, isLast: isLeaving)
    case .observeAgain(let seconds): timer.schedule(after: seconds)
    }
  }

  // MARK: Reporting

  func status(_ devices: RealDevices?, reference: ReferenceSource, _ watch: RouteWatch?) -> RouteStatus {
    let candidates = devices.flatMap { watch?.observation(of: $0).candidates } ?? []
    func device(_ device: RouteDevice?) -> Device? { candidates.first { $0.name == device?.name && $0.direction == device?.direction } }
    var status = RouteStatus(
      microphone: device(choice.microphone), speaker: device(choice.speaker), pickedMicrophone: state.picked[.input],
      pickedSpeaker: state.picked[.output], reference: reference, devices: candidates,
      current: watch == nil ? choice.route.withoutPorts : choice.route, isPausedAfterUnplug: state.isPaused,
      areOursDefault: watch?.areOursDefault ?? false)
    status.defaults = state.defaultDeviceStatus
    if status.defaults.effective == .smart, let devices, let watch { status.defaults.bypasses = watch.bypasses(in: devices.objects) }
    return status
  }
}

extension RouteDescription {
  /// The devices alone: everything else known of them has gone with the daemon.
  fileprivate var withoutPorts: RouteDescription {
    RouteDescription(inputs: inputs.map { RoutePort(name: $0.name) }, outputs: outputs.map { RoutePort(name: $0.name) })
  }
}
