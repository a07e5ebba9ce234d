import PipeWireClient
import SessionModel

/// Counts the applications that use nearend's virtual devices (L3): one that records from *Nearend Microphone* is send media, one that
/// plays into *Nearend Speaker* or a participant's device is receive media. Meters of volume controls (`stream.monitor`) are neither, and a
/// filter with a device of its own, such as an equalizer, counts while somebody uses that device. [control]
final class ClientWatch {
  struct Users: Equatable {
    var send: [String] = []
    var receive: [String] = []
    /// The virtual sinks that applications play into.
    var usedSinks: Set<UInt32> = []

    /// The applications as media of the session.
    var all: [Media] {
      send.map { Media(id: $0, isSend: true, isReceive: receive.contains($0), owner: .application) }
        + receive.filter { !send.contains($0) }.map { Media(id: $0, isSend: false, isReceive: true, owner: .application) }
    }
  }

  private let changed: () -> Void
  private var infos: NodeInfos

  /// `changed` is called when the daemon reports more about a client.
  init(_ connection: Connection, changed: @escaping () -> Void) {
    self.changed = changed
    infos = NodeInfos(connection)
  }

  /// Returns the current users of the devices. A client counts once the daemon has reported its properties.
  func media(in objects: GraphObjects, microphone: UInt32?, sinks: Set<UInt32>) throws(PipeWireError) -> Users {
    let own = sinks.union(microphone.map { [$0] } ?? [])
    var send = Set<UInt32>()
    var receive = Set<UInt32>()
    for link in objects.links {
      if link.outputNode == microphone, !own.contains(link.inputNode) { send.insert(link.inputNode) }
      if sinks.contains(link.inputNode), !own.contains(link.outputNode) { receive.insert(link.outputNode) }
    }
    let direct = send.union(receive)
    let ends = Dictionary(uniqueKeysWithValues: direct.map { ($0, Self.ends(behind: $0, in: objects)) })
    try infos.watch(direct.union(ends.values.joined()).sorted().compactMap { objects.node(id: $0) }, changed: changed)
    let used = objects.links.filter { sinks.contains($0.inputNode) && receive.contains($0.outputNode) }.map(\.inputNode)
    return Users(send: names(send, ends, in: objects), receive: names(receive, ends, in: objects), usedSinks: Set(used))
  }

  /// Returns the nodes for which a user works: itself, or for a filter with a device of its own those that use that device.
  private static func ends(behind user: UInt32, in objects: GraphObjects) -> Set<UInt32> {
    var (seen, waiting, ends): (Set<UInt32>, [UInt32], Set<UInt32>) = ([user], [user], [])
    while let node = waiting.popLast() {
      let devices = devices(ofFilter: node, in: objects)
      guard !devices.isEmpty else {
        ends.insert(node)
        continue
      }
      let users =
        objects.links.compactMap { link in devices[link.outputNode] == .input ? link.inputNode : nil }
        + objects.links.compactMap { link in devices[link.inputNode] == .output ? link.outputNode : nil }
      for user in users where seen.insert(user).inserted { waiting.append(user) }
    }
    return ends
  }

  /// Returns the devices of the filter of which a node is an end.
  private static func devices(ofFilter node: UInt32, in objects: GraphObjects) -> [UInt32: Device.Direction] {
    guard let group = objects.linkGroups[node] else { return [:] }
    let members = objects.filters.filter { $0.node != node && objects.linkGroups[$0.node] == group }
    return Dictionary(members.map { ($0.node, $0.direction) }) { first, _ in first }
  }

  private func names(_ users: Set<UInt32>, _ ends: [UInt32: Set<UInt32>], in objects: GraphObjects) -> [String] {
    func counts(_ id: UInt32) -> Bool {
      objects.node(id: id).flatMap { infos[$0] }.map { $0.isKnown && $0.properties["stream.monitor"] != "true" } ?? false
    }
    return users.sorted().compactMap { id in
      guard let node = objects.node(id: id), let info = infos[node], counts(id), ends[id]?.contains(where: counts) == true else {
        return nil
      }
      let name = node.nodeName ?? info.properties["application.name"] ?? "node"
      return "\(name)-\(id)"
    }
  }
}
