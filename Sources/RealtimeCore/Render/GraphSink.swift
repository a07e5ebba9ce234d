/// One cycle's audio of a stereo port pair. Missing channels are silent.
package struct StereoInput: BitwiseCopyable {
  /// The left port's samples of this cycle; nil if nothing is linked.
  package var left: UnsafePointer<Float>?
  /// The right port's samples of this cycle; nil if nothing is linked.
  package var right: UnsafePointer<Float>?

  /// Borrows the buffers for the cycle. [realtime]
  @_noLocks @_noAllocation
  package init(left: UnsafePointer<Float>?, right: UnsafePointer<Float>?) {
    self.left = left
    self.right = right
  }
}

/// A participant whose audio arrives in the cycle's port buffers (K9): without a ring or latency, and bit-exact at unity gain (K10).
// `@unchecked Sendable`: cells are atomic, and only the audio thread touches the player.
package final class GraphSink: @unchecked Sendable {
  /// The participant's id, unique in its mixer. [any]
  package let id: String
  /// Index of this sink's audio in the buffers given to `RenderPath.process`, 0..<`Mixer.capacity`.
  package let slot: Int

  let player: Owned<GraphPlayer>
  private let volume: VolumeCells
  private let connectedCell: FlagCell
  private let ssrcCell: SSRCCell
  let level: LevelReading
  private let memory: CellBlock

  init(id: String, slot: Int) {
    self.id = id
    self.slot = slot
    var memory = CellBlock()
    volume = VolumeCells(&memory)
    connectedCell = FlagCell(memory.next())
    ssrcCell = SSRCCell(memory.next())
    let meter = LevelMeter(&memory)
    level = meter.reading
    self.memory = memory
    player = Owned(GraphPlayer(slot: slot, volume: volume, isConnected: connectedCell, meter: meter))
  }

  /// Linear, 0–4; 1 is unchanged. Ramps over 10 ms (K7). Values outside are clamped; NaN is ignored. [any]
  package var gain: Float {
    get { volume.gain }
    set { volume.gain = newValue }
  }

  /// Whether the sink is muted. [any]
  package var isMuted: Bool {
    get { volume.isMuted.load() }
    set { volume.isMuted.store(newValue) }
  }

  /// The remote stream's RTP SSRC, if a program has reported it (K8). [any]
  package var ssrc: UInt32? {
    get { ssrcCell.load() }
    set { ssrcCell.store(newValue) }
  }

  /// A Boolean value indicating whether its port had buffers in the last cycle. [any]
  package var isConnected: Bool { connectedCell.load() }

  /// The current state. `rate` is the graph's, the only one a graph sink has. `isUsed`: an application plays into its device. [any]
  package func status(rate: Int, isUsed: Bool) -> SinkStatus {
    SinkStatus(
      id: id, kind: .graph, state: isUsed ? .playing : .idle, sampleRate: rate, channelCount: 2, gain: gain.inFewestDigits,
      isMuted: isMuted, peak: decibels(level.peak), rms: decibels(level.rms), ssrc: ssrc)
  }
}

/// The audio thread's end of a graph sink.
struct GraphPlayer {
  private let slot: Int
  private let volume: VolumeCells
  private let connectedCell: FlagCell
  private var gain = SmoothGain()
  private var meter: LevelMeter
  /// Whether there is no input and the meter has decayed to silence, so that another such cycle has nothing to do.
  private var isAtRest = false

  init(slot: Int, volume: VolumeCells, isConnected: FlagCell, meter: LevelMeter) {
    self.slot = slot
    self.volume = volume
    connectedCell = isConnected
    self.meter = meter
  }

  /// Adds one cycle of this sink to the bus. [realtime]
  @_noLocks @_noAllocation
  mutating func render(_ cycle: RenderCycle, inputs: UnsafePointer<StereoInput>?, offset: Int) {
    guard let input = inputs?[slot], input.left != nil || input.right != nil else {
      if isAtRest { return }
      connectedCell.store(false)
      gain.jump(to: volume.effectiveGain)
      meter.silence(frames: cycle.frames, rate: cycle.rate)
      isAtRest = meter.isSilent
      return
    }
    connectedCell.store(true)
    if isAtRest { gain.jump(to: volume.effectiveGain) }
    isAtRest = false
    gain.steer(to: volume.effectiveGain, rate: cycle.rate)
    let (left, right) = (cycle.scratch.left, cycle.scratch.right)
    copy(input.left, offset: offset, to: left, frames: cycle.frames)
    copy(input.right, offset: offset, to: right, frames: cycle.frames)
    if !gain.isUnity { gain.apply(left, right, frames: cycle.frames) }
    meter.measure(left, right, frames: cycle.frames, rate: cycle.rate)
    add(left, to: cycle.left, frames: cycle.frames)
    add(right, to: cycle.right, frames: cycle.frames)
  }
}
