/// The newest samples of several signals, each contiguous in memory: a ring of twice the length, which stores every block twice, so that
/// nothing is moved as blocks arrive. [realtime] except `init` and `deinit`.
struct SlidingWindows: ~Copyable {
  /// Samples of a window, a multiple of `block`.
  let length: Int
  /// Samples per `push`.
  let block: Int

  private let count: Int
  private let rings: UnsafeMutablePointer<Float>
  /// Where each window begins in its ring, 0..<`length`.
  private let starts: UnsafeMutablePointer<Int>

  /// Allocates everything. [control]
  init(count: Int, length: Int, block: Int) {
    precondition(length % block == 0)
    (self.count, self.length, self.block) = (count, length, block)
    rings = .silence(count * 2 * length)
    starts = .allocate(capacity: count)
    starts.initialize(repeating: 0, count: count)
  }

  deinit {
    rings.deallocate()
    starts.deallocate()
  }

  /// A window, the oldest sample first; valid until the next `push`.
  @_noLocks @_noAllocation
  subscript(_ signal: Int) -> UnsafePointer<Float> { UnsafePointer(rings + signal * 2 * length + starts[signal]) }

  /// Drops the oldest block of a window, and appends a new one.
  @_noLocks @_noAllocation
  func push(_ samples: UnsafePointer<Float>, onto signal: Int) {
    let oldest = rings + signal * 2 * length + starts[signal]
    copy(samples, to: oldest, frames: block)
    copy(samples, to: oldest + length, frames: block)
    starts[signal] = (starts[signal] + block) % length
  }

  /// Copies a window to another one.
  @_noLocks @_noAllocation
  func duplicate(_ signal: Int, as other: Int) {
    copy(rings + signal * 2 * length, to: rings + other * 2 * length, frames: 2 * length)
    starts[other] = starts[signal]
  }

  @_noLocks @_noAllocation
  func silence() { clear(rings, frames: count * 2 * length) }
}
