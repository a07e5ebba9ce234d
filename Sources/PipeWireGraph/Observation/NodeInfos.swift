import PipeWireClient

/// What the daemon tells of some nodes beyond its registry, as long as they are looked at. [control]
///
/// By serial number, which unlike an id is never given again.
struct NodeInfos {
  /// Nodes that are asked about at a time: any client may bring as many as it likes.
  static let most = 1_024

  private let connection: Connection
  private var infos: [UInt64: NodeInfo] = [:]

  init(_ connection: Connection) { self.connection = connection }

  subscript(_ node: GlobalObject) -> NodeInfo? { infos[node.serial] }

  /// Looks at these from now on, and at no others: `ran` and `changed` are called with what the daemon tells of each. Of more than there is
  /// room for, the first stay.
  /// - Throws: `connectionLost`.
  mutating func look(
    at nodes: some Sequence<GlobalObject>, ran: (() -> Void)? = nil, changed: @escaping () -> Void
  ) throws(PipeWireError) {
    let nodes = Array(nodes)
    let serials = Set(nodes.map(\.serial))
    infos = infos.filter { serials.contains($0.key) }
    for node in nodes where infos[node.serial] == nil && infos.count < Self.most {
      infos[node.serial] = try NodeInfo(connection, id: node.id, ran: ran, changed: changed)
    }
  }
}
