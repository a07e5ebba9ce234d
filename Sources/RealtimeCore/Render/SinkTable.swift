/// The sinks that a cycle plays, as published by the control side. Immutable: a change is a new table.
struct SinkTable {
  struct Ring {
    let player: UnsafeMutablePointer<RingPlayer>
    /// Removed: fades out, then is no longer played.
    let isLeaving: Bool
  }

  let rings: UnsafeMutablePointer<Ring>
  let ringCount: Int
  let graphs: UnsafeMutablePointer<UnsafeMutablePointer<GraphPlayer>>
  let graphCount: Int

  /// Sinks are played in the order given. [control]
  static func make(rings: [Ring], graphs: [UnsafeMutablePointer<GraphPlayer>]) -> UnsafeMutablePointer<SinkTable> {
    let ringMemory = UnsafeMutablePointer<Ring>.allocate(capacity: max(1, rings.count))
    for (i, ring) in rings.enumerated() { (ringMemory + i).initialize(to: ring) }
    let graphMemory = UnsafeMutablePointer<UnsafeMutablePointer<GraphPlayer>>.allocate(capacity: max(1, graphs.count))
    for (i, graph) in graphs.enumerated() { (graphMemory + i).initialize(to: graph) }
    let table = UnsafeMutablePointer<SinkTable>.allocate(capacity: 1)
    table.initialize(to: SinkTable(rings: ringMemory, ringCount: rings.count, graphs: graphMemory, graphCount: graphs.count))
    return table
  }

  /// Frees the table, not its sinks. [control]
  static func free(_ table: UnsafeMutablePointer<SinkTable>) {
    table.pointee.rings.deallocate()
    table.pointee.graphs.deallocate()
    table.deallocate()
  }
}
