/// The cells shared by the mixer's control side and the render path.
struct MixerCells: Sendable {
  let cycle: CycleGuard
  /// Address of the `SinkTable` to play.
  let table: CounterCell
  let master: VolumeCells
  let reduction: DoubleCell
  let isMono: FlagCell
  /// Whether the mix is silent and rings keep their audio.
  let isPaused: FlagCell

  init(_ block: inout CellBlock) {
    cycle = CycleGuard(block.next())
    table = CounterCell(block.next())
    master = VolumeCells(&block)
    reduction = DoubleCell(block.next())
    isMono = FlagCell(block.next())
    isPaused = FlagCell(block.next())
  }
}
