/// The right side of a voice of two channels (V16): a channel of the microphone of its own, cancelled by a canceller of its own. Reference,
/// latency, stages and mute are those of the left side, the capture path. [realtime] except `init` and `deinit`.
///
///     right channel ─▶ seam ─▶ sanitize ─▶ input mute ─▶ blocks ─▶ chain ─┐
///     left side's voice ─────────────────────────────────────────────────┴▶ crossfade ─▶ stages ─▶ mute ─▶ seam ─▶ right
///
/// While the voice is mono, the left side's is heard here, and the chain does not run.
struct RightSide: ~Copyable {
  /// Receives the microphone's right channel, and the right voice where nobody else gives room for it.
  let microphone, voice: Samples
  private var input: CaptureInput
  private var blocks: BlockAdapter
  private var seam: Seam
  private let controls: CaptureControlCells
  private let tenMilliseconds: Int

  /// Share of the right side's own voice, 0…1, before smoothing.
  private var share: Float = 0
  /// Frames until its own voice is complete.
  private var wait = 0
  /// Whether a new stream begins, which may start with its own voice at once.
  private var isFresh = true
  /// Whether its own channel was processed in the last cycle, and ever.
  private var isFed = false
  private var hasRun = false
  /// The quantum that the chain knows of, and the number of echo path changes, and the speaker's gain.
  private var quantum = 0
  private var pathNews: EchoPathNews
  private var handOver: EngineHandOver
  private let oldVoice: Samples

  /// What a cycle is like on both sides.
  struct Cycle {
    let frames: Int
    /// Whether left and right are to be heard apart.
    let isStereo: Bool
    let isProcessing: Bool
    /// Whether the microphone is silenced before processing (D1).
    let isMuted: Bool

    @_noLocks @_noAllocation
    init(frames: Int, isStereo: Bool, isProcessing: Bool, isMuted: Bool) {
      (self.frames, self.isStereo, self.isProcessing, self.isMuted) = (frames, isStereo, isProcessing, isMuted)
    }
  }

  /// - Throws: `CapturePathError`.
  init(
    _ engine: EchoCanceller, rate: Int, maximumQuantum: Int, tuning: Tuning, controls: CaptureControlCells
  ) throws(CapturePathError) {
    blocks = BlockAdapter(try VoiceChain(engine, rate: rate, tuning: tuning, controls: controls), rate: rate)
    input = CaptureInput(maximumQuantum: maximumQuantum, rate: rate)
    seam = Seam(length: rate / 200)
    self.controls = controls
    tenMilliseconds = rate / 100
    pathNews = EchoPathNews(controls)
    handOver = EngineHandOver(rate: rate)
    oldVoice = Samples(maximumQuantum)
    microphone = Samples(maximumQuantum)
    voice = Samples(maximumQuantum)
  }

  /// A Boolean value indicating whether its own channel is still needed, because its own voice is heard.
  var isHeard: Bool { @_noLocks @_noAllocation get { share > 0 } }

  /// Processes one cycle into `right`. Returns whether that differs from the left side's voice; if not, `right` is left undefined.
  ///
  /// - Parameters:
  ///   - source: the microphone's right channel; nil is silence.
  ///   - left: the left side's input.
  ///   - voice: the left side's voice.
  ///   - old: the right side of the engine that is taken over from, as long as that is heard.
  @_noLocks @_noAllocation
  mutating func process(
    microphone source: UnsafePointer<Float>?, beside left: borrowing CaptureInput, voice: UnsafePointer<Float>,
    into right: UnsafeMutablePointer<Float>, _ cycle: borrowing Cycle, old: UnsafeMutablePointer<RightSide>?
  ) -> Bool {
    let wasFresh = isFresh, frames = cycle.frames
    isFresh = false
    guard cycle.isStereo || share > 0 else {
      isFed = false
      return false
    }
    if !isFed { begin(isFresh: wasFresh, isOpen: !left.isShut, cycle) }
    input.read(
      microphone: source, left: UnsafePointer(left.left.start), right: UnsafePointer(left.right.start), frames: frames,
      isMuted: cycle.isMuted)
    if cycle.isProcessing {
      runChain(into: right, frames: frames, old: old)
    } else {
      copy(input.microphone, to: right, frames: frames)
    }
    if cycle.isStereo, wait > 0 {
      wait -= frames
      return false
    }
    if cycle.isStereo, share == 1 { return true }
    let step = (cycle.isStereo ? 1 : -1) / Float(tenMilliseconds)
    for i in 0..<frames {
      share = min(max(share + step, 0), 1)
      right[i] = voice[i] + smoothStep(share) * (right[i] - voice[i])
    }
    return true
  }

