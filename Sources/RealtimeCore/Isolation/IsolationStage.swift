/// The audio thread's half of voice isolation at one rate: sends the voice without noise suppression to the worker, reads the isolated
/// voice back, and plays the standard one, equally delayed, where the isolated one is late (V12). [realtime] except `init` and `deinit`.
///
///     voice ───────────────────── delay ─────────────────────┐ standard
///     with noise ─▶ FIFO ─▶ worker: isolator ─▶ FIFO ────────┴▶ crossfade ─▶ the voice, `delay` frames late
struct IsolationStage: ~Copyable {
  let timing: IsolationTiming
  private let input, output: FrameFIFO
  private let cells: IsolationCells

  /// The standard voice of the last `capacity` frames.
  private let line: Samples
  private var head = 0
  private let wet: Samples
  private var fade: Crossfade
  private var quantum = 0
  /// The current delay of the voice in frames.
  private(set) var delay = 0
  /// The write position before which the worker's input belongs to another stream.
  private var validFrom: UInt64 = 0
  /// Whether the worker lags so far that it gets no input until it has caught up.
  private var isStalled = false
  /// Whether blocks can be late: from the first block heard on, or after a second at the latest.
  private var hasBegun = false
  private var waited = 0
  /// Frames of the standard voice in this run of late blocks.
  private var lateFrames = 0

  /// Frames of the line: a power of two above the longest delay plus the longest cycle.
  private let capacity = 65_536
  /// Frames in the FIFO to the worker, and in the one from it, which must hold all that waits in the former.
  static let inputCapacity = 65_536
  static let outputCapacity = 131_072

  /// - Parameters:
  ///   - input, output: to the worker and from it; must outlive the stage.
  init(timing: IsolationTiming, input: FrameFIFO, output: FrameFIFO, cells: IsolationCells) {
    self.timing = timing
    self.input = input
    self.output = output
    self.cells = cells
    line = Samples(capacity)
    wet = Samples(CoreState.maximumQuantum * timing.channels)
    fade = Crossfade(frames: timing.fade, weight: 0)
  }

  /// Begins another stream: nothing of the previous one is heard.
  @_noLocks @_noAllocation
  mutating func restart() {
    clear(line.start, frames: capacity)
    validFrom = input.writePosition
    fade.restart()
    (hasBegun, waited, lateFrames) = (false, 0, 0)
  }

  /// Processes one cycle.
  ///
  /// - Parameters:
  ///   - voice: the standard mode's.
  ///   - open: the voice without noise suppression.
  ///   - late: receives the isolated voice, or the standard one where that is missing, `delay` frames late.
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
    // The position of this cycle's voice in the worker's output.
    let start = Int(input.writePosition) - frames - delay + timing.isolator
    let isValid = !isStalled && start >= Int(validFrom) + timing.isolator
    var waiting = output.count
    let behind = min(start - Int(output.readPosition), waiting)
    if behind > 0 {
      output.advance(behind)
      waiting -= behind
    }
    if !isValid || Int(output.readPosition) != start { waiting = 0 }
    // Requires one fade beyond this cycle: if the next block is late, it is used to fade over.
    let isInTime = waiting >= frames + timing.fade
    let taken = output.read(into: wet.start, frames: min(waiting, frames))
    copy(late + taken, to: wet + taken, frames: frames - taken)
    count(isValid: isValid, isInTime: isInTime, isBypassed: isBypassed, frames: frames)
    fade.blend(wet: wet.start, dry: late, into: late, frames: frames, isOn: isInTime && !isBypassed)
    cells.isHeard.store(fade.weight == 1)
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

  /// Counts blocks of 10 ms, or parts of one, that came late.
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

/// Reports of the audio thread about voice isolation.
struct IsolationCells: Sendable {
  /// Blocks of 10 ms that came late, since nearend started.
  let lateBlocks: CounterCell
  /// Whether the isolated voice is heard.
  let isHeard: FlagCell
  /// Whether the voice is delayed by the stage.
  let isInPlace: FlagCell

  init(_ block: inout CellBlock) {
    lateBlocks = CounterCell(block.next())
    isHeard = FlagCell(block.next())
    isInPlace = FlagCell(block.next())
  }
}
