/// Computes the next state of routes, and the effects to carry out. Pure: contains every rule on which devices are used and what follows
/// when they appear or disappear. [any]
///
///     observation ──▶ defaults ──▶ choice ──▶ pause ──▶ route change ──▶ headset's profile
///
/// - Parameter time: seconds of a monotonic clock.
package func reduce(_ state: RouteState, _ event: RouteEvent, at time: Double) -> (state: RouteState, effects: [RouteEffect]) {
  var next = state
  var effects: [RouteEffect] = []
  next.apply(event, at: time, &effects)
  return (next, effects)
}

extension RouteState {
  fileprivate mutating func apply(_ event: RouteEvent, at time: Double, _ effects: inout [RouteEffect]) {
    switch event {
    case .observed(let observation): observe(observation, at: time, &effects)
    case .pick(let direction, let name):
      devices.picked[direction] = name
      misplaced.forget(direction)
    case .setDefaultDeviceMode(let mode): defaults.want(mode)
    case .setPauseOnUnplug(let on):
      unplugPause.isEnabled = on
      effects.append(.pause(isPaused))
    case .resume:
      unplugPause.resume()
      effects.append(.pause(false))
    case .sleep(let isGoing): news.sleep(isGoing: isGoing, at: time)
    case .connected: news.connected(at: time)
    case .disconnected: transition = nil
    case .leave(let observation): leave(observation, &effects)
    }
  }

  private mutating func observe(_ observation: RouteObservation, at time: Double, _ effects: inout [RouteEffect]) {
    var now = observation
    // Each once.
    for text in now.omissions where remarked.insert(text).inserted { effects.append(.remark(.warning, text)) }
    var next: [Double] = []
    if let due = defaults.observe(&now.defaults, at: time, &effects) { next.append(due) }
    let missing = missingPart(now, at: time)
    let configured = defaults.names(in: now.defaults)
    var devices = devices
    let found = devices.choose(from: now, configured: configured, heldSpeaker: transition?.speaker)
    if missing == .output {
      // Uses nothing else meanwhile: private audio is not for the room, and the headset will be back in a moment.
      choice.speaker = nil
      if let microphone = choice.microphone, !now.serials.contains(microphone.serial) { choice.microphone = nil }
    } else {
      (self.devices, choice, route) = (devices, found, found.route)
      // A device that is not fully known, or not complete, is not reported.
      let isKnown = [found.microphone, found.speaker].allSatisfy { $0?.isKnown ?? true }
      if missing == nil, isKnown { pauseAndReport(now, configured, at: time, &effects) }
    }
    let wrong = misplaced.update(picked, in: now.devices, at: time)
    for direction in wrong.now { effects.append(.misplaced(direction, name: picked[direction] ?? "")) }
    if let due = wrong.next { next.append(due) }
    if let transition { next.append(transition.end) }
    if let settled = news.settling(at: time) { next.append(settled) }
    switchHeadset(now, at: time, &next, &effects)
    if let first = next.min() { effects.append(.observeAgain(after: max(0.01, first - time))) }
  }

  /// Returns the direction that a headset changing its profile has not restored yet.
  private mutating func missingPart(_ now: RouteObservation, at time: Double) -> Device.Direction? {
    transition = HeadsetTransition(from: choice, route, now, at: time) ?? transition
    if transition?.isOver(now, at: time) == true { transition = nil }
    return transition?.missing(in: now)
  }

  /// Pauses if headphones are gone, and reports a change of the route.
  private mutating func pauseAndReport(
    _ now: RouteObservation, _ configured: [Device.Direction: String], at time: Double, _ effects: inout [RouteEffect]
  ) {
    let available = now.available
    let chosen = configured.merging(picked) { $1 }
    let wasPaused = isPaused
    unplugPause.update(
      UnplugPause.Observation(
        output: route.outputs.first, available: available, chosen: chosen[.output],
        isPlaying: now.wanted.receives && now.wanted.linksDevices, time: time))
    if isPaused != wasPaused {
      effects.append(.pause(isPaused))
      effects.append(
        isPaused ? .remark(.warning, "headphones unplugged: playback paused") : .remark(.info, "playback resumed"))
    }
    if let change = news.update(route, available: available, chosen: chosen, at: time) { effects.append(.changed(change)) }
  }

  private mutating func switchHeadset(
    _ now: RouteObservation, at time: Double, _ next: inout [Double], _ effects: inout [RouteEffect]
  ) {
    // WirePlumber 0.5 gives a headset a source in its music profile, too, silent until a call: it may be the microphone even if the speaker
    // is a different device.
    let heard = now.headsets.first { card in route.inputs.contains { $0.device == card.name } }?.name
    let played = transition?.card ?? now.headsets.first { card in route.outputs.contains { $0.device == card.name } }?.name
    // A person who picked a different microphone wants that one, and music in full quality.
    let used = picked[.input] == nil ? played ?? heard : heard
    let before = headset.unfinished
    let (request, due) = headset.decide(
      sends: now.wanted.sends && now.wanted.linksDevices, used: used, cards: now.headsets, at: time)
    if let due { next.append(due) }
    if headset.unfinished != before { effects.append(.saveHeadset(headset.unfinished)) }
    guard let request else { return }
    effects.append(.remark(.info, "headset \(request.card): profile \(request.profile)"))
    effects.append(.switchProfile(request))
  }

  private mutating func leave(_ now: RouteObservation, _ effects: inout [RouteEffect]) {
    let before = headset.unfinished
    if let request = headset.leave(cards: now.headsets) { effects.append(.switchProfile(request)) }
    defaults.leave(now.defaults, &effects)
    if headset.unfinished != before { effects.append(.saveHeadset(headset.unfinished)) }
  }
}
