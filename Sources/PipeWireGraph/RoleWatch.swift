import PipeWireClient

/// Finds streams whose role goes before a call, as a softphone's that rings (I1). [control]
final class RoleWatch {
  private let roles: Set<String>
  private let changed: () -> Void
  private var infos: NodeInfos

  /// `changed` is called when such a stream begins or ends to run.
  init(_ connection: Connection, roles: [String], changed: @escaping () -> Void) {
    self.roles = Set(roles.map { $0.lowercased() })
    self.changed = changed
    infos = NodeInfos(connection)
  }

  /// The stream that interrupts now, in words: the first that runs of those with such a role. `ownClients` are clients that use nearend, and
  /// nearend itself: whoever calls through it does not interrupt its own call.
  func interrupter(in objects: GraphObjects, ownClients: Set<UInt32>) throws(PipeWireError) -> String? {
    let streams = objects.nodes.filter { node in
      guard let role = node.properties["media.role"], node.properties["media.class"]?.hasPrefix("Stream/") == true else { return false }
      return roles.contains(role.lowercased()) && !(node.id("client.id").map { ownClients.contains($0) } ?? false)
    }
    try infos.look(at: streams, ran: changed) {}
    return streams.first { infos[$0]?.isRunning == true }.map { stream in
      "\(stream.nodeName ?? "a stream") (\(stream.properties["media.role"] ?? ""))"
    }
  }

  /// The clients that have a link with one of `nodes`, and those that these nodes belong to.
  static func clients(of nodes: Set<UInt32>, in objects: GraphObjects) -> Set<UInt32> {
    var users = nodes
    for link in objects.links {
      if nodes.contains(link.inputNode) { users.insert(link.outputNode) }
      if nodes.contains(link.outputNode) { users.insert(link.inputNode) }
    }
    // The real devices that nearend is linked with are no clients of its.
    let streams = users.compactMap { objects.node(id: $0) }.filter { node in
      nodes.contains(node.id) || node.properties["media.class"]?.hasPrefix("Stream/") == true
    }
    return Set(streams.compactMap { $0.id("client.id") })
  }
}
