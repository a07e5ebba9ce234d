import PipeWireClient
import SessionModel

/// The purpose of a link, in the order of creation: the reference after the speaker, because PipeWire runs the link that closes a loop one
/// cycle late, and that must be the reference, never the path to the speaker.
enum LinkRole: Int {
  /// The mix to the real speaker.
  case speaker
  /// What applications play into a virtual device, to the filter.
  case call
  /// The processed voice to the virtual microphone.
  case voice
  /// The real microphone.
  case microphone
  /// What the real speaker plays, as the echo canceller's reference.
  case reference
}

/// The links that should exist now: a function of the graph's objects and of who sends and receives.
struct LinkPlan {
  struct Link: Equatable {
    let key: LinkKey
    let role: LinkRole
    /// Whether the link by itself keeps nothing awake; only an application that plays or records does.
    let isPassive: Bool
    /// The node at the end opposite to the filter.
    let device: UInt32
  }
  var links: [Link] = []
  /// Number of the real microphone's channels; with more than one each has a port of its own at the filter, which has to be made. nil if
  /// none is to be linked.
  var microphoneChannels: Int?
  /// Number of the filter's ports that add up in each port of the real speaker.
  var speakerPortsPerChannel = 1

  private let filter: UInt32

  /// Returns whether everything demanded of these devices is planned, which requires their ports and the filter's, and exists.
  func isThere(_ existing: [GraphObjects.Link], demand: SessionDemand, devices: RouteChoice) -> Bool {
    let (roles, keys) = (Set(links.map(\.role)), Set(existing.map(\.key)))
    let isPlayed = devices.speaker == nil || roles.contains(.speaker)
    let isRecorded = !demand.opensMicrophone || devices.microphone == nil || roles.contains(.microphone)
    return roles.contains(.voice) && (!demand.linksDevices || isPlayed && isRecorded) && links.allSatisfy { keys.contains($0.key) }
  }

  /// Returns whether all planned reference links exist, and at least one is planned.
  func hasReference(_ existing: [GraphObjects.Link]) -> Bool {
    let (planned, keys) = (links.filter { $0.role == .reference }, Set(existing.map(\.key)))
    return !planned.isEmpty && planned.allSatisfy { keys.contains($0.key) }
  }

  /// The nodes at nearend's ends of its links, by id.
  struct Endpoints {
    var filter: UInt32
    var virtualSpeaker: UInt32?
    var virtualMicrophone: UInt32?
    /// A participant's device and the names of its two ports at the filter.
    var graphSinks: [(node: UInt32, ports: [String])] = []

    /// The devices that applications play into.
    var sinks: Set<UInt32> { Set([virtualSpeaker].compactMap { $0 } + graphSinks.map(\.node)) }
    /// All of nearend's own nodes.
    var own: Set<UInt32> { sinks.union([filter, virtualMicrophone].compactMap { $0 }) }
  }

  /// - Parameters:
  ///   - keepsAwake: whether the links with the real devices must keep them running, because nothing else does.
  ///   - cutOff: sinks into which the voice comes back within a cycle: the filter would wait for itself, and with it all of the graph.
  init(
    objects: GraphObjects, endpoints: Endpoints, devices: RouteChoice, demand: SessionDemand, keepsAwake: Bool,
    reference: ReferenceSource, cutOff: Set<UInt32> = []
  ) {
    filter = endpoints.filter
    let own = Dictionary((objects.ports[endpoints.filter] ?? []).map { ($0.name, $0) }) { $1 }
    if let node = endpoints.virtualSpeaker, !cutOff.contains(node) {
      addStereo(objects.monitors(of: node), to: ["call_FL", "call_FR"], own, role: .call)
    }
    for sink in endpoints.graphSinks where !cutOff.contains(sink.node) {
      addStereo(objects.monitors(of: sink.node), to: sink.ports, own, role: .call)
    }
    if let node = endpoints.virtualMicrophone { addVoice(objects.inputs(of: node), own) }
    guard demand.isActive, demand.linksDevices else { return }
    if let node = devices.speaker?.id { addSpeaker(objects.inputs(of: node), own, isPassive: !keepsAwake) }
    guard demand.opensMicrophone, let microphone = devices.microphone?.id else { return }
    let channels = objects.outputs(of: microphone)
    if !channels.isEmpty { microphoneChannels = channels.count }
    for (index, channel) in channels.enumerated() {
      guard let input = own[channels.count == 1 ? "mic_MONO" : "mic_\(index + 1)"] else { continue }
      add(channel, input, .microphone, isPassive: !keepsAwake)
    }
    if reference == .everything, let node = devices.speaker?.id {
      addStereo(objects.monitors(of: node), to: ["ref_FL", "ref_FR"], own, role: .reference)
    }
  }

  /// Connects the voice with *Nearend Microphone*, which has one channel, or two (V16).
  private mutating func addVoice(_ inputs: [GraphObjects.Port], _ own: [String: GraphObjects.Port]) {
    guard inputs.count > 1 else {
      if let voice = own["voice_MONO"], let input = inputs.first { add(voice, input, .voice) }
      return
    }
    guard let left = own["voice_FL"], let right = own["voice_FR"] else { return }
    for (voice, channel) in [(left, "FL"), (right, "FR")] {
      if let input = inputs.first(where: { $0.channel == channel }) { add(voice, input, .voice) }
    }
  }

  private mutating func addSpeaker(_ inputs: [GraphObjects.Port], _ own: [String: GraphObjects.Port], isPassive: Bool) {
    guard let left = own["speaker_FL"], let right = own["speaker_FR"], let first = inputs.first else { return }
    let toLeft = inputs.first { $0.channel == "FL" } ?? first
    let toRight = inputs.first { $0.channel == "FR" } ?? (inputs.count > 1 ? inputs[1] : first)
    speakerPortsPerChannel = toLeft.id == toRight.id ? 2 : 1
    add(left, toLeft, .speaker, isPassive: isPassive)
    add(right, toRight, .speaker, isPassive: isPassive)
  }

  /// Connects two channels to two ports, one channel to both, and of more than two channels the front ones.
  private mutating func addStereo(
    _ outputs: [GraphObjects.Port], to names: [String], _ own: [String: GraphObjects.Port], role: LinkRole
  ) {
    guard let first = outputs.first, names.count == 2, let left = own[names[0]], let right = own[names[1]] else { return }
    add(outputs.first { $0.channel == "FL" } ?? first, left, role)
    add(outputs.first { $0.channel == "FR" } ?? (outputs.count > 1 ? outputs[1] : first), right, role)
  }

  private mutating func add(_ output: GraphObjects.Port, _ input: GraphObjects.Port, _ role: LinkRole, isPassive: Bool = true) {
    let device = output.node == filter ? input.node : output.node
    links.append(Link(key: LinkKey(output: output.id, input: input.id), role: role, isPassive: isPassive, device: device))
  }
}
