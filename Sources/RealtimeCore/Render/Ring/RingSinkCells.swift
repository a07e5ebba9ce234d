/// The cells shared by a ring sink's writers, its player on the audio thread, and its observers.
struct RingSinkCells: Sendable {
  /// 1 while the player's state is in use: by the audio thread for the sink's part of a cycle, or by `reset()`.
  let claim: CounterCell
  /// Everything before this write position is to be discarded.
  let discardBefore: CounterCell
  /// 1 after `end()`, until the next write.
  let hasEnded: CounterCell
  let state: StateCell
  let consecutiveUnderruns: CounterCell
  let totalUnderruns: CounterCell
  let consecutiveDrops: CounterCell
  let totalDrops: CounterCell
  let framesRead: CounterCell
  let isResampling: FlagCell
  let targetFill: DoubleCell
  let ratio: DoubleCell
  let drift: DoubleCell
  let volume: VolumeCells
  /// Writes that came much later than due.
  let jitterSpikes: CounterCell
  /// In seconds.
  let lastSpike: DoubleCell
  /// In seconds.
  let jitter: DoubleCell
  let ssrc: SSRCCell

  init(_ block: inout CellBlock) {
    claim = CounterCell(block.next())
    discardBefore = CounterCell(block.next())
    hasEnded = CounterCell(block.next())
    state = StateCell(block.next())
    consecutiveUnderruns = CounterCell(block.next())
    totalUnderruns = CounterCell(block.next())
    consecutiveDrops = CounterCell(block.next())
    totalDrops = CounterCell(block.next())
    framesRead = CounterCell(block.next())
    isResampling = FlagCell(block.next())
    targetFill = DoubleCell(block.next())
    ratio = DoubleCell(block.next(), 1)
    drift = DoubleCell(block.next())
    volume = VolumeCells(&block)
    jitterSpikes = CounterCell(block.next())
    lastSpike = DoubleCell(block.next())
    jitter = DoubleCell(block.next())
    ssrc = SSRCCell(block.next())
  }
}
