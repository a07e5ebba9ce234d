/// Keeps the newest blocks of a signal, of a fixed size, to read them late. [realtime] except `init` and `deinit`.
struct BlockDelay: ~Copyable {
  private let block: Int
  /// Frames of the ring, a multiple of `block`.
  private let length: Int
  /// The ring, followed by a copy of its first block, so that each block can be read in one piece.
  private let ring: Samples
  /// Where the next block is written, 0..<`length`.
  private var end = 0

  /// - Parameters:
  ///   - longest: the longest delay in frames, 0 or more.
  ///   - block: frames per block.
  init(longest: Int, block: Int) {
    self.block = block
    length = ((longest + block - 1) / block + 1) * block
    ring = Samples(length + block)
  }

  /// Adds a block.
  @_noLocks @_noAllocation
  mutating func push(_ samples: UnsafePointer<Float>) {
    copy(samples, to: ring + end, frames: block)
    if end == 0 { copy(samples, to: ring + length, frames: block) }
    end = (end + block) % length
  }

  /// The newest block as it was `delay` frames ago; valid until the next `push`.
  @_noLocks @_noAllocation
  func late(by delay: Int) -> UnsafePointer<Float> {
    let first = end - block - delay
    return UnsafePointer(ring + (first < 0 ? first + length : first))
  }
}
