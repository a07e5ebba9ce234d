/// Holds voice isolation in the capture path, across changes of path, rate and engine. Crossfades between the standard voice and the
/// isolated one, which is later, as between two engines: no frame is missing and nothing clicks. [realtime] except `init` and `deinit`.
struct IsolationSlot: ~Copyable {
  /// Brings the stage to the audio thread and back.
  let mailbox: Mailbox
  private let controls: CaptureControlCells
  private let cells: IsolationCells
  private var stage: UnsafeMutablePointer<IsolationStage>?
  private let open, late: Samples
  private let longest = CoreState.maximumQuantum
  /// Whether a new stream begins, which may start with the later voice at once.
  private var isFresh = true
  /// Whether the stage processed the last cycle.
  private var isFed = false
  /// Frames until the later voice is complete.
  private var wait = 0
  /// Share of the later voice, 0…1, before smoothing.
  private var share: Float = 0

  init(mailbox: Mailbox, controls: CaptureControlCells, cells: IsolationCells) {
    self.mailbox = mailbox
    self.controls = controls
    self.cells = cells
    open = Samples(CoreState.maximumQuantum)
    late = Samples(CoreState.maximumQuantum)
  }

  /// The current delay of the voice in frames.
  // `mutating`: Swift 6.0 crashes where an optional property of a large structure is read without.
  var delay: Int {
    @_noLocks @_noAllocation mutating get {
      if share > 0, let stage { return stage.pointee.delay }
      return 0
    }
  }

  /// Marks a break: the next audio does not continue the last, because the voice had no consumer in between, or changed its latency or
  /// rate.
  @_noLocks @_noAllocation
  mutating func restart() { isFresh = true }

  /// Ends the stream, because the voice has no consumer: returns a stage that is no longer wanted.
  @_noLocks @_noAllocation
  mutating func markIdle() {
    isFresh = true
    if !controls.isolatesVoice { leave() }
  }

  /// Begins a cycle. Returns the buffer for the voice without noise suppression; nil if it is not wanted.
  @_noLocks @_noAllocation
  mutating func begin(frames: Int, rate: Int) -> UnsafeMutablePointer<Float>? {
    guard frames <= longest else { return nil }
    let isWanted = controls.isolatesVoice
    if let stage, stage.pointee.timing.rate != rate || (!isWanted && (share == 0 || isFresh)) { leave() }
    if stage == nil, isWanted, let new = mailbox.take(returning: nil)?.assumingMemoryBound(to: IsolationStage.self) {
      stage = new
      isFed = false
    }
    guard let stage, isWanted || share > 0, stage.pointee.timing.rate == rate else {
      (isFresh, isFed) = (false, false)
      return nil
    }
    if isFresh || !isFed { stage.pointee.restart() }
    if isFresh {
      (share, wait) = (1, 0)
    } else if !isFed {
      // 10 ms more for the isolator to settle.
      (share, wait) = (0, stage.pointee.timing.delay(quantum: frames) + stage.pointee.timing.tenMilliseconds)
    }
    (isFresh, isFed) = (false, true)
    return open.start
  }

  /// Ends the cycle: turns `voice`, the standard mode's, into what is heard. Requires that `begin` returned a buffer.
  @_noLocks @_noAllocation
  mutating func end(_ voice: UnsafeMutablePointer<Float>, frames: Int) {
    guard let stage else { return }
    stage.pointee.process(voice, open: open.start, into: late.start, frames: frames, isBypassed: controls.isBypassed.load())
    let isWanted = controls.isolatesVoice
    if isWanted, wait > 0 {
      wait -= frames
    } else if isWanted, share == 1 {
      copy(late.start, to: voice, frames: frames)
    } else {
      // 10 ms.
      let step = (isWanted ? 1 : -1) / Float(stage.pointee.timing.tenMilliseconds)
      for i in 0..<frames {
        share = min(max(share + step, 0), 1)
        voice[i] += smoothStep(share) * (late[i] - voice[i])
      }
    }
    cells.isInPlace.store(share > 0)
  }

  /// Removes and returns the stage for the control side to free, once no cycle runs any more. [control]
  mutating func releaseStage() -> UnsafeMutableRawPointer? {
    defer { stage = nil }
    return stage.map { UnsafeMutableRawPointer($0) }
  }

  @_noLocks @_noAllocation
  private mutating func leave() {
    share = 0
    cells.isInPlace.store(false)
    cells.isHeard.store(false)
    if let old = stage, mailbox.giveBack(UnsafeMutableRawPointer(old)) { stage = nil }
  }
}
