import SessionModel

/// The state that the graph is to have: a function of its facts, the session's demands, and the devices in use.
struct GraphDecision {
  /// What the decision depends on besides the facts.
  struct Circumstances {
    var demands = SessionDemands()
    var choice = RouteChoice()
    /// Whether the headset in use is changing its profile, and will return.
    var isHeadsetInTransition = false
    /// Whether devices are still appearing, because the daemon has just returned.
    var isSettling = false
    /// The source of the echo canceller's reference, by setting.
    var reference = ReferenceSource.everything
    /// Whether the reference is nearend's own mix now.
    var usesMix = false
    /// Whether the daemon supports passive ports, so that the filter itself can keep its devices awake.
    var hasPassivePorts = false
  }
  let demand: SessionDemand
  let choice: RouteChoice
  let links: LinkPlan
  /// Channels of the microphone of this call, or of the next, known before it is opened; nil without one, before its ports are there, or
  /// where the program links devices of its own choice.
  let expectedChannels: Int?
  /// Whether the session is interrupted, so that its programs' audio waits.
  let isInterrupted: Bool
  /// Whether nearend's own mix is the canceller's reference: by setting, or until the real speaker's output can be recorded.
  let usesMix: Bool
  /// Whether the filter keeps itself and its devices running.
  let keepsFilterAwake: Bool
  /// Whether no usable device remains; with either microphone or speaker the session continues.
  let isWithoutDevice: Bool
  /// Whether every device is released, so that the machine may sleep. Links made by others are theirs to release.
  let isFree: Bool
  /// Whether everything demanded is linked.
  let isLinked: Bool
  /// Whether cycles are due once everything is linked.
  let needsCycles: Bool
  /// The real microphone while a mute closes it (D1, mode restart), and whether it still has links.
  let closedMicrophone: UInt32?
  let isMicrophoneLinked: Bool
  /// The nodes whose volumes are watched.
  let watched: [UInt32]

  init(_ facts: GraphFacts, _ now: Circumstances) {
    let (demand, wanted, choice, objects) = (now.demands.now, now.demands.wanted, now.choice, facts.objects)
    self.demand = demand
    self.choice = choice
    links = LinkPlan(
      objects: objects, endpoints: facts.endpoints, devices: choice, demand: demand,
      keepsAwake: demand.keepsAwake && !now.hasPassivePorts, reference: now.reference, cutOff: Set(facts.loops.map(\.sink)))
    let channels = choice.microphone.map { objects.outputs(of: $0.id).count } ?? 0
    expectedChannels = channels == 0 || demand.isActive && !demand.linksDevices ? nil : channels
    isInterrupted = wanted.isActive && !demand.isActive
    usesMix = now.reference == .mix || now.usesMix && demand.isActive && !links.hasReference(objects.links)
    let hasDevice = choice.speaker != nil || (demand.sends && choice.microphone != nil)
    keepsFilterAwake = demand.keepsAwake && now.hasPassivePorts && hasDevice
    // A headset between two profiles will return, and so may all devices of a daemon that has; and without automatic configuration devices
    // are the program's concern.
    let needsDevice = wanted.isActive && wanted.linksDevices && !now.isHeadsetInTransition && !now.isSettling
    isWithoutDevice = needsDevice && choice.speaker == nil && (choice.microphone == nil || !wanted.sends)
    isFree = !demand.linksDevices || !demand.isActive && !objects.hasLinks(of: facts.endpoints.filter, beyond: facts.endpoints.own)
    // Before the first device of a daemon that has returned appears nobody knows what is to be linked.
    let isUnknown = now.isSettling && demand.linksDevices && !hasDevice
    isLinked = demand.isActive && !isUnknown && links.isThere(objects.links, demand: demand, devices: choice)
    needsCycles = demand.keepsAwake && hasDevice
    let microphone = demand.sends && demand.linksDevices && !demand.opensMicrophone ? choice.microphone?.id : nil
    closedMicrophone = microphone
    isMicrophoneLinked = objects.links.contains { $0.outputNode == microphone || $0.inputNode == microphone }
    watched = [facts.endpoints.virtualMicrophone, facts.endpoints.virtualSpeaker, choice.microphone?.id, choice.speaker?.id]
      .compactMap { $0 }
  }
}
