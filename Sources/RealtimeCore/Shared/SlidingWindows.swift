/// The newest samples of several signals, each contiguous in memory: a ring of twice the length, which stores every block twice, so that
/// nothing is moved as blocks arrive. [realtime] except `init` and `deinit`.
struct SlidingWindows: ~Copyable {
  /// Samples of a window, a multiple of `block`.
  let length: Int
  /// Samples per `push`.
  let block: Int

  private let count: Int
  private let rings: Samples
  /// Where each window begins in its ring, 0..<`length`.
  private let starts: Buffer<Int>

  /// Allocates everything. [control]
  init(count: Int, length: Int, block: Int) {
    precondition(length % block == 0)
    (self.count, self.length, self.block) = (count, length, block)
    rings = Samples(count * 2 * length)
    starts = Buffer(repeating: 0, count: count)
  }

  /// A window, the oldest sample first; valid until the next `push`.
  @_noLocks @_noAllocation
  subscript(_ signal: Int) -> UnsafePointer<Float> { UnsafePointer(rings + signal * 2 * length + starts.start[signal]) }

  /// Drops the oldest block of a window, and appends a new one.
  @_noLocks @_noAllocation
  func push(_ samples: UnsafePointer<Float>, onto signal: Int) {
    let oldest = rings + signal * 2 * length + starts.start[signal]
    copy(samples, to: oldest, frames: block)
    copy(samples, to: oldest + length, frames: block)
    starts.start[signal] = (starts.start[signal] + block) % length
  }

  /// Copies a window to another one.
  @_noLocks @_noAllocation
  func duplicate(_ signal: Int, as other: Int) {
    copy(rings + signal * 2 * length, to: rings + other * 2 * length, frames: 2 * length)
    starts.start[other] = starts.start[signal]
  }

  @_noLocks @_noAllocation
  func silence() { clear(rings.start, frames: count * 2 * length) }
}
