internal import CSampleRate
import Synchronization

/// One remote participant's ring of PCM (K1–K5, K7). Writers and observers call it from any thread; register it with a `Mixer` to hear it.
// Sound: cells and FIFO are atomic, the FIFO's writing side is guarded by `writing`, and the player is touched only by who holds its claim.
public final class RingSink: @unchecked Sendable {
  /// Bytes; far beyond anything useful.
  public static let maximumCapacityBytes = 64 << 20
  /// Linear.
  public static let gains: ClosedRange<Float> = 0...4

  /// The participant's, unlike every other's in its mixer. [any]
  public let id: String
  /// What is written to it. [any]
  public let format: SinkFormat
  /// Whole frames, in bytes: the size asked for, rounded down to a frame.
  public let capacityBytes: Int

  let player: UnsafeMutablePointer<RingPlayer>
  private let fifo: FrameFIFO
  private let cells: RingSinkCells
  private let level: LevelReading
  private let memory: CellBlock
  private struct Writing {
    /// True once the sink has been removed from its mixer.
    var isRemoved = false
    var arrivals = ArrivalMeter()
  }
  /// Writers take turns; the audio thread never takes this.
  private let writing = Mutex(Writing())

  /// Allocates everything that the sink will ever need, for any graph rate and quantum. `capacityBytes` is the size of the ring, one frame at least; 200 ms is a good size.
  /// Throws `.impossibleBufferSize` or `.outOfMemory`. [control]
  public init(id: String, format: SinkFormat, capacityBytes: Int) throws(SinkError) {
    guard (format.bytesPerFrame...Self.maximumCapacityBytes).contains(capacityBytes) else {
      throw .impossibleBufferSize(capacityBytes, minimum: format.bytesPerFrame)
    }
    var memory = CellBlock(count: RingSinkCells.count + 2)
    let cells = RingSinkCells(&memory)
    let meter = LevelMeter(&memory)
    let fifo = FrameFIFO(capacity: capacityBytes / format.bytesPerFrame, bytesPerFrame: format.bytesPerFrame)
    guard let resampler = rt_resampler_create(Int32(format.channelCount)) else {
      fifo.deallocate()
      throw .outOfMemory(id: id)
    }
    let player = RingPlayer(resampler: resampler, format: format, fifo: fifo, cells: cells, meter: meter)
    self.id = id
    self.format = format
    self.capacityBytes = fifo.capacity * fifo.bytesPerFrame
    self.fifo = fifo
    self.cells = cells
    self.memory = memory
    level = meter.reading
    self.player = .allocate(capacity: 1)
    self.player.initialize(to: player)
  }

  deinit {
    player.deinitialize(count: 1)
    player.deallocate()
    fifo.deallocate()
  }

  /// Writes interleaved native-endian Int16, whole or not at all (K2). False, and nothing written, where the ring has no room (counted as a drop), where
  /// the byte count is not a whole number of frames, or where the sink has been removed. Several threads may write; each write stays in one piece. [any]
  public func write(_ bytes: UnsafeRawBufferPointer) -> Bool { put(bytes) == .written }

  /// What became of a write. [any]
  public enum Outcome: Sendable, Equatable {
    case written
    /// Not a whole number of frames, or the sink has been removed.
    case refused
    /// No room: writes refused so since the last that fitted, this one included, and since the counters were cleared.
    case dropped(consecutive: UInt64, total: UInt64)
  }

  /// As `write`, and tells why not. [any]
  public func put(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    writing.withLock { writing in
      guard !writing.isRemoved, bytes.count % fifo.bytesPerFrame == 0 else { return .refused }
      guard let start = bytes.baseAddress, bytes.count > 0 else { return .written }
      noteArrival(of: bytes.count / fifo.bytesPerFrame, &writing.arrivals)
      // Before the frames: whoever sees them must not take them for the last ones.
      cells.hasEnded.storeRelease(0)
      guard fifo.write(start, frames: bytes.count / fifo.bytesPerFrame) else {
        cells.consecutiveDrops.add(1)
        cells.totalDrops.add(1)
        return .dropped(consecutive: cells.consecutiveDrops.load(), total: cells.totalDrops.load())
      }
      cells.consecutiveDrops.store(0)
      return .written
    }
  }

