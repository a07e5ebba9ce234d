import PipeWireClient
import SessionModel

/// Watches everything that routes depend on, for as long as the daemon is there. [control]
///
///     nodes, cards ──▶ PortWatch ────────────┐
///     metadata ──▶ DefaultMetadata ──────────┴▶ RouteObservation
final class RouteWatch {
  private let ports: PortWatch
  private let defaults: DefaultMetadata
  private let strays: StrayStreams
  private let opener = LoopOpener()
  private var moves = ProgramMoves()
  private let smart: SmartFilters
  /// The nodes of the devices last observed, by serial number.
  private var nodes: [UInt64: GlobalObject] = [:]

  /// `changed` is called when there is something new to observe.
  init(_ connection: Connection, remote: String?, properties: Properties, changed: @escaping () -> Void) {
    defaults = DefaultMetadata(loop: connection.loop, remote: remote, properties: properties, changed: changed)
    let cards = CardWatch(loop: connection.loop, remote: remote, properties: properties, changed: changed)
    ports = PortWatch(connection, cards: cards, changed: changed)
    strays = StrayStreams(connection, changed: changed)
    smart = SmartFilters(loop: connection.loop)
  }

  // MARK: Observing

  /// Watches the nodes of real devices.
  /// - Throws: `connectionLost`.
  func watch(_ devices: RealDevices) throws(PipeWireError) {
    let ids = Set(Device.Direction.both.flatMap { devices.nodes($0) }.map(\.id))
    let real = devices.objects.nodes.filter { ids.contains($0.id) }
    try ports.watch(real)
    nodes = Dictionary(real.map { ($0.serial, $0) }) { $1 }
  }

  /// Returns the current observation.
  func observation(of devices: RealDevices, wanted: SessionDemand = SessionDemand()) -> RouteObservation {
    var observation = RouteObservation()
    observation.devices = Device.Direction.both.flatMap { direction in devices.nodes(direction).map { device($0, direction) } }
    observation.serials = Set(devices.objects.nodes.map(\.serial))
    observation.headsets = ports.headsets
    observation.defaults = sessionDefaults
    observation.wanted = wanted
    if defaults.metadata?.isFull == true {
      observation.omissions.append("too many moved streams to track; some that asked for nearend may not be moved back")
    }
    if ports.cards.isFull { observation.omissions.append("too many sound cards; the ports of some are unknown") }
    return observation
  }

  private func device(_ node: GlobalObject, _ direction: Device.Direction) -> RouteDevice {
    RouteDevice(
      id: node.id, serial: node.serial, direction: direction, priority: node.properties["priority.session"].flatMap { Int($0) } ?? 0,
      card: node.id("device.id"), port: ports.port(node, direction), available: ports.availablePorts(node, direction),
      isKnown: ports.isKnown(node))
  }

  private var sessionDefaults: SessionDefaults {
    guard let metadata = defaults.metadata else { return SessionDefaults() }
    var now = SessionDefaults(isKnown: metadata.isKnown, offersSmartFilters: defaults.filters != nil)
    for direction in Device.Direction.both {
      now.current[direction] = Metadata.name(in: metadata.values[direction.defaultKey])
      now.configured[direction] = metadata.values[direction.configuredKey].map { .init(metadata: $0) }
    }
    return now
  }

  /// Whether both of nearend's devices are the system's configured defaults.
  var areOursDefault: Bool { sessionDefaults.areOurs }

  /// Returns whether the device's card is muted there, by a mixer or a switch (D1).
  func isMuted(_ device: RouteDevice) -> Bool { nodes[device.serial].map { ports.isMuted($0, device.direction) } ?? false }

  /// Returns whether the device takes part in cycles now.
  func isRunning(_ device: RouteDevice) -> Bool { nodes[device.serial].map { ports.isRunning($0) } ?? false }

  // MARK: Waiting

  /// Waits briefly for the system's defaults.
  func waitForDefaults() { defaults.wait() }

