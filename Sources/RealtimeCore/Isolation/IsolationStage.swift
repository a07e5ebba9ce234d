/// The audio thread's half of voice isolation at one rate: gives the voice with its noise to the worker, takes the isolated voice from it,
/// and plays the standard one, as late, where that has not come in time (V12). [realtime] except `init` and `deinit`.
///
///     voice ───────────────────── delay ─────────────────────┐ standard
///     with noise ─▶ FIFO ─▶ worker: isolator ─▶ FIFO ────────┴▶ crossfade ─▶ the voice, `delay` frames late
struct IsolationStage: ~Copyable {
  let timing: IsolationTiming
  private let input, output: FrameFIFO
  private let cells: IsolationCells

  /// The standard voice of the last `capacity` frames.
  private let line: UnsafeMutablePointer<Float>
  private var head = 0
  private let wet: UnsafeMutablePointer<Float>
  private var fade: Crossfade
  private var quantum = 0
  /// Frames by which the voice is late now.
  private(set) var delay = 0
  /// What was given to the worker before this position belongs to another stream.
  private var validFrom: UInt64 = 0
  /// The worker has fallen so far behind that nothing more is given to it until it has caught up.
  private var isStalled = false
  /// Nothing is late before the first block has been heard, for a second at most.
  private var hasBegun = false
  private var waited = 0
  /// Frames of the standard voice in this run of late blocks.
  private var lateFrames = 0

  /// Frames of the line: a power of two above the longest delay and the longest cycle together.
  private let capacity = 65_536
  /// Frames in the FIFO to the worker, and in that from it, which must take all that waits in the former.
  static let inputCapacity = 65_536
  static let outputCapacity = 131_072

  /// - Parameters:
  ///   - input, output: to the worker and from it; must outlive the stage.
  init(timing: IsolationTiming, input: FrameFIFO, output: FrameFIFO, cells: IsolationCells) {
    self.timing = timing
    self.input = input
    self.output = output
    self.cells = cells
    line = .silence(capacity)
    wet = .silence(CoreState.maximumQuantum * timing.channels)
    fade = Crossfade(frames: timing.fade, weight: 0)
  }

  deinit {
    line.deallocate()
    wet.deallocate()
  }

  /// Begins another stream: nothing of the one before is heard.
  @_noLocks @_noAllocation
  mutating func restart() {
    clear(line, frames: capacity)
    validFrom = input.writePosition
    fade.restart()
    (hasBegun, waited, lateFrames) = (false, 0, 0)
  }

  /// One cycle.
  ///
  /// - Parameters:
  ///   - voice: the standard mode's.
  ///   - open: the same with the noise around it.
  ///   - late: gets the isolated voice, or where there is none the standard one, `delay` frames late.
  @_noLocks @_noAllocation
  mutating func process(
    _ voice: UnsafePointer<Float>, open: UnsafePointer<Float>, into late: UnsafeMutablePointer<Float>, frames: Int, isBypassed: Bool
  ) {
    if frames != quantum {
      quantum = frames
      delay = timing.delay(quantum: frames)
    }
    feed(open, frames: frames)
    remember(voice, into: late, frames: frames)
    // Where in the worker's output the voice of this cycle is.
    let start = Int(input.writePosition) - frames - delay + timing.isolator
    let isValid = !isStalled && start >= Int(validFrom) + timing.isolator
    var waiting = output.count
    let behind = min(start - Int(output.readPosition), waiting)
    if behind > 0 {
      output.advance(behind)
      waiting -= behind
    }
    if !isValid || Int(output.readPosition) != start { waiting = 0 }
    // A fade more than is played now: if the next block comes late, it is faded over.
    let isInTime = waiting >= frames + timing.fade
    let taken = output.read(into: wet, frames: min(waiting, frames))
    copy(late + taken, to: wet + taken, frames: frames - taken)
    count(isValid: isValid, isInTime: isInTime, isBypassed: isBypassed, frames: frames)
    fade.blend(wet: wet, dry: late, into: late, frames: frames, isOn: isInTime && !isBypassed)
    cells.isHeard.store(fade.weight == 1 ? 1 : 0)
  }

  @_noLocks @_noAllocation
  private mutating func feed(_ open: UnsafePointer<Float>, frames: Int) {
    if isStalled {
      guard input.count == 0 else { return }
      isStalled = false
      validFrom = input.writePosition
    }
    isStalled = !input.write(open, frames: frames)
  }

  @_noLocks @_noAllocation
  private mutating func remember(_ voice: UnsafePointer<Float>, into late: UnsafeMutablePointer<Float>, frames: Int) {
    let mask = capacity - 1
    for i in 0..<frames { line[(head + i) & mask] = voice[i] }
    for i in 0..<frames { late[i] = line[(head + i - delay) & mask] }
    head = (head + frames) & mask
  }

  /// Blocks of 10 ms, or parts of one, that came late.
  @_noLocks @_noAllocation
  private mutating func count(isValid: Bool, isInTime: Bool, isBypassed: Bool, frames: Int) {
    if isInTime {
      (hasBegun, lateFrames) = (true, 0)
    } else if isValid || isStalled {
      waited += frames
      if waited > timing.rate { hasBegun = true }
      guard hasBegun, !isBypassed else { return }
      let before = (lateFrames + timing.tenMilliseconds - 1) / timing.tenMilliseconds
      lateFrames += frames
      cells.lateBlocks.add(UInt64((lateFrames + timing.tenMilliseconds - 1) / timing.tenMilliseconds - before))
    }
  }
}

/// What the audio thread tells of voice isolation.
struct IsolationCells: Sendable {
  /// Blocks of 10 ms that came late, since nearend started.
  let lateBlocks: CounterCell
  /// 1 while the isolated voice is heard.
  let isHeard: CounterCell
  /// 1 while the voice is late by the stage's delay.
  let isInPlace: CounterCell

  static let count = 3

  init(_ block: inout CellBlock) {
    lateBlocks = CounterCell(block.next())
    isHeard = CounterCell(block.next())
    isInPlace = CounterCell(block.next())
  }
}
