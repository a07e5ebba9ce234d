/// What the source's control side and the audio thread tell each other.
struct SourceCells: Sendable {
  let cycle: CycleGuard
  /// Address of the `SourceConsumer` to deliver to; 0 where there is none.
  let consumer: CounterCell
  /// Channels of what a realtime callback is given.
  let channelCount: CounterCell
  /// 1 from the first sample that is not silence.
  let hadAudio: CounterCell

  static let count = 4

  init(_ block: inout CellBlock) {
    cycle = CycleGuard(block.next())
    consumer = CounterCell(block.next())
    channelCount = CounterCell(block.next())
    hadAudio = CounterCell(block.next())
  }
}

/// The audio thread's view of the tap. [realtime]
struct SourceDelivery: Sendable {
  let cells: SourceCells

  /// One Int16 step: what is smaller is silence to a program that takes 16 bits.
  private static var silence: Float {
    @_noLocks @_noAllocation get { 1 / 32_768 }
  }

  /// Delivers one cycle's voice, mono, to whoever is attached. [realtime]
  @_noLocks @_noAllocation
  func deliver(_ voice: UnsafePointer<Float>, frames: Int, rate: Int) {
    cells.cycle.enter()
    // Pairs with the store in SourceTap.publish, inside the cycle's guard.
    if let consumer = UnsafeMutablePointer<SourceConsumer>(bitPattern: UInt(cells.consumer.loadSequential())) {
      if cells.hadAudio.load() == 0, Kernel.peak(voice, frames: frames) >= Self.silence { cells.hadAudio.store(1) }
      consumer.pointee.take(voice, frames: frames, rate: rate, channelCount: cells.channelCount.load() == 2 ? 2 : 1)
    }
    cells.cycle.leave()
  }
}