  /// Waits briefly until newly configured defaults are in effect.
  func waitUntilConfigured() { if defaults.metadata != nil { defaults.wait() } }

  /// Waits briefly until every card is known.
  func waitForCards() { ports.cards.waitUntilKnown() }

  // MARK: Changing

  /// Returns streams that the session manager has let follow the default to the nearend device that they asked for.
  /// - Throws: `connectionLost`.
  func returnStrays(in objects: GraphObjects) throws(PipeWireError) {
    if let metadata = defaults.metadata { try strays.update(objects, metadata) }
  }

  /// Moves the streams of the programs in use to nearend's devices, and those of others back.
  /// - Parameter devices: the serial numbers of nearend's devices.
  func use(_ used: UsedPrograms, of watch: ProgramWatch, devices: [Device.Direction: UInt64]) -> [GraphEvent] {
    guard let metadata = defaults.metadata, metadata.isKnown else { return [] }
    return carryOut(moves.update(watch.programs { metadata.target(of: $0.id) }, used: used, devices: devices), metadata)
  }

  /// Moves all that were moved back, before nearend's devices go: the session manager remembers where a stream was last.
  func giveBack(_ watch: ProgramWatch) {
    guard let metadata = defaults.metadata else { return }
    _ = carryOut(moves.leave(watch.programs { metadata.target(of: $0.id) }), metadata)
  }

  private func carryOut(_ effects: [ProgramMoves.Effect], _ metadata: Metadata) -> [GraphEvent] {
    effects.compactMap { effect in
      switch effect {
      case .move(let stream, let device): metadata.move(stream, to: "\(device)")
      case .moveBack(let stream, let target): metadata.move(stream, to: target)
      case .remark(let words): return .remark(.info, words)
      }
      return nil
    }
  }

  /// Makes nearend's devices smart filters, or none, at once.
  func beSmart(_ isOn: Bool) { smart.set(isOn, defaults.filters) }

  /// Keeps them so, whichever nodes they are, and beside whatever filters there are.
  func keepSmart(_ isOn: Bool, in objects: GraphObjects) { smart.keep(isOn, in: objects, defaults.filters) }

  /// Returns the names of smart filters that keep programs which choose no device from reaching nearend, because they have the default
  /// device as their target.
  func bypasses(in objects: GraphObjects) -> [String] {
    let current = sessionDefaults.current
    return Device.Direction.both.flatMap { direction -> [String] in
      guard let device = current[direction].flatMap(objects.node(named:)) else { return [] }
      return objects.filters.filter { $0.takes(device, direction) }.map(\.name)
    }
  }

  /// Moves what closes a loop to the real speaker, where its user hears the voice just so.
  func open(_ loops: [GraphLoop], in objects: GraphObjects, speaker: RouteDevice?) -> [GraphEvent] {
    guard let metadata = defaults.metadata, let speaker else { return [] }
    return opener.open(loops, in: objects, speaker: speaker, metadata)
  }

  /// Requests another profile of a card; if `isLast`, waits briefly until the request has been made.
  func perform(_ request: HeadsetProfile.Request, isLast: Bool = false) {
    ports.cards.select(profile: request.profile, ofCard: request.card, waits: isLast)
  }

  /// Sets the system's configured default.
  func configure(_ direction: Device.Direction, _ new: ConfiguredDefault) {
    let value: String? =
      switch new {
      case .device(let name): "{\"name\":\"\(name)\"}"
      case .value(let value): value
      case .none: nil
      }
    defaults.metadata?.set(direction.configuredKey, type: value.map { _ in "Spa:String:JSON" }, value: value)
  }
}

extension SessionDefaults.Configured {
  /// Creates a configured default from a value of the session's metadata.
  init(metadata value: String) { self.init(value: value, name: Metadata.name(in: value)) }
}

extension Device.Direction {
  /// The metadata key of the default.
  private var key: String { self == .input ? "audio.source" : "audio.sink" }
  var defaultKey: String { "default.\(key)" }
  var configuredKey: String { "default.configured.\(key)" }
}
