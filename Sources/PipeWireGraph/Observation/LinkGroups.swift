import PipeWireClient

/// Finds streams that belong together, such as a loopback's two ends: they share a `node.link-group`, which the registry does not contain.
/// [control]
final class LinkGroups {
  private let changed: () -> Void
  private var infos: NodeInfos

  /// `changed` is called when the daemon reports more about a stream.
  init(_ connection: Connection, changed: @escaping () -> Void) { (self.changed, infos) = (changed, NodeInfos(connection)) }

  /// Returns the groups known now, by node. Only programs that both record and play are queried.
  /// - Throws: `connectionLost`.
  func update(_ objects: GraphObjects) throws(PipeWireError) -> [UInt32: String] {
    let streams = Dictionary(grouping: objects.nodes.filter(\.isStream)) { $0.id("client.id") }.values.filter { streams in
      let classes = Set(streams.compactMap { $0.properties["media.class"] })
      return classes.contains { $0.hasPrefix("Stream/Input") } && classes.contains { $0.hasPrefix("Stream/Output") }
    }.joined()
    try infos.watch(streams, changed: changed)
    var groups: [UInt32: String] = [:]
    for stream in streams { groups[stream.id] = infos[stream]?.properties["node.link-group"] }
    return groups
  }
}
