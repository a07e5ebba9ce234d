/// The audio thread's half of a `StageChain`. Copies are views; the chain must outlive the last cycle.
// `@unchecked Sendable`: only the thread that runs the cycles touches the scratch.
struct StageRunner: @unchecked Sendable {
  let cycle: CycleGuard
  /// Address of the `StageTable`; 0 without one.
  let table: CounterCell
  /// NaN and infinite samples that stages have output.
  let silenced: CounterCell
  let dryLeft, dryRight: UnsafeMutablePointer<Float>

  static let maximumFrames = 8_192

  /// Processes one cycle's audio in place. [realtime]
  @_noLocks @_noAllocation
  func process(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, frames: Int, rate: Int) {
    cycle.enter()
    // Pairs with the store in StageChain.publish, inside the cycle's guard.
    if let table = UnsafePointer<StageTable>(bitPattern: UInt(table.loadSequential())) {
      // Other programs may play NaN into the bus, too: no stage is to hear it, or be blamed for it.
      _ = silenceNonNumbers(left, frames: frames)
      if let right { _ = silenceNonNumbers(right, frames: frames) }
      var offset = 0
      while offset < frames {
        let count = min(Self.maximumFrames, frames - offset)
        var other: UnsafeMutablePointer<Float>?
        if let right { other = right + offset }
        for i in 0..<table.pointee.count {
          table.pointee.players.start[i].pointee.process(
            left + offset, other, frames: count, rate: rate, dryLeft: dryLeft, dryRight: dryRight)
        }
        offset += count
      }
    }
    cycle.leave()
  }

  /// Reports to all stages that nothing listens any more. [realtime]
  @_noLocks @_noAllocation
  func markIdle() {
    cycle.enter()
    if let table = UnsafePointer<StageTable>(bitPattern: UInt(table.loadSequential())) {
      for i in 0..<table.pointee.count { table.pointee.players.start[i].pointee.markIdle() }
    }
    cycle.leave()
  }
}
