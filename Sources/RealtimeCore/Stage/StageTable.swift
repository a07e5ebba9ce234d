/// The stages that a cycle runs, in order, as published by the control side. Immutable: a change is a new table.
struct StageTable: ~Copyable {
  let players: Buffer<UnsafeMutablePointer<StagePlayer>>
  let count: Int

  /// The table does not own its players. [control]
  init(_ players: [UnsafeMutablePointer<StagePlayer>]) {
    self.players = Buffer(players)
    count = players.count
  }
}
