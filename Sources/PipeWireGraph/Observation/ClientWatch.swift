import PipeWireClient
import SessionModel

/// Counts the applications that use nearend's virtual devices (L3): one that records from *Nearend Microphone* is send media, one that
/// plays into *Nearend Speaker* or a participant's device is receive media. Meters of volume controls (`stream.monitor`) are neither.
/// [control]
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
    try infos.watch(send.union(receive).sorted().compactMap { objects.node(id: $0) }, changed: changed)
    let used = objects.links.filter { sinks.contains($0.inputNode) && receive.contains($0.outputNode) }.map(\.inputNode)
    return Users(send: names(send, in: objects), receive: names(receive, in: objects), usedSinks: Set(used))
  }

  private func names(_ users: Set<UInt32>, in objects: GraphObjects) -> [String] {
    users.sorted().compactMap { id in
      guard let node = objects.node(id: id), let info = infos[node], info.isKnown, info.properties["stream.monitor"] != "true" else {
        return nil
      }
      let name = node.nodeName ?? info.properties["application.name"] ?? "node"
      return "\(name)-\(id)"
    }
  }
}
