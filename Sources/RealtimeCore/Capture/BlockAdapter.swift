/// Runs a chain, which takes blocks of a fixed length, in cycles of any length: gathers frames until a block is complete, and keeps its
/// output until it is taken. Also removes a constant offset from the far end. [realtime] except `init` and `deinit`.
///
/// With a constant quantum the frames gathered and the frames ready always add up to the latency of blocking, so nothing drifts.
struct BlockAdapter: ~Copyable {
  let chain: VoiceChain
  private let block: Int
  private let own, left, right: Samples
  /// Of the further microphones that the chain hears, a block each, one after another.
  private let others: Samples
  private let further: Int
  private var blocker: DCBlocker
  /// Frames gathered of the microphone, and in each of these buffers, 0..<block; in `own` while `gathersOwn`.
  private var gathered = 0
  /// The range of these frames that was lost.
  private var lost = 0..<0
  /// A Boolean value indicating whether the microphone was muted before processing in the newest cycle, and whether the voice without noise
  /// suppression was wanted.
  private var isInputMuted = false
  private var givesNoisyVoice = false
  /// A Boolean value indicating whether `own` is gathered: in this block, the chain does not hear the microphone's own signal.
  private var gathersOwn = false
  /// Output frames, oldest first, from `first` on, followed by the gathered frames of the microphone, which the chain processes in place.
  /// Both together are fewer than two blocks.
  private let ready: Samples
  /// The output frames of the voice without noise suppression, while it is wanted, from `first` on.
  private let openReady: Samples
  private var first = 0
  private var readyCount = 0

  /// - Parameter rate: Hz.
  init(_ chain: consuming VoiceChain, rate: Int) {
    blocker = DCBlocker(rate: rate)
    block = chain.block
    own = Samples(chain.block)
    left = Samples(chain.block)
    right = Samples(chain.block)
    further = chain.microphones - 1
    others = Samples(max(1, (chain.microphones - 1) * chain.block))
    ready = Samples(2 * chain.block)
    openReady = Samples(2 * chain.block)
    self.chain = chain
  }

  /// The delay of the voice in cycles of `quantum` frames: the chain's, plus block − gcd(quantum, block). [any]
  @_noLocks @_noAllocation
  func latency(quantum: Int) -> Int { chain.delay + blocking(quantum: quantum) }

  /// Starts a stream with the latency of this quantum, and discards what the chain holds.
  @_noLocks @_noAllocation
  mutating func restart(quantum: Int) {
    (gathered, lost, gathersOwn) = (0, 0..<0, false)
    first = 0
    readyCount = blocking(quantum: quantum)
    clear(ready.start, frames: readyCount)
    clear(openReady.start, frames: readyCount)
  }

  /// Processes one cycle. `open`: see `VoiceChain.process`.
  @_noLocks @_noAllocation
  mutating func process(
    _ input: borrowing CaptureInput, into voice: UnsafeMutablePointer<Float>, open: UnsafeMutablePointer<Float>? = nil, frames: Int
  ) {
    (isInputMuted, givesNoisyVoice) = (input.isShut, open != nil)
    var done = 0
    while done < frames {
      let count = min(frames - done, block - gathered)
      if gathered == 0 { beginBlock() }
      if input.isMuted || gathersOwn { gatherOwn(input.own + done, frames: count) }
      copy(input.microphone + done, to: microphone + gathered, frames: count)
      copy(input.left + done, to: left + gathered, frames: count)
      copy(input.right + done, to: right + gathered, frames: count)
      for i in 0..<further { copy(input.other(i), offset: done, to: others + (i * block + gathered), frames: count) }
      gathered += count
      if gathered == block { finishBlock() }
      copy(ready + first, to: voice + done, frames: count)
      if let open { copy(openReady + first, to: open + done, frames: count) }
      first += count
      readyCount -= count
      done += count
    }
  }

  /// Passes on what is new of the echo's path.
  @_noLocks @_noAllocation
  func tell(_ news: EchoPathNews.Item) {
    if news.isAnother { chain.echoPathChanged() }
    if news.placeOfFormerLead > 0 { chain.changePlaces(ofFirstAnd: news.placeOfFormerLead) }
    if let factor = news.factor { chain.scaleEcho(by: factor) }
  }

  /// Returns whether blocks stay aligned with cycles of `quantum` frames if `frames` are lost, as they do for whole cycles.
  @_noLocks @_noAllocation
  func canLose(frames: Int, quantum: Int) -> Bool { frames % (block - blocking(quantum: quantum)) == 0 }

  /// Accounts for lost frames; requires `canLose`. The chain skips whole blocks where it can, and processes zeros for the rest.
  @_noLocks @_noAllocation
  mutating func lose(frames: Int) {
    var done = 0
    while done < frames {
      let count = min(frames - done, block - gathered)
      done += count
      if count == block, chain.loseBlock() { continue }
      if gathered == 0 { beginBlock() }
      clear(microphone + gathered, frames: count)
      if isInputMuted || gathersOwn { gatherOwn(nil, frames: count) }
      clear(left + gathered, frames: count)
      clear(right + gathered, frames: count)
      for i in 0..<further { clear(others + (i * block + gathered), frames: count) }
      lost = (lost.isEmpty ? gathered : lost.lowerBound)..<gathered + count
      gathered += count
      if gathered == block { finishBlock() }
      first += count
      readyCount -= count
    }
  }

  /// The frames that are gathered, of a block.
  private var microphone: UnsafeMutablePointer<Float> {
    @_noLocks @_noAllocation get { ready + (first + readyCount) }
  }

  /// Makes room for a block after the output.
  @_noLocks @_noAllocation
  private mutating func beginBlock() {
    gathersOwn = false
    if first == 0 { return }
    for i in 0..<readyCount { ready[i] = ready[first + i] }
    if givesNoisyVoice { for i in 0..<readyCount { openReady[i] = openReady[first + i] } }
    first = 0
  }

  /// Gathers the microphone's own signal, which until now in this block was what the chain hears; nil is silence.
  @_noLocks @_noAllocation
  private mutating func gatherOwn(_ samples: UnsafePointer<Float>?, frames: Int) {
    if !gathersOwn { copy(UnsafePointer(microphone), to: own.start, frames: gathered) }
    gathersOwn = true
    copy(samples, offset: 0, to: own + gathered, frames: frames)
  }

  @_noLocks @_noAllocation
  private mutating func finishBlock() {
    blocker.process(left: left.start, right: right.start, lost: lost, frames: block)
    chain.process(
      microphone, left: left.start, right: right.start, lost: lost, others: further > 0 ? others.start : nil,
      unheard: isInputMuted ? own.start : nil,
      open: givesNoisyVoice ? openReady + (first + readyCount) : nil)
    (gathered, lost) = (0, 0..<0)
    readyCount += block
  }

  @_noLocks @_noAllocation
  private func blocking(quantum: Int) -> Int {
    var a = block, b = max(quantum, 1)
    while b != 0 { (a, b) = (b, a % b) }
    return block - a
  }
}
