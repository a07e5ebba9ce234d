/// The memory of a FIFO. [control]
package struct FrameRing: ~Copyable {
  /// The FIFO; valid as long as the ring, which must outlive both threads' use. [any]
  package let fifo: FrameFIFO
  private let bytes: CacheLines
  private let positions: CellBlock

  /// Makes a ring of exactly `capacity` frames.
  package init(capacity: Int, bytesPerFrame: Int) {
    precondition(capacity > 0 && bytesPerFrame > 0)
    bytes = CacheLines(byteCount: capacity * bytesPerFrame)
    var positions = CellBlock()
    fifo = FrameFIFO(
      capacity: capacity, bytesPerFrame: bytesPerFrame, bytes: bytes.start, written: CounterCell(positions.next()),
      read: CounterCell(positions.next()))
    self.positions = positions
  }
}

/// A FIFO ring of frames between one writing and one reading thread, wait-free on both sides.
///
/// A frame is any fixed number of bytes: Int16 or Float, interleaved. Writes are whole or nothing. Copies of the value are views of one
/// ring, a `FrameRing`. Positions count frames since the ring was made and never wrap (64 bits: 3 million years at 192 kHz).
// `@unchecked Sendable`: each side writes only its own position and releases it after the bytes; the bytes between the positions belong to
// the reader, the others to the writer.
package struct FrameFIFO: @unchecked Sendable {
  /// The size of a frame in bytes, 1 or more.
  package let bytesPerFrame: Int
  /// The capacity in frames.
  package let capacity: Int
  private let bytes: UnsafeMutableRawPointer
  private let written: CounterCell
  private let read: CounterCell

  fileprivate init(capacity: Int, bytesPerFrame: Int, bytes: UnsafeMutableRawPointer, written: CounterCell, read: CounterCell) {
    (self.capacity, self.bytesPerFrame, self.bytes) = (capacity, bytesPerFrame, bytes)
    (self.written, self.read) = (written, read)
  }

  /// The number of waiting frames. Exact for the reader unless the writer is writing; then a lower bound. [any]
  package var count: Int {
    @_noLocks @_noAllocation get {
      let out = read.loadAcquire()
      return Int(clamping: Int64(bitPattern: written.loadAcquire() &- out))
    }
  }

  /// Frames written since the ring was made. [any]
  package var writePosition: UInt64 {
    @_noLocks @_noAllocation get { written.loadAcquire() }
  }
  /// Frames taken since the ring was made, including discarded ones. [any]
  package var readPosition: UInt64 {
    @_noLocks @_noAllocation get { read.loadAcquire() }
  }

  /// Writes `frames` whole frames, or none if they do not fit. [the writing thread; realtime-safe]
  @_noLocks @_noAllocation
  package func write(_ source: UnsafeRawPointer, frames: Int) -> Bool { write(source, frames: frames, and: source, frames: 0) }

  /// Writes the frames of two sources, the first one's first, or none if they do not fit. [the writing thread; realtime-safe]
  @_noLocks @_noAllocation
  package func write(_ first: UnsafeRawPointer, frames: Int, and second: UnsafeRawPointer, frames secondFrames: Int) -> Bool {
    let position = written.load(), end = position &+ UInt64(frames + secondFrames)
    if Int(truncatingIfNeeded: end &- read.loadAcquire()) > capacity { return false }
    put(first, frames: frames, at: position)
    put(second, frames: secondFrames, at: position &+ UInt64(frames))
    written.storeRelease(end)
    return true
  }

  @_noLocks @_noAllocation
  private func put(_ source: UnsafeRawPointer, frames: Int, at position: UInt64) {
    let start = Int(truncatingIfNeeded: position % UInt64(capacity)), first = min(frames, capacity - start)
    (bytes + start * bytesPerFrame).copyMemory(from: source, byteCount: first * bytesPerFrame)
    bytes.copyMemory(from: source + first * bytesPerFrame, byteCount: (frames - first) * bytesPerFrame)
  }

  /// Returns the longest contiguous run of waiting frames, at most `limit`; take them with `advance`. [the reading thread; realtime-safe]
  @_noLocks @_noAllocation
  package func front(limit: Int) -> (start: UnsafeRawPointer, frames: Int) {
    let position = read.load()
    let waiting = Int(truncatingIfNeeded: written.loadAcquire() &- position)
    let start = Int(truncatingIfNeeded: position % UInt64(capacity))
    return (UnsafeRawPointer(bytes) + start * bytesPerFrame, min(min(waiting, limit), capacity - start))
  }

  /// Takes `frames` frames from the ring. [the reading thread; realtime-safe]
  @_noLocks @_noAllocation
  package func advance(_ frames: Int) { read.storeRelease(read.load() &+ UInt64(frames)) }

  /// Copies up to `frames` frames out and takes them; returns how many. [the reading thread; realtime-safe]
  @_noLocks @_noAllocation
  package func read(into target: UnsafeMutableRawPointer, frames: Int) -> Int {
    var done = 0
    while done < frames {
      let run = front(limit: frames - done)
      if run.frames == 0 { break }
      (target + done * bytesPerFrame).copyMemory(from: run.start, byteCount: run.frames * bytesPerFrame)
      advance(run.frames)
      done += run.frames
    }
    return done
  }
}
