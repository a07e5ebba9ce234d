/// Cells shared by the threads of an instance.
struct PlugInCells: Sendable {
  /// The current delay of the stage in frames.
  let latency: CounterCell
  /// Whether the plug-in has output NaN or infinity: it is bypassed from then on.
  let isBroken: FlagCell
  /// Whether the control side has given it up without a replacement: it is bypassed from then on.
  let isRetired: FlagCell

  init(_ block: inout CellBlock) {
    latency = CounterCell(block.next())
    isBroken = FlagCell(block.next())
    isRetired = FlagCell(block.next())
  }
}

/// A plug-in's instance for the audio thread, at one rate: run there, or by the worker.
struct PlugInUnit {
  let runner: PlugInRunner
  let rate: Int
  let channels: Int
  let cells: PlugInCells
  /// The stage that exchanges audio with the worker; nil if the plug-in runs on the audio thread.
  let late: UnsafeMutablePointer<IsolationStage>?
  /// Buffers of the audio thread: one side after the other, `CoreState.maximumQuantum` frames each. Without a worker they are the runner's.
  let dry, wet: UnsafeMutablePointer<Float>
  /// Frames from one side's buffer to the next.
  let room = CoreState.maximumQuantum
  /// The same interleaved, for the worker.
  let given, taken: UnsafeMutablePointer<Float>

  // `mutating`: Swift 6.0 crashes where an optional property of a large structure is read without.

  /// Returns the frames until a new instance's output is complete: its delay, and 10 ms to settle.
  @_noLocks @_noAllocation
  mutating func warmUp(frames: Int) -> Int {
    if let late { return late.pointee.timing.delay(quantum: frames * channels) / channels + rate / 100 }
    return runner.latency + rate / 100
  }

  /// Whether its output may be heard.
  var isWhole: Bool {
    @_noLocks @_noAllocation get { !cells.isBroken.load() && !cells.isRetired.load() }
  }

  /// Processes `dry` into `wet`, on this thread or through the worker. Returns false if the output is NaN or infinite.
  @_noLocks @_noAllocation
  mutating func process(frames: Int) -> Bool {
    guard let late else {
      guard runner.process(frames: frames) else {
        cells.isBroken.store(true)
        cells.latency.store(0)
        return false
      }
      cells.latency.store(UInt64(runner.latency))
      return true
    }
    if channels == 1 {
      late.pointee.process(dry, open: dry, into: wet, frames: frames, isBypassed: false)
    } else {
      let (left, right) = (dry, dry + room)
      for i in 0..<frames { (given[2 * i], given[2 * i + 1]) = (left[i], right[i]) }
      late.pointee.process(given, open: given, into: taken, frames: 2 * frames, isBypassed: false)
      let (wetLeft, wetRight) = (wet, wet + room)
      for i in 0..<frames { (wetLeft[i], wetRight[i]) = (taken[2 * i], taken[2 * i + 1]) }
    }
    cells.latency.store(UInt64(late.pointee.delay / channels))
    return true
  }
}

/// A plug-in's stage on the audio thread (S6). It persists while instances come and go with the rate. [realtime] except `init` and
/// `deinit`.
///
///     hard-realtime:  input ─▶ instance ────────────────────────────────┐
///     other:          input ─▶ FIFO ─▶ worker: instance ─▶ FIFO ─▶ late ┴▶ crossfade with the input ─▶ output
struct PlugInPlayer: ~Copyable {
  let mailbox: Mailbox
  private var unit: UnsafeMutablePointer<PlugInUnit>?
  private var leftFade = Crossfade(frames: StagePlayer.fadeFrames, weight: 0)
  private var rightFade = Crossfade(frames: StagePlayer.fadeFrames, weight: 0)
  /// Frames until the plug-in's output is complete.
  private var wait = 0
  /// Whether the next audio does not continue the last.
  private var isFresh = false

  init(mailbox: Mailbox) { self.mailbox = mailbox }

  /// Removes and returns the unit for the control side to free, once no cycle runs any more. [control]
  mutating func releaseUnit() -> UnsafeMutableRawPointer? {
    defer { unit = nil }
    return unit.map { UnsafeMutableRawPointer($0) }
  }

  /// Processes one cycle's audio in place, at most `CoreState.maximumQuantum` frames.
  @_noLocks @_noAllocation
  mutating func process(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, frames: Int, rate: Int) {
    adoptNewUnit()
    if isFresh { restart(frames: frames) }
    // The input passes while there is no instance for the rate and both sides, or if the instance is broken.
    guard let unit, unit.pointee.rate == rate, unit.pointee.isWhole, right == nil || unit.pointee.channels == 2 else { return }
    let (dry, wet, room) = (unit.pointee.dry, unit.pointee.wet, unit.pointee.room)
    copy(left, to: dry, frames: frames)
    if unit.pointee.channels == 2 {
      // A stereo chain may carry one side only.
      if let right { copy(right, to: dry + room, frames: frames) } else { copy(left, to: dry + room, frames: frames) }
    }
    guard unit.pointee.process(frames: frames) else { return }
    if wait > 0 {
      wait -= frames
      return
    }
    leftFade.blend(wet: wet, dry: dry, into: left, frames: frames, isOn: true)
    guard let right else { return }
    rightFade.blend(wet: wet + room, dry: dry + room, into: right, frames: frames, isOn: true)
  }

  @_noLocks @_noAllocation
  private mutating func adoptNewUnit() {
    var old: UnsafeMutableRawPointer?
    if let unit { old = UnsafeMutableRawPointer(unit) }
    guard let new = mailbox.take(returning: old)?.assumingMemoryBound(to: PlugInUnit.self) else { return }
    unit = new
    isFresh = true
  }

  /// Marks the end of a stream, because nothing listens: what the plug-in still holds is not heard later. Call this once per pause.
  @_noLocks @_noAllocation
  mutating func markIdle() { isFresh = true }

  /// Begins a stream: the input passes until the plug-in's output belongs to this stream alone.
  @_noLocks @_noAllocation
  private mutating func restart(frames: Int) {
    guard let unit else { return }
    isFresh = false
    if let late = unit.pointee.late { late.pointee.restart() }
    wait = unit.pointee.warmUp(frames: frames)
    leftFade.restart()
    rightFade.restart()
  }
}
