import PipeWireClient
import SessionModel

/// Watches the nodes of real devices and their cards: ports, their types, and their jacks (R3). [control]
final class PortWatch {
  private let connection: Connection
  private let changed: () -> Void
  private var nodes: NodeInfos
  let cards: CardWatch

  /// `changed` is called when the daemon has reported something.
  init(_ connection: Connection, cards: CardWatch, changed: @escaping () -> Void) {
    self.connection = connection
    self.cards = cards
    self.changed = changed
    nodes = NodeInfos(connection)
  }

  /// Watches exactly these nodes, and every card.
  /// - Throws: `connectionLost`.
  func watch(_ objects: [GlobalObject]) throws(PipeWireError) {
    cards.watch(connection.objects(of: .device).filter { $0.properties["media.class"] == "Audio/Device" })
    try nodes.watch(objects, changed: changed)
  }

  // MARK: Nodes

  /// Returns whether everything about the node is known.
  func isKnown(_ node: GlobalObject) -> Bool {
    guard nodes[node]?.isKnown == true else { return false }
    return node.id("device.id").map { id in connection.objects[id].map { cards.isSettled($0) } ?? true } ?? true
  }

  /// Returns whether the node takes part in cycles now.
  func isRunning(_ node: GlobalObject) -> Bool { nodes[node]?.isRunning ?? false }

  /// Returns the node as an end of a route.
  func port(_ node: GlobalObject, _ direction: Device.Direction) -> RoutePort {
    let (active, facts) = (activeRoute(node, direction), facts(node, direction))
    return RoutePort(
      name: node.nodeName ?? "", description: node.properties["node.description"] ?? node.nodeName ?? "", portType: PortType(facts),
      port: active?.name ?? "", portDescription: active?.description ?? "", availability: facts.availability, device: cardName(node) ?? "",
      isPrivate: facts.isPrivate, rate: facts.rate)
  }

  /// Returns every port that the node can use now: each of its Routes that is not unplugged, or the node itself if it has no Routes.
  func availablePorts(_ node: GlobalObject, _ direction: Device.Direction) -> Set<PortId> {
    let name = node.nodeName ?? ""
    let routes = routes(node, direction)
    guard !routes.isEmpty else { return [PortId(node: name)] }
    return Set(routes.filter { $0.availability != .no }.map { PortId(node: name, port: $0.name) })
  }

  /// Returns whether the card's active Route is muted, by a mixer or a switch.
  func isMuted(_ node: GlobalObject, _ direction: Device.Direction) -> Bool { activeRoute(node, direction)?.isMuted ?? false }

  private func facts(_ node: GlobalObject, _ direction: Device.Direction) -> PortFacts {
    let properties = node.properties.merging(nodes[node]?.properties ?? [:]) { $1 }
    let card = node.id("device.id").flatMap(card)
    let active = activeRoute(node, direction)
    func property(_ key: String) -> String? { properties[key] ?? card?.properties[key] }
    return PortFacts(
      direction, portType: active?.portType, portName: active?.name,
      availability: active.map { PortAvailability($0.availability) } ?? .unknown,
      formFactor: property("device.form-factor"), bus: property("device.bus"),
      api: property("device.api") ?? (node.nodeName?.hasPrefix("raop_") == true ? "raop" : nil),
      bluetoothProfile: properties["api.bluez5.profile"], deviceProfile: properties["device.profile.name"],
      hasDevice: node.id("device.id") != nil, audioRate: properties["audio.rate"], bluetoothCodec: properties["api.bluez5.codec"])
  }

  private func activeRoute(_ node: GlobalObject, _ direction: Device.Direction) -> DeviceInfo.Route? {
    guard let card = node.id("device.id").flatMap(card), let device = cardDevice(node) else { return nil }
    return card.activeRoutes.first { $0.device == device && $0.isInput == (direction == .input) }
  }

  private func routes(_ node: GlobalObject, _ direction: Device.Direction) -> [DeviceInfo.Route] {
    guard let card = node.id("device.id").flatMap(card), let device = cardDevice(node) else { return [] }
    return card.routes.filter { route in
      route.isInput == (direction == .input) && route.devices.contains(device)
        && (route.profiles.isEmpty || card.profile.map { route.profiles.contains($0.index) } ?? true)
    }
  }

  private func cardDevice(_ node: GlobalObject) -> Int? { nodes[node]?.properties["card.profile.device"].flatMap { Int($0) } }

  // MARK: Cards

  private func card(_ id: UInt32) -> DeviceInfo? { connection.objects[id].flatMap { cards.card($0) } }

  /// `device.name`; nil if the node has no card.
  func cardName(_ node: GlobalObject) -> String? { node.id("device.id").flatMap { connection.objects[$0]?.properties["device.name"] } }

  /// Every known Bluetooth card.
  var headsets: [HeadsetProfile.Card] {
    cards.known.compactMap { name, card in
      guard card.properties["device.api"] == "bluez5" else { return nil }
      let withMicrophone = Set(card.routes.filter(\.isInput).flatMap(\.profiles))
      let best = card.profiles.filter { withMicrophone.contains($0.index) && $0.availability != .no }.max { $0.priority < $1.priority }
      return HeadsetProfile.Card(name: name, profile: card.profile?.name ?? "", callProfile: best?.name)
    }
  }
}

extension PortAvailability {
  fileprivate init(_ availability: DeviceInfo.Availability) {
    switch availability {
    case .unknown: self = .unknown
    case .no: self = .no
    case .yes: self = .yes
    }
  }
}
