import PipeWireClient
import Platform
import RealtimeCore
import SessionModel

/// Brings the graph to its desired state as far as the daemon's objects allow; every registry event retries.
///
///     observe ──▶ GraphFacts ──▶ report, choose the devices ──▶ decide ──▶ GraphDecision ──▶ apply ──▶ report
extension GraphController {
  /// Requests a reconciliation, one for any number of requests. [any], with the loop's lock held
  func reconcileSoon() { schedule.reconcile.raise() }

  func reconcile() {
    loop.assertLocked()
    guard let attachment, attachment.filter != nil, arrival.lostSince == nil, !isStopping else {
      login?.maySleep()
      return
    }
    do throws(PipeWireError) {
      try attachment.keepDevices(graphSinks, isStereo: core.wantsStereo)
      guard let facts = try attachment.observe(listener.processes) else { return }
      report(facts)
      let demands = listener.demands
      try routes.choose(from: attachment.realDevices, wanted: demands.wanted, with: attachment.routes)
      let isSettling = routes.state.isSettling(at: monotonicSeconds())
      let decision = decide(facts, demands, attachment, isSettling: isSettling)
      report(decision.choice, isSettling: isSettling)
      try apply(decision, facts, attachment)
      report(decision)
    } catch {
      // The connection reports the loss itself, and is then replaced.
      log(.warning, error.description)
    }
    if let retry = attachment.nextRetry { reconcile(at: retry) }
  }

  private func reconcile(at time: UInt64) {
    let now = monotonicNanoseconds()
    schedule.reconcileLater.schedule(after: max(0.01, time > now ? Double(time - now) / 1e9 : 0))
  }

  // MARK: Deciding

  /// Decides the state that the graph is to have; changes nothing.
  private func decide(
    _ facts: GraphFacts, _ demands: SessionDemands, _ attachment: DaemonAttachment, isSettling: Bool
  ) -> GraphDecision {
    GraphDecision(
      facts,
      GraphDecision.Circumstances(
        demands: demands, choice: routes.choice, isHeadsetInTransition: routes.state.isHeadsetInTransition,
        isSettling: isSettling, reference: settings.reference, usesMix: core.usesMixAsReference,
        hasPassivePorts: attachment.connection.hasPassivePorts))
  }

  // MARK: Reporting

  /// Reports who uses nearend's devices, and who has priority: the session's demands depend on it.
  private func report(_ facts: GraphFacts) {
    notify(news.update(facts.users))
    notify(news.update(interrupter: facts.interrupter))
    notify(news.update(facts.loops, in: facts.objects))
  }

  /// Reports the devices in use.
  private func report(_ choice: RouteChoice, isSettling: Bool) { notify(news.update(choice.ends, isSettling: isSettling)) }

  /// Reports what the session, the login manager and a recovery wait for. The session's demands of the next pass depend on it.
  private func report(_ decision: GraphDecision) {
    let missing = news.update(isWithoutDevice: decision.isWithoutDevice)
    notify(missing)
    if !missing.isEmpty { reconcileSoon() }
    if decision.isFree { login?.maySleep() }
    recovery.reconciled(isLinked: decision.isLinked, needsCycles: decision.needsCycles)
  }

  // MARK: Applying

  private func apply(_ decision: GraphDecision, _ facts: GraphFacts, _ attachment: DaemonAttachment) throws(PipeWireError) {
    try attachment.volumes.watch(decision.watched)
    noticeVolumes()
    if attachment.closing.update(decision.closedMicrophone, isLinked: decision.isMicrophoneLinked, at: monotonicSeconds()),
      let microphone = decision.closedMicrophone
    {
      attachment.volumes.suspend(microphone)
    }
    core.isSending = decision.demand.sends
    core.isInterrupted = decision.isInterrupted
    freeze.update(isDemanded: decision.demand.isActive)
    isInCall = decision.demand.isCall
    // The reconciliation that the begin or end of a call requires is this one.
    updateDucking()
    try ducking.update(facts.objects, speaker: decision.choice.speaker?.id, ownClients: facts.ownClients)
    let links = decision.links
    core.setSpeakerPorts(perChannel: links.speakerPortsPerChannel)
    // One that is replaced in a call's first moments has learnt in vain.
    if let channels = decision.expectedChannels, core.expect(microphoneChannels: channels) { renewCapturePath() }
    if let channels = links.microphoneChannels { try attachment.filter?.makeChannelPorts(channels) }
    try attachment.links.apply(links, existing: facts.objects.links)
    notify(attachment.routes.open(facts.loops, in: facts.objects, speaker: decision.choice.speaker))
    notify(attachment.use(settings.usedPrograms))
    useReference(isMix: decision.usesMix)
    attachment.filter?.keepAwake(decision.keepsFilterAwake)
  }

  private func useReference(isMix: Bool) {
    guard isMix != core.usesMixAsReference else { return }
    core.usesMixAsReference = isMix
    // The other reference comes earlier or later, and so does the echo relative to it.
    core.streamDelay = streamDelay(core.cycleMeters)
    core.controls.echoPathChanged()
  }

  /// Reports mutes that were not set in nearend, and tells the canceller how much louder or softer the real speaker has become.
  func noticeVolumes() {
    notify(news.update(volumeStatus))
    let speaker = routes.choice.speaker?.id
    speakerGain.follow(attachment?.volumes.gain(speaker), of: speaker)
    core.controls.speakerGain = speakerGain.gain
  }

  var volumeStatus: VolumesStatus {
    guard let attachment else { return news.volumes }
    let (volumes, choice) = (attachment.volumes, routes.choice)
    var status = VolumesStatus(
      nearendMicrophone: volumes.status(attachment.ownNode(NodeNames.microphone)),
      nearendSpeaker: volumes.status(attachment.ownNode(NodeNames.speaker)),
      microphone: volumes.status(choice.microphone?.id), speaker: volumes.status(choice.speaker?.id))
    if let microphone = choice.microphone, attachment.routes.isMuted(microphone) { status.microphone.isMuted = true }
    return status
  }
}
