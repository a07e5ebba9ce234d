import PipeWireClient

/// Finds streams with a role that interrupts a call, such as a ringing softphone's (I1). [control]
final class RoleWatch {
  private let roles: Set<String>
  private let changed: () -> Void
  private var infos: NodeInfos

  /// `changed` is called when such a stream starts or stops running.
  init(_ connection: Connection, roles: [String], changed: @escaping () -> Void) {
    self.roles = Set(roles.map { $0.lowercased() })
    self.changed = changed
    infos = NodeInfos(connection)
  }

  /// Returns the name and role of the first running stream with such a role. `ownClients` are nearend and the clients that use it: a
  /// program that calls through nearend does not interrupt its own call.
  func interrupter(in objects: GraphObjects, ownClients: Set<UInt32>) throws(PipeWireError) -> String? {
    let streams = objects.nodes.filter { node in
      guard let role = node.properties["media.role"], node.properties["media.class"]?.hasPrefix("Stream/") == true else { return false }
      return roles.contains(role.lowercased()) && !(node.id("client.id").map { ownClients.contains($0) } ?? false)
    }
    try infos.watch(streams, ran: changed) {}
    return streams.first { infos[$0]?.isRunning == true }.map { stream in
      "\(stream.nodeName ?? "a stream") (\(stream.properties["media.role"] ?? ""))"
    }
  }

  /// Returns the clients that have a link with one of `nodes`, and those that own these nodes.
  static func clients(of nodes: Set<UInt32>, in objects: GraphObjects) -> Set<UInt32> {
    var users = nodes
    for link in objects.links {
      if nodes.contains(link.inputNode) { users.insert(link.outputNode) }
      if nodes.contains(link.outputNode) { users.insert(link.inputNode) }
    }
    // Real devices linked with nearend are not its clients.
    let streams = users.compactMap { objects.node(id: $0) }.filter { node in
      nodes.contains(node.id) || node.properties["media.class"]?.hasPrefix("Stream/") == true
    }
    return Set(streams.compactMap { $0.id("client.id") })
  }
}
