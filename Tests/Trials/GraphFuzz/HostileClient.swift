internal import CHostileClient
import Glibc
import SimulatedHardware
import TestSupport

/// A client of the daemon with nodes and cards of its own, which does whatever it can to all others. Confined to one thread.
final class HostileClient {
  let client: OpaquePointer
  private let socket: String
  /// A client that changes foreign objects. The daemon accepts nothing more from it until the object's owner has answered, and one that
  /// hangs or has ended never does, so it is replaced now and then.
  var requests: OpaquePointer
  private var nodes: [OpaquePointer] = []
  private var devices: [OpaquePointer] = []
  /// Nodes that publish volumes: streams that play, and devices that are to become the default.
  var players: [OpaquePointer] = []
  var defaults: [OpaquePointer] = []
  var metadata: [OpaquePointer] = []

  /// nil if no daemon answers.
  init?(socket: String) {
    guard let client = hc_connect(socket) else { return nil }
    guard let requests = hc_connect(socket) else {
      hc_disconnect(client)
      return nil
    }
    (self.socket, self.client, self.requests) = (socket, client, requests)
  }

  /// Disconnects with everything, in the middle of its requests.
  deinit {
    for node in nodes + players + defaults { hc_remove_node(node) }
    for object in metadata { hc_remove_metadata(object) }
    for device in devices { hc_remove_device(device) }
    hc_disconnect(requests)
    hc_disconnect(client)
  }

  var isConnected: Bool { hc_is_connected(client) }

  /// Performs an action; returns its name for the tally.
  func act(_ generator: inout SeededGenerator) -> String {
    if Int.random(in: 0..<64, using: &generator) == 0, let new = hc_connect(socket) {
      hc_disconnect(requests)
      requests = new
    }
    switch Int.random(in: 0..<24, using: &generator) {
    case 0, 1: return setParam(&generator)
    case 2, 3: return addDevice(&generator)
    case 4:
      if let device = devices.randomElement(using: &generator) { hc_tell_again(device) }
      return "device told"
    case 5:
      if !devices.isEmpty { hc_remove_device(devices.remove(at: .random(in: 0..<devices.count, using: &generator))) }
      return "device removed"
    case 6: return addNode(&generator)
    case 7, 8:
      guard let node = nodes.randomElement(using: &generator) else { return addNode(&generator) }
      Self.withPod(15, .latency(&generator)) { hc_tell_latency(node, $0, .random(using: &generator)) }
      return "latency"
    case 9:
      if !nodes.isEmpty { hc_remove_node(nodes.remove(at: .random(in: 0..<nodes.count, using: &generator))) }
      return "node removed"
    case 10: return setMetadata(&generator)
    case 11, 12, 13: return play(&generator)
    case 14, 15, 16: return beDefault(&generator)
    case 17: return leave(&generator)
    case 18, 19, 20: return writeMetadata(&generator)
    case 21: return Int.random(in: 0..<5, using: &generator) == 0 ? hang(&generator) : "did not hang"
    default: return link(&generator)
    }
  }

  func find(_ kind: String, _ name: String? = nil) -> [UInt32] { ids { hc_find(client, kind, name, $0, $1) } }

  func ids(_ find: (UnsafeMutablePointer<UInt32>, UInt32) -> UInt32) -> [UInt32] {
    var ids = [UInt32](repeating: 0, count: 256)
    let count = find(&ids, 256)
    return Array(ids.prefix(Int(count)))
  }

