import PipeWireClient

/// The room's nodes and links in one daemon; removed when the daemon ends. [control]
final class RoomAttachment {
  var isObserving: Bool {
    didSet { connectPorts() }
  }
  var acoustics: Acoustics {
    didSet { connectPorts() }
  }
  /// Whether every loudspeaker and every microphone is linked, and there is at least one.
  private(set) var isLinked = false

  private let options: RoomOptions
  private let connection: Connection
  private let loudspeaker: Filter
  private let microphone: Filter
  private let observer: Filter
  private let suspensions: SuspensionWatch
  private let inquiry: LinkInquiry
  private var links: [Pair: RemoteObject] = [:]
  /// Links whose device was suspended.
  private var stale: Set<Pair> = []
  private let relay: Relay

  private struct Pair: Hashable {
    var from: UInt32
    var to: UInt32
  }
  /// Events come before `self` is fully initialized.
  private final class Relay {
    weak var owner: RoomAttachment?
    let lost: () -> Void
    init(lost: @escaping () -> Void) { self.lost = lost }
  }

  init(
    loop: ThreadLoop, options: RoomOptions, audio: RoomAudio, acoustics: Acoustics, isObserving: Bool, lost: @escaping () -> Void
  ) throws(PipeWireError) {
    self.options = options
    self.acoustics = acoustics
    self.isObserving = isObserving
    let relay = Relay(lost: lost)
    self.relay = relay
    connection = try Connection(loop: loop, remote: options.socket, properties: ["application.name": "room"]) { event in
      switch event {
      case .added, .removed: relay.owner?.connectPorts()
      case .lost: relay.lost()
      case .full, .failed: break
      }
    }
    suspensions = SuspensionWatch(connection) { relay.owner?.connectPorts() }
    inquiry = LinkInquiry(connection) { relay.owner?.connectPorts() }
    let data = Unmanaged.passUnretained(audio).toOpaque()
    let properties = ["node.group": SimulatedDevice.group, "node.always-process": "true"]
    loudspeaker = try Filter(connection, name: "room.loudspeaker", properties: properties, data: data, process: Self.hear) { _ in }
    microphone = try Filter(connection, name: "room.microphone", properties: properties, data: data, process: Self.speak) { _ in }
    observer = try Filter(connection, name: "room.observer", properties: properties, data: data, process: Self.observe) { _ in }
    audio.ports.left = try loudspeaker.addPort(.input, name: "input_FL").pointer
    audio.ports.right = try loudspeaker.addPort(.input, name: "input_FR").pointer
    audio.ports.distantLeft = try loudspeaker.addPort(.input, name: "distant_FL").pointer
    audio.ports.distantRight = try loudspeaker.addPort(.input, name: "distant_FR").pointer
    if audio.array.isEmpty {
      audio.ports.microphone = try microphone.addPort(.output, name: "output_MONO").pointer
    } else {
      audio.ports.array = try audio.array.indices.map { index throws(PipeWireError) in
        try microphone.addPort(.output, name: "output_AUX\(index)").pointer
      }
    }
    audio.ports.observer = try observer.addPort(.input, name: "input_MONO").pointer
    try loudspeaker.connect()
    try microphone.connect()
    try observer.connect()
    relay.owner = self
    connectPorts()
  }

