internal import CRealtime

/// The audio thread's end of a ring sink: takes PCM from the ring, resamples it to the graph's rate, and adds it to the bus.
///
///     idle ──write──▶ buffering ──target reached, end(), or the ring is full──▶ playing ──ran dry──▶ underrun ──write──▶ buffering
///       ▲────────────────────────── end() and played out, or reset() ──────────────┴───────────────────┘
struct RingPlayer: ~Copyable {
  /// Seconds without a new write after which a buffering sink plays what it has.
  static var patience: Double {
    @_noLocks @_noAllocation get { 0.2 }
  }
  /// Seconds of uninterrupted playing that end a run of underruns.
  static var recovery: Double {
    @_noLocks @_noAllocation get { 1 }
  }

  /// `RingSinkStatus.State`, in a form that the realtime annotations can compare.
  private enum State { case idle, buffering, playing, underrun }

  private let fifo: FrameFIFO
  private let cells: RingSinkCells
  private let channelCount: Int
  private let isFloat: Bool
  private let sinkRate: Double
  private var resampler: RingResampler

  private var graphRate = 0.0
  private var state = State.idle
  private var steering = DriftSteering()
  private var gain = SmoothGain()
  private var meter: LevelMeter
  private var history = SinkHistory()
  private var fadeInPosition = 0
  private var fadeInLength = 0
  /// Frames of silence still to be pushed through the resampler to flush the sink's last frames.
  private var flush = 0
  private var sincePlaying = 0.0
  private var sinceWrite = 0.0
  private var lastWritePosition: UInt64 = 0
  private var dropsAtBuffering: UInt64 = 0
  private var breaksOff = false
  private var hasLeft = false
  private var isHeld = false
  private var dropsWhenHeld: UInt64 = 0
  /// The write position at which a cycle last found nothing to do. Owned by the audio thread: `discard()` must not touch it.
  private var restPosition = UInt64.max

  /// Allocates what the sink needs. [control]
  init(format: SinkFormat, fifo: FrameFIFO, cells: RingSinkCells, meter: LevelMeter) {
    resampler = RingResampler(channelCount: format.channelCount)
    self.fifo = fifo
    self.cells = cells
    self.meter = meter
    channelCount = format.channelCount
    isFloat = format.sampleType == .float32
    sinkRate = Double(format.sampleRate)
  }

  /// A Boolean value indicating whether a cycle like the last has nothing to do here: the sink is idle and nothing has been written since.
  /// With hundreds of idle participants, this costs two cache lines each instead of a dozen. After a pause, release the hold first.
  /// [realtime]
  var isAtRest: Bool {
    @_noLocks @_noAllocation get { restPosition == fifo.writePosition && !isHeld }
  }

  /// Adds one cycle of this sink to the bus. [realtime]
  @_noLocks @_noAllocation
  mutating func render(_ cycle: RenderCycle) {
    // reset() runs in another thread and is about to silence the sink. Pairs with its release.
    if cells.claim.exchange(1) != 0 { return }
    if cycle.rate != graphRate { adopt(rate: cycle.rate) }
    if isHeld { letGo() }
    discard()
    if breaksOff {
      breaksOff = false
      cycle.gapFade.pointee.fadeOut(&history, at: 0, rate: cycle.rate)
    }

    let need = Double(cycle.frames) * sinkRate / cycle.rate
    let target = DriftSteering.target(capacity: fifo.capacity, sampleRate: sinkRate, need: need)
    cells.targetFill.store(target / Double(fifo.capacity))
    // A cycle takes its need at once, so the fill swings by half of it around its average.
    let level = Double(fifo.count) - need / 2
    if isPlaying {
      steering.update(error: (level - target) / sinkRate, duration: Double(cycle.frames) / cycle.rate)
      play(cycle, from: 0)
    } else if let offset = startOffset(cycle, missing: (target - level) / need) {
      start()
      play(cycle, from: offset)
    } else {
      gain.jump(to: cells.effectiveGain)
      meter.silence(frames: cycle.frames, rate: cycle.rate)
      rest()
    }
    tellState()
    cells.claim.storeRelease(0)
  }