  /// Removes a node that publishes volumes, or a metadata object.
  private func leave(_ generator: inout SeededGenerator) -> String {
    func removeOne(_ list: inout [OpaquePointer]) -> OpaquePointer? {
      list.isEmpty ? nil : list.remove(at: .random(in: 0..<list.count, using: &generator))
    }
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      if let node = removeOne(&players) { hc_remove_node(node) }
      return "player removed"
    case 1:
      if let node = removeOne(&defaults) { hc_remove_node(node) }
      return "device to be default removed"
    default:
      if let object = removeOne(&metadata) { hc_remove_metadata(object) }
      return "metadata object removed"
    }
  }

  // MARK: Hanging

  /// Stops answering while another client queries one of its cards; then the card, the client, or neither disappears.
  private func hang(_ generator: inout SeededGenerator) -> String {
    if devices.isEmpty { _ = addDevice(&generator) }
    guard let device = devices.last else { return "no device" }
    for _ in 0..<100 where !hc_is_registered(device) { usleep(10_000) }
    hc_tell_again(device)
    // The card has reached the daemon; a query for it may have come back or not.
    usleep(.random(in: 0...2_000, using: &generator))
    hc_hold(client)
    let asked = hc_asked(device)
    usleep(.random(in: 100_000...3_000_000, using: &generator))
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      devices.removeLast()
      hc_remove_device(device)
      hc_release(client)
      return "hung, then the card went"
    case 1:
      hc_release(client)
      usleep(50_000)
      return "hung, then answered \(hc_asked(device) > asked ? "" : "no ")questions"
    default: return Self.hungAndGone
    }
  }

  /// The name that `act` returns if the process is to end at once, in the middle of everything.
  static let hungAndGone = "hung, then the client went"

  private func setParam(_ generator: inout SeededGenerator) -> String {
    let name =
      ["nearend", "nearend.microphone", "nearend.speaker", "hw.speaker", "hw.mic", "hostile", "hostile.player"].randomElement(
        using: &generator) ?? ""
    guard let node = find("Node", name).randomElement(using: &generator) else { return "no node" }
    // Props, Latency, ProcessLatency.
    let (id, pod): (UInt32, HostilePod) =
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: (15, .latency(&generator))
      case 1: (16, .latency(&generator))
      default: (2, .props(&generator))
      }
    Self.withPod(id, pod) { hc_set_param(requests, node, $0) }
    return "param"
  }

  private func addDevice(_ generator: inout SeededGenerator) -> String {
    guard devices.count < 4 else { return "devices enough" }
    // EnumProfile, Profile, EnumRoute, Route.
    var pods: [(UInt32, HostilePod)] = []
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      pods.append(Bool.random(using: &generator) ? (8, .profile(&generator)) : (12, .route(&generator)))
      pods.append(Bool.random(using: &generator) ? (9, .profile(&generator)) : (13, .route(&generator)))
    }
    let properties = [
      "media.class": "Audio/Device", "device.name": HostilePod.text(&generator), "device.description": HostilePod.text(&generator),
      "device.api": ["bluez5", "alsa", HostilePod.text(&generator)].randomElement(using: &generator) ?? "",
    ]
    // Memory for the duration of the call; the daemon's data is copied.
    let memory = pods.map { Self.memory($0.1.bytes) }
    defer { for block in memory { block.deallocate() } }
    let params = zip(pods, memory).map { (id: $0.0, pod: UnsafeRawBufferPointer($1)) }
    if let device = addHostileCard(properties, params: params, to: client) { devices.append(device) }
    return "device"
  }

  private func addNode(_ generator: inout SeededGenerator) -> String {
    guard nodes.count < 6 else { return "nodes enough" }
    let devices = find("Device")
    var properties = [
      "node.name": Bool.random(using: &generator) ? HostilePod.text(&generator) : "hostile",
      "node.description": HostilePod.text(&generator),
      "application.name": HostilePod.text(&generator),
      "priority.session": ["1", "99999", "-1", "9999999999999999999"].randomElement(using: &generator) ?? "",
      "media.class":
        ["Audio/Sink", "Audio/Source", "Stream/Output/Audio", "Stream/Input/Audio", "Audio/Duplex"].randomElement(using: &generator) ?? "",
      "media.role": ["Phone", "Music", HostilePod.text(&generator)].randomElement(using: &generator) ?? "",
      "node.link-group": ["g", HostilePod.text(&generator)].randomElement(using: &generator) ?? "",
      "card.profile.device": ["0", "1", "-1", "99999999999999999999"].randomElement(using: &generator) ?? "",
    ]
    if let device = devices.randomElement(using: &generator) { properties["device.id"] = "\(device)" }
    if let node = addHostileNode(properties, to: client) { nodes.append(node) }
    return "node"
  }

  private func link(_ generator: inout SeededGenerator) -> String {
    guard let output = find("Port", "out").randomElement(using: &generator), let input = find("Port", "in").randomElement(using: &generator)
    else {
      return "no ports"
    }
    hc_link(client, output, input)
    return "link"
  }

  // MARK: C values

  private static func memory(_ bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
    memory.copyBytes(from: bytes)
    return memory
  }

  static func withPod(_ id: UInt32, _ pod: HostilePod, _ body: (UnsafePointer<hc_pod>) -> Void) {
    let memory = memory(pod.bytes)
    defer { memory.deallocate() }
    var raw = hc_pod(id: id, bytes: memory.baseAddress, size: UInt32(memory.count))
    body(&raw)
  }
}