  /// Ends the cycle, in place, whether the sides differ or not: mutes with the left side's gate, as it was before the cycle.
  @_noLocks @_noAllocation
  mutating func end(_ right: UnsafeMutablePointer<Float>, _ gate: MuteGate, isOpen: Bool, frames: Int) {
    var gate = gate
    gate.apply(to: right, frames: frames, quantum: frames, isOpen: isOpen)
    seam.process(right, frames: frames)
  }

  /// The peak of the microphone's right channel; 0 while it is not heard.
  @_noLocks @_noAllocation
  func microphonePeak(frames: Int) -> Float { isFed ? peak(input.own.start, frames: frames) : 0 }

  /// Begins to process its own channel.
  @_noLocks @_noAllocation
  private mutating func begin(isFresh: Bool, isOpen: Bool, _ cycle: borrowing Cycle) {
    isFed = true
    input.begin(isOpen: isOpen)
    // 10 ms more for the filters to settle.
    share = isFresh ? 1 : 0
    wait = 0
    guard cycle.isProcessing else { return }
    if !isFresh { wait = blocks.latency(quantum: cycle.frames) + tenMilliseconds }
    // What was played meanwhile, the chain has not heard.
    if hasRun { blocks.chain.resume() }
    if hasRun, quantum != cycle.frames { blocks.chain.echoPathChanged() }
    (hasRun, quantum) = (true, cycle.frames)
    blocks.restart(quantum: cycle.frames)
  }

  @_noLocks @_noAllocation
  private mutating func runChain(into right: UnsafeMutablePointer<Float>, frames: Int, old: UnsafeMutablePointer<RightSide>?) {
    let news = pathNews.next(controls)
    blocks.tell(news)
    old?.pointee.blocks.tell(news)
    blocks.process(input, into: right, frames: frames)
    guard !handOver.isOver, let old else { return }
    old.pointee.blocks.process(input, into: oldVoice.start, frames: frames)
    handOver.blend(old: oldVoice.start, into: right, frames: frames)
  }

  /// Accounts for lost frames; requires `BlockAdapter.canLose`.
  @_noLocks @_noAllocation
  mutating func lose(frames: Int, old: UnsafeMutablePointer<RightSide>?) {
    guard isFed else { return }
    blocks.lose(frames: frames)
    if !handOver.isOver { old?.pointee.blocks.lose(frames: frames) }
  }

  /// Starts a stream, as the left side does. `silence`: see `Seam.begin`; nil before the first stream.
  @_noLocks @_noAllocation
  mutating func restart(silence: Int?) {
    if let silence { seam.begin(silence: silence) }
    (isFresh, isFed, share, wait) = (true, false, 0, 0)
    handOver.cancel()
  }

  /// Ends the stream, because the voice has no consumer.
  @_noLocks @_noAllocation
  mutating func markIdle() {
    restart(silence: nil)
    seam.markIdle()
  }

  /// Continues another engine's right side in mid-stream, as `CapturePath.takeOver` does; nil if that had none.
  @_noLocks @_noAllocation
  mutating func takeOver(from old: UnsafeMutablePointer<RightSide>?, isProcessing: Bool, quantum: Int) {
    isFresh = false
    guard let old else { return }
    input.exchange(with: &old.pointee.input)
    seam.exchange(with: &old.pointee.seam)
    (share, wait, isFresh, isFed) = (old.pointee.share, old.pointee.wait, old.pointee.isFresh, old.pointee.isFed)
    adopt(from: old)
    guard isFed else { return }
    guard isProcessing else { return }
    (hasRun, self.quantum) = (true, quantum)
    blocks.restart(quantum: quantum)
    handOver.begin(latency: blocks.latency(quantum: quantum))
  }

  /// Adopts what is known of the talker.
  @_noLocks @_noAllocation
  mutating func adopt(from old: UnsafeMutablePointer<RightSide>?) {
    if let old { blocks.chain.adopt(old.pointee.blocks.chain) }
  }
}