  @_noLocks @_noAllocation
  private mutating func rest() {
    guard case .idle = state, meter.isSilent else { return }
    // The ring was empty, so any write moves the write position on from here.
    restPosition = fifo.readPosition
  }

  /// Runs a cycle in which nothing is heard and the ring keeps its audio. [realtime]
  @_noLocks @_noAllocation
  mutating func hold() {
    if isHeld || cells.claim.exchange(1) != 0 { return }
    isHeld = true
    dropsWhenHeld = cells.totalDrops.load()
    dropsAtBuffering = dropsWhenHeld
    if isPlaying { state = .buffering }
    tellState()
    cells.claim.storeRelease(0)
  }

  /// Runs the first cycle after `hold`. If the writer continued while the ring was full, the older audio is discarded. The caller holds the
  /// claim.
  @_noLocks @_noAllocation
  private mutating func letGo() {
    isHeld = false
    sinceWrite = 0
    lastWritePosition = fifo.writePosition
    if cells.totalDrops.load() != dropsWhenHeld { fifo.advance(fifo.count) }
    if fifo.count == 0 { state = .idle }
  }

  /// Runs the sink's last cycle after its removal. [realtime]
  @_noLocks @_noAllocation
  mutating func leave(_ cycle: RenderCycle) {
    if hasLeft { return }
    hasLeft = true
    cycle.gapFade.pointee.fadeOut(&history, at: 0, rate: cycle.rate)
  }

  /// Discards what `reset()` asked for. The caller holds the claim. [realtime]
  @_noLocks @_noAllocation
  mutating func discard() {
    if cells.discardBefore.load() == 0 { return }
    // Pairs with the release in reset(), which may request it again at any time.
    let limit = cells.discardBefore.exchange(0)
    let position = fifo.readPosition
    if limit > position { fifo.advance(Int(truncatingIfNeeded: limit - position)) }
    if isPlaying { breaksOff = true }
    state = .idle
    tellState()
  }

  @_noLocks @_noAllocation
  private mutating func adopt(rate: Double) {
    graphRate = rate
    cells.isResampling.store(rate == sinkRate ? 0 : 1)
    if isPlaying {
      breaksOff = true
      primeResampler()
    }
  }

  private var isPlaying: Bool {
    @_noLocks @_noAllocation get { if case .playing = state { true } else { false } }
  }

  @_noLocks @_noAllocation
  private func tellState() {
    switch state {
    case .idle: cells.state.store(0)
    case .buffering: cells.state.store(1)
    case .playing: cells.state.store(2)
    case .underrun: cells.state.store(3)
    }
  }

  /// Graph frames per sink frame.
  private var ratio: Double {
    @_noLocks @_noAllocation get { graphRate / (sinkRate * (1 + steering.correction)) }
  }

  /// Starts from silence: clears the filter's memory, and fades in.
  @_noLocks @_noAllocation
  private mutating func primeResampler() {
    resampler.reset(step: 1 / ratio)
    fadeInPosition = 0
    fadeInLength = GapFade.frames(rate: graphRate)
    flush = resampler.reach
  }

  /// Returns where in this cycle a silent sink starts to play, or nil if it does not. `missing` is what the fill lacks, in cycles: a sink
  /// starts in mid-cycle so that its fill is right from the beginning, however long the quantum.
  @_noLocks @_noAllocation
  private mutating func startOffset(_ cycle: RenderCycle, missing: Double) -> Int? {
    let fill = fifo.count
    let hasEnded = cells.hasEnded.loadAcquire() != 0
    switch state {
    case .idle, .underrun:
      if fill == 0 {
        if hasEnded { state = .idle }
        return nil
      }
      state = .buffering
      sinceWrite = 0
      lastWritePosition = fifo.writePosition
      dropsAtBuffering = cells.totalDrops.load()
    case .buffering, .playing: break
    }
    let position = fifo.writePosition
    sinceWrite = position == lastWritePosition ? sinceWrite + Double(cycle.frames) / cycle.rate : 0
    lastWritePosition = position
    let isFull = cells.totalDrops.load() != dropsAtBuffering
    if hasEnded || isFull || sinceWrite >= Self.patience || missing <= 0 { return 0 }
    return missing < 1 ? Int(missing * Double(cycle.frames)) : nil
  }

