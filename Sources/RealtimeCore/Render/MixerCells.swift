/// The cells shared by the mixer's control side and the render path.
struct MixerCells: Sendable {
  let cycle: CycleGuard
  /// Address of the `SinkTable` to play.
  let table: CounterCell
  let masterGain: DoubleCell
  let masterIsMuted: CounterCell
  let reduction: DoubleCell
  /// 1 if the mix is mono.
  let isMono: CounterCell
  /// 1 if the mix is silent and rings keep their audio.
  let isPaused: CounterCell

  static let count = 7

  init(_ block: inout CellBlock) {
    cycle = CycleGuard(block.next())
    table = CounterCell(block.next())
    masterGain = DoubleCell(block.next(), 1)
    masterIsMuted = CounterCell(block.next())
    reduction = DoubleCell(block.next())
    isMono = CounterCell(block.next())
    isPaused = CounterCell(block.next())
  }
}
