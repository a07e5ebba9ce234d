import PipeWireClient
import RealtimeCore
import SessionModel

/// Everything that lives as long as nearend's connection with a daemon: its objects in the graph, and its watchers of the graph. [control]
final class DaemonAttachment {
  let connection: Connection
  let devices: VirtualDevices
  let clients: ClientWatch
  let roles: RoleWatch
  let programs: ProgramWatch
  let volumes: VolumeWatch
  let groups: LinkGroups
  let routes: RouteWatch
  private(set) var links: LinkKeeper
  /// nil until nearend has its place in the graph.
  private(set) var filter: DuplexFilter?
  /// The graph as last observed, and the real devices in it.
  var objects: GraphObjects {
    get { realDevices.objects }
    set { realDevices = RealDevices(newValue) }
  }
  private(set) var realDevices = RealDevices(GraphObjects([]))
  /// Suspends the device of a muted microphone.
  var closing = MicrophoneClosing()

  private let events: EventSender<ControllerEvent>

  /// The client's name differs from its node's, because tools that take a name would find the client first.
  static let client: Properties = ["application.name": "Nearend Voice Processing", "application.id": "nearend.voice-processing"]

  /// Connects, and starts watching.
  /// - Throws: `noDaemon`.
  init(_ options: GraphOptions, loop: ThreadLoop, events: EventSender<ControllerEvent>) throws(PipeWireError) {
    loop.assertLocked()
    self.events = events
    let registry = EventSender<Connection.Event>()
    let changed = { events.send(.isDue) }
    connection = try Connection(loop: loop, remote: options.remote, properties: Self.client) { registry.send($0) }
    routes = RouteWatch(connection, remote: options.remote, properties: Self.client, changed: changed)
    clients = ClientWatch(connection, changed: changed)
    roles = RoleWatch(connection, roles: options.interruptions.roles, changed: changed)
    programs = ProgramWatch(connection, changed: changed)
    volumes = VolumeWatch(connection) { events.send(.volumesChanged) }
    groups = LinkGroups(connection, changed: changed)
    devices = VirtualDevices(connection, changed: changed) { reason in
      events.send(.remark(.error, "a device was refused: \(reason); retrying with backoff"))
    }
    links = Self.makeLinks(connection, events)
    registry.connect(to: self) { $0.handle($1) }
  }

  // The links are destroyed with the filter, safely in whatever state they are (`LinkInquiry`).
  deinit { filter = nil }

  private static func makeLinks(_ connection: Connection, _ events: EventSender<ControllerEvent>) -> LinkKeeper {
    LinkKeeper(connection) {
      events.send(.isDue)
    } failed: { reason in
      events.send(.remark(.warning, "a link was refused: \(reason); retrying with backoff"))
    }
  }

  private func handle(_ event: Connection.Event) {
    switch event {
    case .added: events.send(.isDue)
    case .removed(let object):
      if object.kind == .node { volumes.removed(object.id) }
      events.send(.isDue)
    case .full:
      events.send(.remark(.warning, "the PipeWire session has too many objects; some are ignored"))
    case .failed: break  // Reported to the object concerned, too.
    case .lost(let error): events.send(.lost(error))
    }
  }

  // MARK: nearend's own nodes

  /// Joins the graph.
  func makeFilter(_ core: AudioCore) throws(PipeWireError) {
    let events = events
    filter = try DuplexFilter(connection, core: core) { events.send(.filter($0)) }
  }

  /// Rebuilds the filter and its links; the devices that applications use stay.
  func remakeFilter(_ core: AudioCore) throws(PipeWireError) {
    // In this order, because the links are destroyed with the node.
    filter = nil
    links = Self.makeLinks(connection, events)
    try makeFilter(core)
  }

  /// Makes the missing devices of nearend, and the missing ports of the filter for participants with a device of their own, and for a voice
  /// in stereo.
  func keepDevices(_ sinks: [GraphSink], isStereo: Bool) throws(PipeWireError) {
    try devices.keep(sinks: sinks.map(\.id), isStereo: isStereo)
    guard let filter else { return }
    if isStereo { try filter.makeVoicePorts() }
    let names = filter.sinkPortNames
    for sink in sinks where names[sink.id] == nil { _ = try filter.addSinkPorts(id: sink.id, slot: sink.slot) }
  }

  /// Returns nearend's own node, identified by the id that the daemon gave it, because other nodes may bear the name.
  func ownNode(_ name: String) -> UInt32? { ownNode(name, in: objects) }

  private func ownNode(_ name: String, in objects: GraphObjects) -> UInt32? { devices.id(of: name).flatMap { objects.node(id: $0)?.id } }

  /// Moves the streams of these programs to nearend's devices, and those of others that were moved there back.
  func use(_ programs: UsedPrograms) -> [GraphEvent] {
    var serials: [Device.Direction: UInt64] = [:]
    for direction in Device.Direction.both {
      serials[direction] = ownNode(NodeNames.device(direction)).flatMap { objects.node(id: $0)?.serial }
    }
    return routes.use(programs, of: self.programs, devices: serials)
  }

  // MARK: Observing

  /// Returns the current facts of the graph; nil before the daemon knows the filter.
  /// - Parameter processes: those that use the session through the library.
  /// - Throws: `connectionLost`.
  func observe(_ processes: Set<Int>) throws(PipeWireError) -> GraphFacts? {
    var objects = GraphObjects(connection.objects.values)
    guard let filter, let node = filter.filter.nodeId else {
      self.objects = objects
      return nil
    }
    objects.rename(portsOf: node) { filter.filter.port($0.isInput ? .input : .output, index: $0.index)?.name }
    var endpoints = LinkPlan.Endpoints(
      filter: node, virtualSpeaker: ownNode(NodeNames.speaker, in: objects),
      virtualMicrophone: ownNode(NodeNames.microphone, in: objects))
    for (id, ports) in filter.sinkPortNames {
      if let device = ownNode(NodeNames.sinkPrefix + id, in: objects) { endpoints.graphSinks.append((device, ports)) }
    }
    objects.own = .init(
      filter: node, microphone: endpoints.virtualMicrophone, sinks: endpoints.sinks, speaker: endpoints.virtualSpeaker)
    objects.linkGroups = try groups.update(objects)
    objects.filters = groups.filters(in: objects)
    self.objects = objects
    var facts = GraphFacts(objects: objects, endpoints: endpoints)
    facts.loops = realDevices.feedback.loops
    facts.users = try clients.media(in: objects, microphone: endpoints.virtualMicrophone, sinks: endpoints.sinks)
    facts.ownClients = RoleWatch.clients(of: endpoints.own, in: objects).union(try programs.clients(of: processes, in: objects))
    facts.interrupter = try roles.interrupter(in: objects, ownClients: facts.ownClients)
    return facts
  }

  /// The earliest time to retry what the daemon refused, or to check a link that is down, CLOCK_MONOTONIC in ns.
  var nextRetry: UInt64? { [links.nextRetry, devices.nextRetry].compactMap { $0 }.min() }
}
