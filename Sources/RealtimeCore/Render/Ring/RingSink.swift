internal import Platform
import Synchronization

/// One remote participant's ring of PCM (K1–K5, K7). Writers and observers use it from any thread; register it with a `Mixer` to hear it.
// `@unchecked Sendable`: cells and FIFO are atomic, the FIFO's writing side is guarded by `writing`, and only the holder of its claim
// touches the player.
package final class RingSink: @unchecked Sendable {
  /// In bytes; far beyond any useful size.
  package static let maximumCapacityBytes = 64 << 20
  /// Linear gains.
  package static let gains: ClosedRange<Float> = 0...4

  /// The participant's id, unique in its mixer. [any]
  package let id: String
  /// The format of what is written. [any]
  package let format: SinkFormat
  /// The ring's size in bytes, rounded down to whole frames.
  package let capacityBytes: Int

  let player: Owned<RingPlayer>
  private let ring: FrameRing
  private var fifo: FrameFIFO { ring.fifo }
  private let cells: RingSinkCells
  let level: LevelReading
  private let memory: CellBlock
  private struct Writing {
    /// Whether the mixer has removed the sink.
    var isRemoved = false
    var arrivals = ArrivalMeter()
  }
  /// Serializes writers; the audio thread never takes it.
  private let writing = Mutex(Writing())

  /// Allocates everything that the sink will ever need, for any graph rate and quantum. `capacityBytes` is the size of the ring, at least
  /// one frame; 200 ms is a good size.
  /// Throws `.impossibleBufferSize`. [control]
  package init(id: String, format: SinkFormat, capacityBytes: Int) throws(SinkError) {
    guard (format.bytesPerFrame...Self.maximumCapacityBytes).contains(capacityBytes) else {
      throw .impossibleBufferSize(capacityBytes, minimum: format.bytesPerFrame)
    }
    var memory = CellBlock()
    let cells = RingSinkCells(&memory)
    let meter = LevelMeter(&memory)
    let ring = FrameRing(capacity: capacityBytes / format.bytesPerFrame, bytesPerFrame: format.bytesPerFrame)
    player = Owned(RingPlayer(format: format, fifo: ring.fifo, cells: cells, meter: meter))
    self.id = id
    self.format = format
    self.capacityBytes = ring.fifo.capacity * ring.fifo.bytesPerFrame
    self.ring = ring
    self.cells = cells
    self.memory = memory
    level = meter.reading
  }

  /// Writes interleaved native-endian Int16, whole or not at all (K2). Returns false, with nothing written, if the ring has no room
  /// (counted as a drop), if the byte count is not a whole number of frames, or if the sink has been removed. Several threads may write;
  /// each write stays contiguous. [any]
  package func write(_ bytes: UnsafeRawBufferPointer) -> Bool { put(bytes) == .written }

  /// The outcome of a write. [any]
  package enum Outcome: Sendable, Equatable {
    case written
    /// Not a whole number of frames, or the sink has been removed.
    case refused
    /// The ring had no room: writes dropped since the last one that fit, including this one, and since the counters were reset.
    case dropped(consecutive: UInt64, total: UInt64)
  }

  /// As `write`, but returns the reason. [any]
  package func put(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    writing.withLock { writing in
      guard !writing.isRemoved, bytes.count % fifo.bytesPerFrame == 0 else { return .refused }
      guard let start = bytes.baseAddress, bytes.count > 0 else { return .written }
      noteArrival(of: bytes.count / fifo.bytesPerFrame, &writing.arrivals)
      // Cleared before the frames are written: whoever sees them must not take them for the last ones.
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

  /// Counts `count` writes that were refused upstream, because the ring had no room for them (K6). Returns them as a refused write does.
  /// [any]
  @discardableResult
  package func noteDrops(_ count: UInt64) -> Outcome {
    writing.withLock { _ in
      cells.consecutiveDrops.add(count)
      cells.totalDrops.add(count)
      return .dropped(consecutive: cells.consecutiveDrops.load(), total: cells.totalDrops.load())
    }
  }

  private func noteArrival(of frames: Int, _ arrivals: inout ArrivalMeter) {
    if let late = arrivals.arrived(frames: frames, rate: format.sampleRate, at: monotonicNanoseconds()) {
      cells.lastSpike.store(late)
      cells.jitterSpikes.add(1)
    }
    cells.jitter.store(arrivals.jitter)
  }

  /// Ends the stream: plays what is buffered at once, to the last frame, then the sink is idle (K5). A later write starts it again. [any]
  package func end() {
    writing.withLock { writing in
      cells.hasEnded.storeRelease(1)
      writing.arrivals.restart()
    }
  }

  /// Discards what is buffered; the sink becomes idle, and what was playing fades out (S2). [any]
  package func reset() {
    writing.withLock { writing in
      writing.arrivals.restart()
      cells.discardBefore.storeRelease(fifo.writePosition)
      // If no cycle uses this sink, the ring is emptied here; otherwise at the start of the next cycle.
      guard cells.claim.exchange(1) == 0 else { return }
      player.pointer.pointee.discard()
      cells.claim.storeRelease(0)
    }
  }

  /// Linear, 0–4; 1 is unchanged. Ramps over 10 ms (K7). Values outside are clamped; NaN is ignored. [any]
  package var gain: Float {
    get { cells.volume.gain }
    set { cells.volume.gain = newValue }
  }

  /// Silences the sink while it keeps running, so that unmuting continues with the talker's current audio (K7). [any]
  package var isMuted: Bool {
    get { cells.volume.isMuted.load() }
    set { cells.volume.isMuted.store(newValue) }
  }

  /// The remote stream's RTP SSRC, if a program has reported it (K8). [any]
  package var ssrc: UInt32? {
    get { cells.ssrc.load() }
    set { cells.ssrc.store(newValue) }
  }

  /// The current state. [any]
  package func status() -> SinkStatus {
    SinkStatus(
      id: id, kind: .ring, state: cells.state.load(), sampleRate: format.sampleRate, channelCount: format.channelCount,
      fillBytes: fill.bytes, capacityBytes: capacityBytes, targetFill: cells.targetFill.load(),
      consecutiveUnderruns: cells.consecutiveUnderruns.load(), totalUnderruns: cells.totalUnderruns.load(),
      consecutiveDrops: cells.consecutiveDrops.load(), totalDrops: cells.totalDrops.load(), framesWritten: fifo.writePosition,
      framesRead: cells.framesRead.load(), isResampling: cells.isResampling.load(), resampleRatio: cells.ratio.load(),
      driftPPM: cells.drift.load() * 1e6, jitter: jitter * 1000, jitterSpikes: cells.jitterSpikes.load(),
      gain: gain.inFewestDigits, isMuted: isMuted, peak: decibels(level.peak), rms: decibels(level.rms), ssrc: ssrc)
  }

  /// Smoothed mean deviation of the writes from their due time, in seconds. [any]
  package var jitter: Double { cells.jitter.load() }
  /// How late the most recent of the writes came that were much later than due, in seconds. [any]
  package var lastJitterSpike: Double { cells.lastSpike.load() }

  /// Bytes in the ring, and the fill that steering aims at (0 before the first cycle). [any]
  package var fill: (bytes: Int, target: Int) {
    let frames = max(0, Int64(bitPattern: fifo.writePosition &- max(fifo.readPosition, cells.discardBefore.load())))
    return (Int(frames) * fifo.bytesPerFrame, Int(cells.targetFill.load() * Double(capacityBytes)))
  }

  /// Whether nothing waits or sounds: never written to, played out after `end()`, or reset. [any]
  package var isIdle: Bool { cells.state.load() == .idle && fill.bytes == 0 }

  /// Whether the mixer has released the sink: waiting audio is not played any more, and every write is refused. [any]
  package var isRemoved: Bool { writing.withLock { $0.isRemoved } }

  /// Resets underruns, drops and jitter spikes; keeps frames written and read. [any]
  package func clearCounters() {
    cells.consecutiveUnderruns.store(0)
    cells.totalUnderruns.store(0)
    writing.withLock { _ in
      cells.consecutiveDrops.store(0)
      cells.totalDrops.store(0)
      cells.jitterSpikes.store(0)
    }
  }

  /// Refuses every later write, because the mixer has released the sink. [control]
  func close() { writing.withLock { $0.isRemoved = true } }
  /// Accepts writes, because a mixer has taken the sink. [control]
  func open() { writing.withLock { $0.isRemoved = false } }
}
