/// Carries processed voice from the audio thread to a consumer on another thread: cycle by cycle, each with its rate and position, whole or
/// not at all. Also carries the windows of a `SpectrumTap`, each as a cycle.
///
/// One thread at a time reads. No tap may still hold the queue when it goes.
// `@unchecked Sendable`: the FIFO has one writing thread, the audio thread, and one reading; the counters are atomic; `pending` belongs to
// the reader.
package final class SourceQueue: @unchecked Sendable {
  /// Default capacity in words: 1.3 s at 48 kHz, and seven cycles of the largest quantum.
  package static let defaultCapacity = 65_536

  /// One cycle's audio. [any]
  package struct Cycle: Sendable, Equatable {
    /// Frames, at this cycle's rate.
    package var frames: Int
    /// Hz.
    package var rate: Int
    /// Frames since the queue was made that precede this cycle, including lost ones.
    package var position: UInt64
  }

  let writer: SourceQueueWriter
  private let ring: FrameRing
  private var fifo: FrameFIFO { ring.fifo }
  private let state: Owned<SourceQueueWriter.State>
  private let memory: CellBlock

  /// - Parameters:
  ///   - capacity: words of 4 bytes; a cycle takes one per frame and channel, and four more. At least one cycle of the largest quantum.
  ///   - channels: 1, or 2, interleaved.
  /// [control]
  package init(capacity: Int = SourceQueue.defaultCapacity, channels: Int = 1) {
    precondition(
      capacity >= channels * CoreState.maximumQuantum + SourceQueueWriter.headerWords,
      "SourceQueue: \(capacity) words hold no cycle of 8192 frames")
    var memory = CellBlock()
    ring = FrameRing(capacity: capacity, bytesPerFrame: 4)
    state = Owned(SourceQueueWriter.State())
    writer = SourceQueueWriter(fifo: ring.fifo, channels: channels, state: state.pointer, cells: &memory)
    self.memory = memory
  }

  /// Removes the oldest cycle and appends its samples to `samples`; nil if there is none. [the reading thread]
  package func read(into samples: inout [Float]) -> Cycle? {
    guard fifo.count > 0 else { return nil }
    var header = SourceQueueWriter.Header()
    withUnsafeMutableBytes(of: &header) { _ = fifo.read(into: $0.baseAddress!, frames: SourceQueueWriter.headerWords) }
    let frames = Int(header.frames)
    var left = frames * writer.channels
    while left > 0 {
      // A cycle is written in one piece, so all of it is there.
      let run = fifo.front(limit: left)
      samples.append(contentsOf: UnsafeBufferPointer(start: run.start.assumingMemoryBound(to: Float.self), count: run.frames))
      fifo.advance(run.frames)
      left -= run.frames
    }
    return Cycle(frames: frames, rate: Int(header.rate), position: header.position)
  }

  /// Cycles that did not fit since the queue was made. [any]
  package var overruns: UInt64 { writer.overruns.load() }
  /// Runs of cycles that did not fit; a run ends when the queue is half empty again. [any]
  package var overrunRuns: UInt64 { writer.runs.load() }
}

/// The audio thread's half of a `SourceQueue`. [realtime]
// `@unchecked Sendable`: only the audio thread calls `write`, and only it touches the state.
struct SourceQueueWriter: @unchecked Sendable {
  /// Precedes the samples in the FIFO.
  struct Header {
    var position: UInt64 = 0
    var frames: UInt32 = 0
    var rate: UInt32 = 0
  }
  static let headerWords = 4

  struct State {
    fileprivate var position: UInt64 = 0
    fileprivate var isLosing = false
  }

  private let fifo: FrameFIFO
  /// 1, or 2, interleaved.
  let channels: Int
  private let state: UnsafeMutablePointer<State>
  let overruns: CounterCell
  let runs: CounterCell

  init(fifo: FrameFIFO, channels: Int, state: UnsafeMutablePointer<State>, cells: inout CellBlock) {
    self.fifo = fifo
    self.channels = channels
    self.state = state
    overruns = CounterCell(cells.next())
    runs = CounterCell(cells.next())
  }

  @_noLocks @_noAllocation
  func write(_ voice: UnsafePointer<Float>, frames: Int, rate: Int) {
    var header = Header()
    header.position = state.pointee.position
    header.frames = UInt32(truncatingIfNeeded: frames)
    header.rate = UInt32(truncatingIfNeeded: rate)
    state.pointee.position &+= UInt64(frames)
    if state.pointee.isLosing, fifo.count <= fifo.capacity / 2 { state.pointee.isLosing = false }
    if fifo.write(&header, frames: Self.headerWords, and: voice, frames: frames * channels) { return }
    overruns.add(1)
    if !state.pointee.isLosing {
      state.pointee.isLosing = true
      runs.add(1)
    }
  }
}
