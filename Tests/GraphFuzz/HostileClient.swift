internal import CHostileClient
import Glibc
import SimulatedHardware

/// A client of the daemon with its own nodes and cards that does whatever it can to everybody. One thread.
final class HostileClient {
  private let client: OpaquePointer
  private var nodes: [OpaquePointer] = []
  private var devices: [OpaquePointer] = []

  /// nil if no daemon answers.
  init?(socket: String) {
    guard let client = hc_connect(socket) else { return nil }
    self.client = client
  }

  /// Disconnects with everything, in the middle of its requests.
  deinit {
    for node in nodes { hc_remove_node(node) }
    for device in devices { hc_remove_device(device) }
    hc_disconnect(client)
  }

  var isConnected: Bool { hc_is_connected(client) }

  /// Performs an action; returns its name for the tally.
  func act(_ generator: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<12, using: &generator) {
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
    default: return link(&generator)
    }
  }

  private func find(_ kind: String, _ name: String? = nil) -> [UInt32] {
    var ids = [UInt32](repeating: 0, count: 256)
    return Array(ids.prefix(Int(hc_find(client, kind, name, &ids, 256)))).isEmpty ? [] : ids.filter { $0 != 0 }
  }

  private func setParam(_ generator: inout SeededGenerator) -> String {
    let name =
      ["nearend", "nearend.microphone", "nearend.speaker", "hw.speaker", "hw.mic", "hostile"].randomElement(using: &generator) ?? ""
    guard let node = find("Node", name).randomElement(using: &generator) else { return "no node" }
    // Props, Latency, ProcessLatency.
    let (id, pod): (UInt32, HostilePod) =
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: (15, .latency(&generator))
      case 1: (16, .latency(&generator))
      default: (2, .props(&generator))
      }
    Self.withPod(id, pod) { hc_set_param(client, node, $0) }
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
    let raw = zip(pods, memory).map { hc_pod(id: $0.0, bytes: $1.baseAddress, size: UInt32($1.count)) }
    Self.withProperties(properties) { list, count in
      if let device = hc_add_device(client, list, count, raw, UInt32(raw.count)) { devices.append(device) }
    }
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
    Self.withProperties(properties) { list, count in if let node = hc_add_node(client, list, count) { nodes.append(node) } }
    return "node"
  }

  private func setMetadata(_ generator: inout SeededGenerator) -> String {
    guard let metadata = find("Metadata", "default").first else { return "no metadata" }
    let keys = [
      "default.audio.sink", "default.audio.source", "default.configured.audio.sink", "default.configured.audio.source", "target.node",
      "target.object", HostilePod.text(&generator),
    ]
    let values = [
      "{\"name\":\"hw.speaker\"}", "{\"name\":\"nearend.speaker\"}", "{\"name\":\(String(repeating: "[", count: 5_000))", "-1", "",
      HostilePod.text(&generator),
    ]
    let subject = Bool.random(using: &generator) ? 0 : find("Node").randomElement(using: &generator) ?? 0
    hc_set_metadata(
      client, metadata, subject, keys.randomElement(using: &generator) ?? "", "Spa:String:JSON",
      Int.random(in: 0..<4, using: &generator) == 0 ? nil : values.randomElement(using: &generator))
    return "metadata"
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

  private static func withPod(_ id: UInt32, _ pod: HostilePod, _ body: (UnsafePointer<hc_pod>) -> Void) {
    let memory = memory(pod.bytes)
    defer { memory.deallocate() }
    var raw = hc_pod(id: id, bytes: memory.baseAddress, size: UInt32(memory.count))
    body(&raw)
  }

  private static func withProperties(_ properties: [String: String], _ body: (UnsafePointer<hc_property>?, UInt32) -> Void) {
    let texts = properties.sorted { $0.key < $1.key }.map { (strdup($0.key)!, strdup($0.value)!) }
    defer {
      for (key, value) in texts {
        free(key)
        free(value)
      }
    }
    let raw = texts.map { hc_property(key: UnsafePointer($0.0), value: UnsafePointer($0.1)) }
    raw.withUnsafeBufferPointer { body($0.baseAddress, UInt32($0.count)) }
  }
}
