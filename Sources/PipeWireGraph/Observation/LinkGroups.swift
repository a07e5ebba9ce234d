import PipeWireClient

/// Finds nodes that belong together, such as a loopback's two ends: they share a `node.link-group`, which the registry does not contain.
/// [control]
final class LinkGroups {
  private let changed: () -> Void
  private var infos: NodeInfos

  /// `changed` is called when the daemon reports more about a node.
  init(_ connection: Connection, changed: @escaping () -> Void) { (self.changed, infos) = (changed, NodeInfos(connection)) }

  /// Returns the groups known now, by node. Only programs are queried that both take sound in and give it out; sound cards are none.
  /// - Throws: `connectionLost`.
  func update(_ objects: GraphObjects) throws(PipeWireError) -> [UInt32: String] {
    let foreign = objects.nodes.filter { !objects.own.all.contains($0.id) && $0.id("device.id") == nil }
    let nodes = Dictionary(grouping: foreign) { $0.id("client.id") }.values.filter { nodes in
      let classes = Set(nodes.compactMap { $0.properties["media.class"] })
      func has(_ prefixes: String...) -> Bool { classes.contains { name in prefixes.contains { name.hasPrefix($0) } } }
      return has("Stream/Input", "Audio/Sink", "Audio/Duplex") && has("Stream/Output", "Audio/Source", "Audio/Duplex")
    }.joined()
    try infos.watch(nodes, changed: changed)
    var groups: [UInt32: String] = [:]
    for node in nodes { groups[node.id] = infos[node]?.properties["node.link-group"] }
    return groups
  }

  /// Returns the filters with a device of their own, oldest first.
  func filters(in objects: GraphObjects) -> [OtherFilter] {
    objects.nodes.compactMap { node in infos[node].flatMap { OtherFilter(node, $0.properties) } }
  }
}
