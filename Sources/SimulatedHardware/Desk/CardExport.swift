internal import CSimulatedDevice
internal import Glibc
import PipeWireClient

/// A card in a daemon: the exported device, and the nodes of its active profile. They are removed with this value. [control]
final class CardExport {
  /// Requests made by setting the device's params. Each returns whether the requested profile or route exists.
  struct Requests {
    var setProfile: (_ index: Int, _ isSaved: Bool) -> Bool
    var setRoute: (_ index: Int, _ device: Int, _ isSaved: Bool) -> Bool
    var setVolume: (_ device: Int, _ volume: Float?, _ isMuted: Bool?) -> Void
    /// Called when a node of the headset-head-unit profile starts or stops running.
    var ran: () -> Void
  }

  private struct Node {
    var properties: Properties
    var object: RemoteObject?
    /// Watches nodes that run over a SCO link.
    var state: NodeInfo?
  }

  private let connection: Connection
  private let implementation: OpaquePointer
  private var device: RemoteObject?
  private let requests: Requests
  private let group: String?
  private var card: DeskCard
  private var nodes: [Int: Node] = [:]

  /// - Parameter group: `node.group` of the nodes; nil gives each a clock of its own, like hardware.
  init(_ connection: Connection, _ card: DeskCard, group: String?, _ requests: Requests) throws(PipeWireError) {
    self.connection = connection
    self.group = group
    self.card = card
    self.requests = requests
    implementation = csd_new(Self.table)!
    csd_set_data(implementation, Unmanaged.passUnretained(self).toOpaque())
    publish()
    device = try RemoteObject.device(
      connection, implementation: csd_implementation(implementation), properties: properties
    ) { [weak self] in if $0.id != nil { self?.makeNodes() } }
  }

  deinit {
    nodes = [:]
    device = nil
    csd_free(implementation)
  }

  /// The device's id in the registry; nil until known.
  var id: UInt32? { device?.id }

  /// Whether a node of the headset-head-unit profile runs, which needs a SCO link.
  var isStreaming: Bool { nodes.values.contains { $0.state?.isRunning == true } }

  /// Brings the daemon's objects in line with `card`. As with a real card, nodes appear and disappear before the params report it.
  func show(_ card: DeskCard) {
    self.card = card
    for (key, node) in nodes {
      let isToStay = card.activeProfile.nodes.contains { $0.device == key && properties(of: $0) == node.properties }
      if !isToStay { nodes[key] = nil }
    }
    makeNodes()
    publish()
  }

  private func makeNodes() {
    guard id != nil else { return }
    for node in card.activeProfile.nodes where nodes[node.device] == nil {
      let properties = properties(of: node)
      nodes[node.device] = Node(properties: properties)
      nodes[node.device]?.object = try? RemoteObject.virtualDevice(connection, properties: properties) { [weak self] _ in self?.watchNodes()
      }
    }
  }

  /// Watches nodes that need a SCO link, once the registry has them; before, the daemon would refuse.
  func watchNodes() {
    for (key, node) in nodes where node.state == nil && node.properties["api.bluez5.profile"] == DeskCard.headsetHeadUnit {
      guard let id = node.object?.id, connection.objects[id]?.nodeName == node.properties["node.name"] else { continue }
      nodes[key]?.state = try? NodeInfo(connection, id: id, ran: { [weak self] in self?.requests.ran() }, changed: {})
    }
  }

  private var properties: Properties {
    card.properties.merging([
      "media.class": "Audio/Device", "device.name": card.name, "device.description": card.description,
    ]) { $1 }
  }

  private func properties(of node: DeskNode) -> Properties {
    let profile = node.properties["device.profile.description"].map { " \($0)" } ?? ""
    var properties = node.properties.merging([
      "node.name": node.name, "node.description": card.description + profile,
      "node.nick": card.properties["device.nick"] ?? card.description,
      "media.class": node.mediaClass,
      "audio.channels": "\(node.positions.count)", "audio.position": "[ \(node.positions.joined(separator: " ")) ]",
      "device.id": "\(id ?? 0)", "card.profile.device": "\(node.device)",
      "device.routes": "\(card.routes.count { $0.devices.contains(node.device) && $0.profiles.contains(card.profile) })",
      "priority.session": "\(node.priority)", "priority.driver": "\(node.priority)", "node.pause-on-idle": "false",
    ]) { $1 }
    properties["node.group"] = group
    if let rate = node.rate { properties["audio.rate"] = "\(rate)" }
    return properties
  }