  @_noLocks @_noAllocation
  private mutating func start() {
    state = .playing
    sincePlaying = 0
    steering.start()
    gain.jump(to: cells.effectiveGain)
    primeResampler()
  }

  /// Plays one cycle from frame `offset` on.
  @_noLocks @_noAllocation
  private mutating func play(_ whole: RenderCycle, from offset: Int) {
    let cycle = whole.rest(from: offset)
    let done = resample(cycle)
    gain.steer(to: cells.effectiveGain, rate: cycle.rate)
    if done > 0 { mix(cycle, frames: done) }
    if done < cycle.frames {
      cycle.gapFade.pointee.fadeOut(&history, at: offset + done, rate: cycle.rate)
      if cells.hasEnded.loadAcquire() != 0 {
        state = .idle
      } else {
        state = .underrun
        cells.consecutiveUnderruns.add(1)
        cells.totalUnderruns.add(1)
      }
      return
    }
    sincePlaying += Double(cycle.frames) / cycle.rate
    if sincePlaying >= Self.recovery && cells.consecutiveUnderruns.load() != 0 { cells.consecutiveUnderruns.store(0) }
  }

  /// Fills the scratch with up to a cycle of frames at the graph's rate; fewer if the ring ran dry.
  @_noLocks @_noAllocation
  private mutating func resample(_ cycle: RenderCycle) -> Int {
    let ratio = self.ratio
    resampler.steer(step: 1 / ratio)
    let (left, right) = (cycle.scratch.left, cycle.scratch.right)
    var done = 0
    while true {
      done += resampler.make(cycle.frames - done, left: left + done, right: right + done)
      if done == cycle.frames { break }
      // No more than this cycle uses: audio inside the resampler would be missing from the fill.
      let wanted = max(1, min(resampler.missing(for: cycle.frames - done), resampler.room))
      let run = fifo.front(limit: wanted)
      if run.frames > 0 {
        read(run.start, frames: run.frames)
        resampler.push(run.frames)
        fifo.advance(run.frames)
        cells.framesRead.add(UInt64(run.frames))
      } else {
        if flush == 0 || cells.hasEnded.loadAcquire() == 0 { break }
        let silent = min(flush, wanted)
        for channel in 0..<channelCount { clear(resampler.end(channel), frames: silent) }
        resampler.push(silent)
        flush -= silent
      }
    }
    cells.ratio.store(ratio)
    cells.drift.store(steering.drift)
    return done
  }

  /// Gives frames to the resampler, and silence for NaN, infinite and huge samples: it would remember them.
  @_noLocks @_noAllocation
  private func read(_ start: UnsafeRawPointer, frames: Int) {
    for channel in 0..<channelCount {
      let (target, stride) = (resampler.end(channel), channelCount)
      if isFloat {
        let samples = start.assumingMemoryBound(to: Float.self) + channel
        for i in 0..<frames { target[i] = abs(samples[i &* stride]) <= 8 ? samples[i &* stride] : 0 }
      } else {
        let samples = start.assumingMemoryBound(to: Int16.self) + channel
        for i in 0..<frames { target[i] = Float(samples[i &* stride]) * (1 / 32_768) }
      }
    }
  }

  /// Applies gain and fade-in, meters and stores the frames in the scratch, and adds them to the bus.
  @_noLocks @_noAllocation
  private mutating func mix(_ cycle: RenderCycle, frames: Int) {
    let left = cycle.scratch.left
    let right = channelCount == 1 ? left : cycle.scratch.right
    let second: UnsafeMutablePointer<Float>? = channelCount == 1 ? nil : right
    gain.apply(left, second, frames: frames)
    let fade = min(frames, fadeInLength - fadeInPosition)
    for i in 0..<max(0, fade) {
      let rise = cycle.gapFade.pointee.fadeIn(fadeInPosition + i, of: fadeInLength)
      left[i] *= rise
      if let second { second[i] *= rise }
    }
    fadeInPosition += max(0, fade)
    meter.measure(left, second, frames: frames, rate: cycle.rate)
    history.append(left, right, frames: frames, rate: cycle.rate)
    Kernel.add(left, to: cycle.left, frames: frames)
    Kernel.add(right, to: cycle.right, frames: frames)
  }
}
