/// The render path's state on the audio thread: sinks and the call's audio → bus → stages → master gain → limiter → speaker.
///
/// Made, owned and freed by a `Mixer`. One thread at a time calls `process`; it may change between cycles.
package struct RenderPath: ~Copyable {
  /// The largest quantum that is rendered at once; a larger one is split.
  package static let maximumFrames = 8_192
  /// Its latency in frames: none, because it uses no later sample (K10).
  package static let latency = 0

  private let cells: MixerCells
  private let stages: StageRunner
  private let scratchLeft: Samples
  private let scratchRight: Samples
  private let ownLeft: Samples
  private let ownRight: Samples
  private let gapFade: Owned<GapFade>
  private var limiter: BusLimiter
  private var masterGain = SmoothGain()
  private var meter: LevelMeter
  /// Frames of the last cycle.
  private var lastFrames = 0
  private var lastRate = 0

  init(cells: MixerCells, meter: LevelMeter, stages: StageRunner) {
    self.cells = cells
    self.stages = stages
    self.meter = meter
    scratchLeft = Samples(Self.maximumFrames)
    scratchRight = Samples(Self.maximumFrames)
    ownLeft = Samples(Self.maximumFrames)
    ownRight = Samples(Self.maximumFrames)
    gapFade = Owned(GapFade())
    limiter = BusLimiter(frames: Self.maximumFrames, reduction: cells.reduction)
  }

  /// Renders one cycle.
  ///
  /// - Parameters:
  ///   - call: what applications play into Nearend Speaker, at unity gain.
  ///   - graphSinks: graph sinks' buffers by `GraphSink.slot`, `Mixer.capacity` entries; nil without any.
  ///   - speakerLeft, speakerRight: the output, `frames` floats each: the mix after the limiter, which is also a reference for the echo
  ///     canceller.
  ///   - frames: the quantum; may change between cycles.
  ///   - rate: the graph's rate in Hz; may change between cycles.
  /// [realtime]
  @_noLocks @_noAllocation
  package mutating func process(
    call: StereoInput, graphSinks: UnsafePointer<StereoInput>?, speakerLeft: UnsafeMutablePointer<Float>,
    speakerRight: UnsafeMutablePointer<Float>, frames: Int, rate: Int
  ) {
    cells.cycle.enter()
    var offset = 0
    while offset < frames {
      let count = min(Self.maximumFrames, frames - offset)
      let cycle = RenderCycle(
        frames: count, rate: Double(max(1, rate)), left: ownLeft.start, right: ownRight.start,
        scratch: RenderScratch(left: scratchLeft.start, right: scratchRight.start), gapFade: gapFade.pointer)
      render(cycle, call: call, graphSinks: graphSinks, offset: offset, isSteady: count == lastFrames && rate == lastRate)
      lastFrames = count
      lastRate = rate
      copy(ownLeft.start, offset: 0, to: speakerLeft + offset, frames: count)
      copy(ownRight.start, offset: 0, to: speakerRight + offset, frames: count)
      offset += count
    }
    cells.cycle.leave()
  }

  /// As `process` without a call or graph sinks, for a mixer that is mostly idle: returns false, with the buffers untouched, if nothing
  /// sounds.
  /// [realtime]
  @_noLocks @_noAllocation
  mutating func renderAudible(
    into left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, frames: Int, rate: Int
  ) -> Bool {
    cells.cycle.enter()
    let isAtRest = isAtRest && frames == lastFrames && rate == lastRate
    cells.cycle.leave()
    if isAtRest {
      meter.silence(frames: frames, rate: Double(max(1, rate)))
      return false
    }
    process(call: StereoInput(left: nil, right: nil), graphSinks: nil, speakerLeft: left, speakerRight: right, frames: frames, rate: rate)
    return true
  }

  /// Valid inside the cycle's guard.
  // `mutating`: Swift 6.3 copies the structure for a getter that is not.
  private var isAtRest: Bool {
    @_noLocks @_noAllocation mutating get {
      guard gapFade.pointer.pointee.isAtRest, limiter.isAtRest, masterGain.isSteady else { return false }
      guard let table = UnsafePointer<SinkTable>(bitPattern: UInt(cells.table.loadSequential())) else { return true }
      for i in 0..<table.pointee.ringCount where !table.pointee.rings.start[i].player.pointee.isAtRest { return false }
      return true
    }
  }

  /// - Parameter isSteady: whether the previous cycle had the same frames and rate, so that an idle ring is still idle.
  @_noLocks @_noAllocation
  private mutating func render(
    _ cycle: RenderCycle, call: StereoInput, graphSinks: UnsafePointer<StereoInput>?, offset: Int, isSteady: Bool
  ) {
    let (left, right) = (cycle.left, cycle.right)
    copy(call.left, offset: offset, to: left, frames: cycle.frames)
    copy(call.right, offset: offset, to: right, frames: cycle.frames)
    let isPaused = cells.isPaused.load()
    let keepsRings = isPaused && masterGain.isSilent
    if let table = UnsafePointer<SinkTable>(bitPattern: UInt(cells.table.loadSequential())) {
      for i in 0..<table.pointee.graphCount { table.pointee.graphs.start[i].pointee.render(cycle, inputs: graphSinks, offset: offset) }
      for i in 0..<table.pointee.ringCount {
        let ring = table.pointee.rings.start[i]
        if ring.isLeaving {
          ring.player.pointee.leave(cycle)
        } else if keepsRings {
          ring.player.pointee.pause()
        } else if !(isSteady && ring.player.pointee.isAtRest) {
          ring.player.pointee.render(cycle)
        }
      }
    }
    gapFade.pointer.pointee.render(left, right, frames: cycle.frames)
    if cells.isMono.load() { average(left, right, frames: cycle.frames) }
    stages.process(left, right, frames: cycle.frames, rate: Int(cycle.rate))
    masterGain.steer(to: isPaused ? 0 : cells.master.effectiveGain, rate: cycle.rate)
    if !masterGain.isUnity { masterGain.apply(left, right, frames: cycle.frames) }
    limiter.process(left, right, frames: cycle.frames, rate: cycle.rate)
    meter.measure(left, right, frames: cycle.frames, rate: cycle.rate)
  }
}