  // MARK: Params

  private func publish() {
    csd_begin(implementation)
    for (index, profile) in card.profiles.enumerated() { add(profile, index) }
    for index in card.routes.indices { add(routeAt: index, activity: nil) }
    for (device, index) in card.activeRoutes.sorted(by: { $0.key < $1.key }) { add(routeAt: index, activity: activity(of: device, index)) }
    for (key, value) in properties { csd_set_property(implementation, key, value) }
    csd_publish(implementation)
  }

  private func add(_ profile: DeskProfile, _ index: Int) {
    func devices(_ direction: DeskRoute.Direction) -> [Int] { profile.nodes.filter { $0.direction == direction }.map(\.device) }
    profile.name.withCString { name in
      profile.description.withCString { description in
        var value = csd_profile(
          index: Int32(index), priority: Int32(profile.priority), availability: card.availability(ofProfile: index).code, name: name,
          description: description)
        withList(devices(.input)) { sources in
          withList(devices(.output)) { sinks in
            csd_add_profile(implementation, &value, sources, sinks, index == card.profile, card.isProfileSaved)
          }
        }
      }
    }
  }

  private func add(routeAt index: Int, activity: csd_activity?) {
    let route = card.routes[index]
    route.name.withCString { name in
      route.description.withCString { description in
        route.portType.rawValue.withCString { type in
          var value = csd_route(
            index: Int32(index), priority: Int32(route.priority), direction: route.direction == .input ? 0 : 1,
            availability: route.availability.code, name: name, description: description, port_type: type)
          withList(route.profiles) { profiles in
            withList(route.devices) { devices in
              guard var activity else { return csd_add_route(implementation, &value, profiles, devices, nil) }
              csd_add_route(implementation, &value, profiles, devices, &activity)
            }
          }
        }
      }
    }
  }

  private func activity(of device: Int, _ route: Int) -> csd_activity {
    let node = card.activeProfile.nodes.first { $0.device == device }
    return csd_activity(
      device: Int32(device), profile: Int32(card.profile), channels: UInt32(node?.positions.count ?? 1), volume: card.volumes[device] ?? 1,
      is_muted: card.muted.contains(device), is_saved: card.savedRoutes.contains(route))
  }

  // nonisolated(unsafe): written once here, before the first use, and only read afterwards.
  nonisolated(unsafe) private static let table: UnsafePointer<csd_requests> = {
    let table = UnsafeMutablePointer<csd_requests>.allocate(capacity: 1)
    table.initialize(
      to: csd_requests(
        set_profile: { data, index, isSaved in CardExport.from(data).requests.setProfile(Int(index), isSaved) ? 0 : -EINVAL },
        set_route: { data, index, device, isSaved in
          CardExport.from(data).requests.setRoute(Int(index), Int(device), isSaved) ? 0 : -EINVAL
        },
        set_volume: { data, device, volume, mute in
          CardExport.from(data).requests.setVolume(Int(device), volume < 0 ? nil : volume, mute < 0 ? nil : mute != 0)
        }))
    return UnsafePointer(table)
  }()

  private static func from(_ data: UnsafeMutableRawPointer?) -> CardExport { Unmanaged.fromOpaque(data!).takeUnretainedValue() }
}

private func withList(_ values: [Int], _ body: (csd_list) -> Void) {
  values.map { Int32($0) }.withUnsafeBufferPointer { body(csd_list(values: $0.baseAddress, count: UInt32($0.count))) }
}

extension DeskRoute.Availability {
  /// `enum spa_param_availability`.
  fileprivate var code: UInt32 {
    switch self {
    case .unknown: 0
    case .no: 1
    case .yes: 2
    }
  }
}
