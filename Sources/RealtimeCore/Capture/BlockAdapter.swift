/// Runs a chain, which takes blocks of one length, in cycles of any: frames are gathered until a block is whole, and what became of it waits until it is
/// taken. [realtime] but for `init` and `deinit`.
///
/// With a constant quantum the frames gathered and the frames ready always add up to the latency of blocking, so nothing drifts.
struct BlockAdapter: ~Copyable {
  let chain: VoiceChain
  private let block: Int
  private let microphone, own, left, right: UnsafeMutablePointer<Float>
  /// Frames that the four hold, 0..<block.
  private var gathered = 0
  /// Frames that are ready, oldest first, from `first` on; never more than two blocks.
  private let ready: UnsafeMutablePointer<Float>
  private var first = 0
  private var readyCount = 0

  init(_ chain: consuming VoiceChain) {
    block = chain.block
    (microphone, own, left, right) = (.silence(chain.block), .silence(chain.block), .silence(chain.block), .silence(chain.block))
    ready = .silence(2 * chain.block)
    self.chain = chain
  }

  deinit { for buffer in [microphone, own, left, right, ready] { buffer.deallocate() } }

  /// Frames by which the voice is later than the microphone in cycles of `quantum` frames: the chain's delay, and block − gcd(quantum, block). [any]
  @_noLocks @_noAllocation
  func latency(quantum: Int) -> Int { chain.delay + blocking(quantum: quantum) }

  /// Begins a stream of the latency that belongs to this quantum. What the chain holds is old by then.
  @_noLocks @_noAllocation
  mutating func restart(quantum: Int) {
    gathered = 0
    first = 0
    readyCount = blocking(quantum: quantum)
    clear(ready, frames: readyCount)
  }

  /// One cycle.
  @_noLocks @_noAllocation
  mutating func process(_ input: borrowing CaptureInput, into voice: UnsafeMutablePointer<Float>, frames: Int) {
    var done = 0
    while done < frames {
      let count = min(frames - done, block - gathered)
      copy(input.microphone + done, to: microphone + gathered, frames: count)
      copy(input.own + done, to: own + gathered, frames: count)
      copy(input.left + done, to: left + gathered, frames: count)
      copy(input.right + done, to: right + gathered, frames: count)
      gathered += count
      if gathered == block { finishBlock(isShut: input.isShut) }
      copy(ready + first, to: voice + done, frames: count)
      first += count
      readyCount -= count
      done += count
    }
  }

  @_noLocks @_noAllocation
  private mutating func finishBlock(isShut: Bool) {
    chain.process(microphone, left: left, right: right, unheard: isShut ? own : nil)
    gathered = 0
    if first > 0 {
      for i in 0..<readyCount { ready[i] = ready[first + i] }
      first = 0
    }
    copy(microphone, to: ready + readyCount, frames: block)
    readyCount += block
  }

  @_noLocks @_noAllocation
  private func blocking(quantum: Int) -> Int {
    var a = block, b = max(quantum, 1)
    while b != 0 { (a, b) = (b, a % b) }
    return block - a
  }
}
