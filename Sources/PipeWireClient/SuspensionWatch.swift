/// Detects nodes that are suspended while they run, as a session manager does on start with every device that it configures.
///
/// PipeWire before 1.4 may leave a link of such a node without buffers forever while reporting it as active: nothing passes until the link
/// is made again. Later versions revive links, but may forget some (1.4.2: all but the first): those stay paused although the node runs.
/// [control]
package final class SuspensionWatch {
  private let connection: Connection
  private let changed: () -> Void
  private var watched: [Key: (info: NodeInfo, seen: Int)] = [:]

  /// Ids are reused, serial numbers are not.
  private struct Key: Hashable {
    let id: UInt32
    let serial: UInt64
  }

  /// `changed` is called when a watched node was suspended.
  package init(_ connection: Connection, changed: @escaping () -> Void) {
    self.connection = connection
    self.changed = changed
  }

  private func notice() {
    if watched.values.contains(where: { $0.info.suspensions != $0.seen }) { changed() }
  }

  /// As `suspended`, but empty if the daemon itself revives the links.
  /// - Throws: `connectionLost`.
  package func unrevived(among nodes: Set<UInt32>) throws(PipeWireError) -> Set<UInt32> {
    connection.revivesLinks ? [] : try suspended(among: nodes)
  }

  /// The time since when a watched node runs, CLOCK_MONOTONIC in ns; nil while it does not. `changed` reports when a suspended node runs
  /// again.
  package func runningSince(_ node: UInt32) -> UInt64? { watched.first { $0.key.id == node }?.value.info.runningSince }

  /// Watches exactly these nodes, and returns those that were suspended while running since the last call.
  /// - Throws: `connectionLost`.
  package func suspended(among nodes: Set<UInt32>) throws(PipeWireError) -> Set<UInt32> {
    let keys = Set(nodes.compactMap { id in connection.objects[id].map { Key(id: id, serial: $0.serial) } })
    watched = watched.filter { keys.contains($0.key) }
    var suspended = Set<UInt32>()
    for key in keys {
      guard let (info, seen) = watched[key] else {
        let ran = { [weak self] in if self?.watched[key]?.seen ?? 0 > 0 { self?.changed() } }
        watched[key] = (try NodeInfo(connection, id: key.id, ran: ran) { [weak self] in self?.notice() }, 0)
        continue
      }
      guard info.suspensions != seen else { continue }
      suspended.insert(key.id)
      watched[key]?.seen = info.suspensions
    }
    return suspended
  }
}
