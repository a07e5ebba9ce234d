/// The sinks that a cycle plays, as published by the control side. Immutable: a change is a new table.
struct SinkTable: ~Copyable {
  struct Ring {
    let player: UnsafeMutablePointer<RingPlayer>
    /// Removed: fades out, then is no longer played.
    let isLeaving: Bool
  }

  let rings: Buffer<Ring>
  let ringCount: Int
  let graphs: Buffer<UnsafeMutablePointer<GraphPlayer>>
  let graphCount: Int

  /// Sinks, which the table does not own, are played in the order given. [control]
  init(rings: [Ring], graphs: [UnsafeMutablePointer<GraphPlayer>]) {
    self.rings = Buffer(rings)
    ringCount = rings.count
    self.graphs = Buffer(graphs)
    graphCount = graphs.count
  }
}
