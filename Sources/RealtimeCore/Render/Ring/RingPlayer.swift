internal import CRealtime

/// The audio thread's end of a ring sink: asks `RingPlayback` when to play, lets `RingFeed` convert PCM to the graph's rate, and adds it to
/// the bus with gain and fades.
struct RingPlayer: ~Copyable {
  // The fields that `isAtRest` reads, side by side.
  private let fifo: FrameFIFO
  /// The write position at which a cycle last found nothing to do. Owned by the audio thread: `discard()` must not touch it.
  private var restPosition = UInt64.max
  private var playback = RingPlayback()

  private let cells: RingSinkCells
  private let channelCount: Int
  private let sinkRate: Double
  private var feed: RingFeed

  private var graphRate = 0.0
  private var steering = DriftSteering()
  private var gain = SmoothGain()
  private var meter: LevelMeter
  private var history = SinkHistory()
  private var fadeInPosition = 0
  private var fadeInLength = 0
  private var breaksOff = false
  private var hasLeft = false

  /// Allocates what the sink needs. [control]
  init(format: SinkFormat, fifo: FrameFIFO, cells: RingSinkCells, meter: LevelMeter) {
    feed = RingFeed(format: format, fifo: fifo, cells: cells)
    self.fifo = fifo
    self.cells = cells
    self.meter = meter
    channelCount = format.channelCount
    sinkRate = Double(format.sampleRate)
  }

  /// Whether a cycle like the last has nothing to do here: the sink is idle and nothing has been written since. With hundreds of idle
  /// participants, this costs two cache lines each instead of a dozen. After a pause, resume first. [realtime]
  var isAtRest: Bool {
    @_noLocks @_noAllocation get { restPosition == fifo.writePosition && !playback.isPaused }
  }

  /// Adds one cycle of this sink to the bus. [realtime]
  @_noLocks @_noAllocation
  mutating func render(_ cycle: RenderCycle) {
    // reset() runs in another thread and is about to silence the sink. Pairs with its release.
    if cells.claim.exchange(1) != 0 { return }
    if cycle.rate != graphRate { adopt(rate: cycle.rate) }
    if playback.isPaused { resume() }
    discard()
    if breaksOff {
      breaksOff = false
      cycle.gapFade.pointee.fadeOut(&history, at: 0, rate: cycle.rate)
    }

    let need = Double(cycle.frames) * sinkRate / cycle.rate
    let duration = Double(cycle.frames) / cycle.rate
    let target = DriftSteering.target(capacity: fifo.capacity, sampleRate: sinkRate, need: need)
    cells.targetFill.store(target / Double(fifo.capacity))
    // Read before `hasEnded`: what has arrived so far must not be mistaken for the end of the stream.
    let fill = fifo.count
    // A cycle takes its need at once, so the fill swings by half of it around its average.
    let level = Double(fill) - need / 2
    if playback.isPlaying {
      steering.update(error: (level - target) / sinkRate, duration: duration)
      play(cycle, from: 0)
    } else if let offset = playback.start(finding(fill, missing: (target - level) / need, duration: duration)) {
      steering.start()
      gain.jump(to: cells.volume.effectiveGain)
      startFromSilence()
      play(cycle, from: Int(offset * Double(cycle.frames)))
    } else {
      gain.jump(to: cells.volume.effectiveGain)
      meter.silence(frames: cycle.frames, rate: cycle.rate)
      markIdle()
    }
    cells.state.store(playback.state)
    cells.claim.storeRelease(0)
  }

  @_noLocks @_noAllocation
  private func finding(_ fill: Int, missing: Double, duration: Double) -> RingPlayback.Finding {
    let hasEnded = cells.hasEnded.loadAcquire() != 0
    return RingPlayback.Finding(
      fill: fill, written: fifo.writePosition, drops: cells.totalDrops.load(), hasEnded: hasEnded, missing: missing, duration: duration)
  }

  @_noLocks @_noAllocation
  private mutating func markIdle() {
    guard case .idle = playback.state, meter.isSilent else { return }
    // The ring was empty, so any write moves the write position on from here.
    restPosition = fifo.readPosition
  }

  /// Runs a cycle in which nothing is heard and the ring keeps its audio. [realtime]
  @_noLocks @_noAllocation
  mutating func pause() {
    if playback.isPaused || cells.claim.exchange(1) != 0 { return }
    playback.pause(drops: cells.totalDrops.load())
    cells.state.store(playback.state)
    cells.claim.storeRelease(0)
  }

  /// Runs the first cycle after `pause`. If the writer continued while the ring was full, the older audio is discarded. The caller holds
  /// the claim.
  @_noLocks @_noAllocation
  private mutating func resume() {
    let written = fifo.writePosition
    if playback.isStale(drops: cells.totalDrops.load()) { fifo.advance(fifo.count) }
    playback.resume(fill: fifo.count, written: written)
  }

  /// Runs the sink's last cycle after its removal. [realtime]
  @_noLocks @_noAllocation
  mutating func leave(_ cycle: RenderCycle) {
    if hasLeft { return }
    hasLeft = true
    cycle.gapFade.pointee.fadeOut(&history, at: 0, rate: cycle.rate)
  }

  /// Discards what `reset()` requested. The caller holds the claim. [realtime]
  @_noLocks @_noAllocation
  mutating func discard() {
    if cells.discardBefore.load() == 0 { return }
    // Pairs with the release in reset(), which may request it again at any time.
    let limit = cells.discardBefore.exchange(0)
    let position = fifo.readPosition
    if limit > position { fifo.advance(Int(truncatingIfNeeded: limit - position)) }
    if playback.reset() { breaksOff = true }
    cells.state.store(playback.state)
  }

  @_noLocks @_noAllocation
  private mutating func adopt(rate: Double) {
    graphRate = rate
    cells.isResampling.store(rate != sinkRate)
    if playback.isPlaying {
      breaksOff = true
      startFromSilence()
    }
  }

  /// Graph frames per sink frame.
  private var ratio: Double {
    @_noLocks @_noAllocation get { graphRate / (sinkRate * (1 + steering.correction)) }
  }

  /// Clears the resampler's memory, and fades in.
  @_noLocks @_noAllocation
  private mutating func startFromSilence() {
    feed.begin(step: 1 / ratio)
    fadeInPosition = 0
    fadeInLength = GapFade.frames(rate: graphRate)
  }

  /// Plays one cycle from frame `offset` on.
  @_noLocks @_noAllocation
  private mutating func play(_ whole: RenderCycle, from offset: Int) {
    let cycle = whole.dropFirst(offset)
    let ratio = self.ratio
    let done = feed.make(cycle.frames, step: 1 / ratio, left: cycle.scratch.left, right: cycle.scratch.right)
    cells.ratio.store(ratio)
    cells.drift.store(steering.drift)
    gain.steer(to: cells.volume.effectiveGain, rate: cycle.rate)
    if done > 0 { mix(cycle, frames: done) }
    if done < cycle.frames {
      cycle.gapFade.pointee.fadeOut(&history, at: offset + done, rate: cycle.rate)
      if playback.ranDry(hasEnded: cells.hasEnded.loadAcquire() != 0) {
        cells.consecutiveUnderruns.add(1)
        cells.totalUnderruns.add(1)
      }
      return
    }
    if playback.played(Double(cycle.frames) / cycle.rate), cells.consecutiveUnderruns.load() != 0 { cells.consecutiveUnderruns.store(0) }
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
    add(left, to: cycle.left, frames: frames)
    add(right, to: cycle.right, frames: frames)
  }
}