  /// Makes the missing links and removes the superfluous ones.
  private func connectPorts() {
    let ids = Dictionary(
      connection.objects(of: .port).compactMap { port -> (String, UInt32)? in
        guard let node = port.id("node.id").flatMap({ connection.objects[$0]?.nodeName }), let name = port.properties["port.name"] else {
          return nil
        }
        return ("\(node):\(name)", port.id)
      }, uniquingKeysWith: { first, _ in first })
    let loudspeakers = acoustics.loudspeakers.flatMap { name in
      let place = acoustics.distant.contains(name) ? "distant" : "input"
      return ["FL", "FR"].map { ("\(name):monitor_\($0)", "room.loudspeaker:\(place)_\($0)") }
    }
    let microphones = acoustics.microphones.flatMap { name in
      let ports =
        if let array = options.array {
          (0..<array.count).map { ("output_AUX\($0)", "AUX\($0)") }
        } else {
          ["MONO", "FL", "FR", "AUX0", "AUX1"].map { ("output_MONO", $0) }
        }
      return ports.map { ("room.microphone:\($0.0)", "\(name):input_\($0.1)") }.filter { ids[$0.1] != nil }
    }
    let hardware = loudspeakers + microphones
    let used = options.followsUse ? hardware.filter { isUsed($0.0, ids) || isUsed($0.1, ids) } : hardware
    // Of two channels the left one.
    let observedPort = ids[options.observed] == nil ? options.observed.replacing("_MONO", with: "_FL") : options.observed
    let observed = isObserving ? [(observedPort, "room.observer:input_MONO")] : []
    func pairs(_ names: [(String, String)]) -> Set<Pair> {
      Set(
        names.compactMap { from, to in
          guard let from = ids[from], let to = ids[to] else { return nil }
          return Pair(from: from, to: to)
        })
    }
    // Recording keeps the graph running; the links through the air do not.
    let recorded = pairs(observed)
    let wanted = pairs(used).union(recorded)
    let nodes = wanted.map { pair in [pair.from, pair.to].map { connection.objects[$0]?.id("node.id") } }
    let suspended = (try? suspensions.unrevived(among: Set(nodes.joined().compactMap { $0 }))) ?? []
    links = links.filter { !$0.value.isRemoved && $0.value.failure == nil }
    stale.formUnion(links.keys.filter { [$0.from, $0.to].contains { isPort($0, of: suspended) } })
    stale.formIntersection(links.keys)
    let over = links.keys.filter { stale.contains($0) || !wanted.contains($0) }
    if (try? inquiry.mayEnd(over.compactMap { links[$0] })) == true {
      for pair in over { links[pair] = nil }
      stale = []
    }
    for pair in wanted where links[pair] == nil {
      links[pair] = try? RemoteObject.link(
        connection, from: pair.from, to: pair.to, isPassive: options.followsUse && !recorded.contains(pair)
      ) { _ in }
    }
    isLinked =
      microphones.count >= max(options.array?.count ?? 1, acoustics.microphones.count)
      && used.allSatisfy { from, to in
        guard let from = ids[from], let to = ids[to] else { return false }
        return links[Pair(from: from, to: to)] != nil
      }
  }

  /// Returns whether other clients play to or record from the device that a port of the room is to be linked with.
  private func isUsed(_ name: String, _ ids: [String: UInt32]) -> Bool {
    guard let node = ids[name].flatMap({ connection.objects[$0]?.id("node.id") }), !isOurs(node) else { return false }
    return connection.objects(of: .link).contains { link in
      let ends = [link.id("link.output.node"), link.id("link.input.node")]
      return ends.contains(node) && !ends.contains { $0.map(isOurs) ?? true }
    }
  }

  private func isOurs(_ node: UInt32) -> Bool { connection.objects[node]?.nodeName?.hasPrefix("room.") == true }

  private func isPort(_ port: UInt32, of nodes: Set<UInt32>) -> Bool {
    connection.objects[port]?.id("node.id").map { nodes.contains($0) } ?? false
  }

  private static let hear: Filter.Process = { data, cycle in
    guard let data, let cycle else { return }
    Unmanaged<RoomAudio>.fromOpaque(data).takeUnretainedValue().processLoudspeaker(Cycle(cycle))
  }

  private static let speak: Filter.Process = { data, cycle in
    guard let data, let cycle else { return }
    Unmanaged<RoomAudio>.fromOpaque(data).takeUnretainedValue().fillMicrophone(Cycle(cycle))
  }

  private static let observe: Filter.Process = { data, cycle in
    guard let data, let cycle else { return }
    Unmanaged<RoomAudio>.fromOpaque(data).takeUnretainedValue().observe(Cycle(cycle))
  }
}
