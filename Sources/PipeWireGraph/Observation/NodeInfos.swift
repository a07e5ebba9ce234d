import PipeWireClient

/// Information about some nodes beyond the daemon's registry, for as long as they are watched. [control]
///
/// Keyed by serial number, which unlike an id is never reused.
struct NodeInfos {
  /// The most nodes watched at a time: a client may create any number.
  static let most = 1_024

  private let connection: Connection
  private var infos: [UInt64: NodeInfo] = [:]

  init(_ connection: Connection) { self.connection = connection }

  subscript(_ node: GlobalObject) -> NodeInfo? { infos[node.serial] }

  /// Watches exactly these nodes: calls `ran` and `changed` with the daemon's reports on each. If there are more than `most`, the first
  /// stay.
  /// - Throws: `connectionLost`.
  mutating func watch(
    _ nodes: some Sequence<GlobalObject>, ran: (() -> Void)? = nil, changed: @escaping () -> Void
  ) throws(PipeWireError) {
    let nodes = Array(nodes)
    let serials = Set(nodes.map(\.serial))
    infos = infos.filter { serials.contains($0.key) }
    for node in nodes where infos[node.serial] == nil && infos.count < Self.most {
      infos[node.serial] = try NodeInfo(connection, id: node.id, ran: ran, changed: changed)
    }
  }
}