  private func noteArrival(of frames: Int, _ arrivals: inout ArrivalMeter) {
    if let late = arrivals.arrived(frames: frames, rate: format.sampleRate, at: monotonicNanoseconds()) {
      cells.lastSpike.store(late)
      cells.jitterSpikes.add(1)
    }
    cells.jitter.store(arrivals.jitter)
  }

  /// The writer is done: what is buffered plays out, at once and to the last frame, then the sink is idle (K5). A later write starts it again. [any]
  public func end() {
    writing.withLock { writing in
      cells.hasEnded.storeRelease(1)
      writing.arrivals.restart()
    }
  }

  /// Throws away what is buffered; the sink is idle, and what was playing fades out (S2). [any]
  public func reset() {
    writing.withLock { writing in
      writing.arrivals.restart()
      cells.discardBefore.storeRelease(fifo.writePosition)
      // Where no cycle is in this sink (or none runs at all), the ring is emptied here; otherwise at the next cycle's start.
      guard cells.claim.exchange(1) == 0 else { return }
      player.pointee.discard()
      cells.claim.storeRelease(0)
    }
  }

  /// Linear, 0–4; 1 is unchanged. Moves over 10 ms (K7). Values outside are clamped, and what is not a number is ignored. [any]
  public var gain: Float {
    get { Float(cells.gain.load()) }
    set { if !newValue.isNaN { cells.gain.store(Double(min(max(newValue, Self.gains.lowerBound), Self.gains.upperBound))) } }
  }

  /// Silent but running, so that it comes back where the talker is, not where it was muted (K7). [any]
  public var isMuted: Bool {
    get { cells.isMuted.load() != 0 }
    set { cells.isMuted.store(newValue ? 1 : 0) }
  }

  /// The remote stream's RTP SSRC, where a program told it (K8). [any]
  public var ssrc: UInt32? {
    get { cells.ssrc.load() }
    set { cells.ssrc.store(newValue) }
  }

  /// What the sink does now. [any]
  public func status() -> RingSinkStatus {
    let fill = max(0, Int64(bitPattern: fifo.writePosition &- max(fifo.readPosition, cells.discardBefore.load())))
    return RingSinkStatus(
      state: RingSinkStatus.State(rawValue: cells.state.load()) ?? .idle,
      fillBytes: Int(fill) * fifo.bytesPerFrame,
      targetFill: cells.targetFill.load(),
      consecutiveUnderruns: cells.consecutiveUnderruns.load(),
      totalUnderruns: cells.totalUnderruns.load(),
      consecutiveDrops: cells.consecutiveDrops.load(),
      totalDrops: cells.totalDrops.load(),
      framesWritten: fifo.writePosition,
      framesRead: cells.framesRead.load(),
      isResampling: cells.isResampling.load() != 0,
      resampleRatio: cells.ratio.load(),
      driftPPM: cells.drift.load() * 1e6,
      jitter: cells.jitter.load(),
      jitterSpikes: cells.jitterSpikes.load(),
      lastJitterSpike: cells.lastSpike.load(),
      peak: level.peak,
      rms: level.rms)
  }

  /// Bytes that wait in the ring, and those that its fill is steered to (0 before the first cycle). [any]
  public var fill: (bytes: Int, target: Int) {
    let frames = max(0, Int64(bitPattern: fifo.writePosition &- max(fifo.readPosition, cells.discardBefore.load())))
    return (Int(frames) * fifo.bytesPerFrame, Int(cells.targetFill.load() * Double(capacityBytes)))
  }

  /// Nothing waits and nothing sounds: never written to, played out after `end()`, or reset. [any]
  public var isIdle: Bool { cells.state.load() == RingSinkStatus.State.idle.rawValue && fill.bytes == 0 }

  /// The mixer has let go of it: what waits is played no more, and every write is refused. [any]
  public var isRemoved: Bool { writing.withLock { $0.isRemoved } }

  /// Underruns, drops and jitter spikes start again at 0; frames written and read go on. [any]
  public func clearCounters() {
    cells.consecutiveUnderruns.store(0)
    cells.totalUnderruns.store(0)
    writing.withLock { _ in
      cells.consecutiveDrops.store(0)
      cells.totalDrops.store(0)
      cells.jitterSpikes.store(0)
    }
  }

  /// The mixer has let go: every later write is refused. [control]
  func close() { writing.withLock { $0.isRemoved = true } }
  /// A mixer takes the sink. [control]
  func open() { writing.withLock { $0.isRemoved = false } }
}
