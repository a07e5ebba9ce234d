/// The cells shared by the source's control side and the audio thread.
struct SourceCells: Sendable {
  let cycle: CycleGuard
  /// Address of the `SourceConsumer` to deliver to; 0 without one.
  let consumer: CounterCell
  /// Channels that a realtime callback is given.
  let channelCount: CounterCell
  /// Whether the microphone has had audio in a cycle.
  let hadAudio: FlagCell

  init(_ block: inout CellBlock) {
    cycle = CycleGuard(block.next())
    consumer = CounterCell(block.next())
    channelCount = CounterCell(block.next())
    hadAudio = FlagCell(block.next())
  }
}

/// The audio thread's view of the tap. [realtime]
struct SourceDelivery: Sendable {
  let cells: SourceCells

  /// Whether the source has had no audio yet, so that audio still has to be detected. [realtime]
  var awaitsAudio: Bool {
    @_noLocks @_noAllocation get { !cells.hadAudio.load() }
  }

  /// Channels that a realtime callback is given, 1 or 2. [realtime]
  var channelCount: Int {
    @_noLocks @_noAllocation get { cells.channelCount.load() == 2 ? 2 : 1 }
  }

  /// Delivers one cycle's voice to the attached consumer. `right`: its right side, if that differs (V16). `hasAudio`: the microphone's part
  /// of it is more than silence. [realtime]
  @_noLocks @_noAllocation
  func deliver(_ voice: UnsafePointer<Float>, right: UnsafePointer<Float>?, frames: Int, rate: Int, hasAudio: Bool) {
    cells.cycle.enter()
    // Pairs with the store in SourceTap.publish, inside the cycle's guard.
    if let consumer = UnsafeMutablePointer<SourceConsumer>(bitPattern: UInt(cells.consumer.loadSequential())) {
      if hasAudio { cells.hadAudio.store(true) }
      consumer.pointee.deliver(voice, right: right, frames: frames, rate: rate, channelCount: channelCount)
    }
    cells.cycle.leave()
  }
}
