import PipeWireClient

/// Finds streams that belong together, such as a loopback's two ends: they share a `node.link-group`, which the registry does not contain.
/// [control]
final class LinkGroups {
  private let connection: Connection
  private let changed: () -> Void
  /// By serial number, which unlike an id is never reused.
  private var infos: [UInt64: NodeInfo] = [:]

  /// `changed` is called when more of a stream is known.
  init(_ connection: Connection, changed: @escaping () -> Void) { (self.connection, self.changed) = (connection, changed) }

  /// Returns the groups known now, by node. Only programs that both record and play are queried.
  /// - Throws: `connectionLost`.
  func look(_ objects: GraphObjects) throws(PipeWireError) -> [UInt32: String] {
    let streams = Dictionary(grouping: objects.nodes.filter(\.isStream)) { $0.id("client.id") }.values.filter { streams in
      let classes = Set(streams.compactMap { $0.properties["media.class"] })
      return classes.contains { $0.hasPrefix("Stream/Input") } && classes.contains { $0.hasPrefix("Stream/Output") }
    }.joined()
    let serials = Set(streams.map(\.serial))
    infos = infos.filter { serials.contains($0.key) }
    var groups: [UInt32: String] = [:]
    for stream in streams {
      if infos[stream.serial] == nil { infos[stream.serial] = try NodeInfo(connection, id: stream.id, changed: changed) }
      groups[stream.id] = infos[stream.serial]?.properties["node.link-group"]
    }
    return groups
  }
}
