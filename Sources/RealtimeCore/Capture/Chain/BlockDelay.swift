/// A fixed delay for blocks of a fixed size. [realtime] except `init` and `deinit`.
struct BlockDelay: ~Copyable {
  let delay: Int
  private let block: Int
  /// The last `delay` frames, followed by room for one block.
  private let line: UnsafeMutablePointer<Float>

  /// - Parameters:
  ///   - delay: frames, 0 or more.
  ///   - block: frames per block.
  init(delay: Int, block: Int) {
    self.delay = delay
    self.block = block
    line = .silence(delay + block)
  }

  deinit { line.deallocate() }

  /// Delays one block by `delay` frames. `output` may be `input`.
  @_noLocks @_noAllocation
  mutating func process(_ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>) {
    copy(input, to: line + delay, frames: block)
    copy(line, to: output, frames: block)
    copy(line + block, to: line, frames: delay)
  }
}
