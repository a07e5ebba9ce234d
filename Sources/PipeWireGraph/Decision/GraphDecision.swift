import SessionModel

/// What the graph is to become: a function of what it is, of what the session needs, and of the devices in use.
struct GraphDecision {
  /// What the decision depends on besides the facts.
  struct Circumstances {
    var demands = SessionDemands()
    var choice = RouteChoice()
    /// A Boolean value indicating whether the headset in use is changing its profile, and is about to return.
    var isHeadsetInTransition = false
    /// What the echo canceller is to hear of the speaker.
    var reference = ReferenceSource.everything
    /// A Boolean value indicating whether it hears nearend's own mix now.
    var usesMix = false
    /// A Boolean value indicating whether the daemon lets ports be passive, so that the filter itself can keep its devices awake.
    var hasPassivePorts = false
  }
  let demand: SessionDemand
  let choice: RouteChoice
  let links: LinkPlan
  /// A Boolean value indicating whether the session is interrupted, and its programs' audio waits.
  let isInterrupted: Bool
  /// A Boolean value indicating whether nearend's own mix is the canceller's reference: by setting, or because what the speaker plays
  /// cannot be recorded, until it can.
  let usesMix: Bool
  /// A Boolean value indicating whether the filter keeps itself and its devices running.
  let keepsFilterAwake: Bool
  /// A Boolean value indicating whether no device is left that the session could use; with one of two it goes on.
  let isWithoutDevice: Bool
  /// A Boolean value indicating whether every device is released, so that the machine may sleep. Links made by others are theirs to
  /// release.
  let isFree: Bool
  /// A Boolean value indicating whether everything demanded is there.
  let isLinked: Bool
  /// A Boolean value indicating whether cycles are due once it is.
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
      keepsAwake: demand.keepsAwake && !now.hasPassivePorts, reference: now.reference)
    isInterrupted = wanted.isActive && !demand.isActive
    usesMix = now.reference == .mix || now.usesMix && demand.isActive && !links.hasReference(objects.links)
    let hasDevice = choice.speaker != nil || (demand.sends && choice.microphone != nil)
    keepsFilterAwake = demand.keepsAwake && now.hasPassivePorts && hasDevice
    // A headset between two profiles is about to return; and without automatic configuration devices are others' concern.
    let needsDevice = wanted.isActive && wanted.linksDevices && !now.isHeadsetInTransition
    isWithoutDevice = needsDevice && choice.speaker == nil && (choice.microphone == nil || !wanted.sends)
    isFree = !demand.linksDevices || !demand.isActive && !objects.hasLinks(of: facts.endpoints.filter, beyond: facts.endpoints.own)
    isLinked = demand.isActive && links.isThere(objects.links, demand: demand, devices: choice)
    needsCycles = demand.keepsAwake && hasDevice
    let microphone = demand.sends && demand.linksDevices && !demand.opensMicrophone ? choice.microphone?.id : nil
    closedMicrophone = microphone
    isMicrophoneLinked = objects.links.contains { $0.outputNode == microphone || $0.inputNode == microphone }
    watched = [facts.endpoints.virtualMicrophone, facts.endpoints.virtualSpeaker, choice.microphone?.id, choice.speaker?.id]
      .compactMap { $0 }
  }
}
