/// The chain of nearend's own engine, one hop of the canceller at a time: high-pass filter → combined echo canceller and noise suppressor →
/// voice detection and gain control → bypass. Everything always runs; switches only change what is heard. [realtime] except `init` and
/// `deinit`.
struct NearendChain: ~Copyable {
  /// The delay of the voice in frames, regardless of any switch.
  let delay: Int
  let block: Int
  let microphones: Int
  private(set) var readings = CaptureMeters()

  private(set) var ends: ChainEnds
  private var rails: RailWatch
  private let railMarks: Samples
  private var processor: FullDuplexProcessor
  private let controls: CaptureControlCells
  /// Threshold of the probability that the near end is present.
  private let isPresent: Float = 0.5
  /// 0.2 s: bridges the words of a near end that talks over the far end.
  private let nearEndHoldBlocks: Int
  private var nearEndHold = 0

  /// - Parameter microphones: 1…8.
  init(rate: Int, tuning: Tuning = .standard, controls: CaptureControlCells, microphones: Int = 1) {
    let processor = FullDuplexProcessor(rate: rate, tuning: tuning, microphones: microphones)
    let time = BlockTime(frames: processor.hop, rate: rate)
    block = processor.hop
    delay = processor.delay
    self.microphones = microphones
    ends = ChainEnds(time, delay: processor.delay, controls: controls, microphones: microphones)
    nearEndHoldBlocks = time.blocks(0.2)
    rails = RailWatch(time)
    railMarks = Samples(processor.hop)
    self.processor = processor
    self.controls = controls
  }

  @_noLocks @_noAllocation
  mutating func adopt(_ other: borrowing ChainEnds) { ends.adopt(other) }

  @_noLocks @_noAllocation
  mutating func echoPathChanged() { processor.echoPathChanged() }

  @_noLocks @_noAllocation
  mutating func changePlaces(ofFirstAnd place: Int) { if place < microphones { processor.changePlaces(ofFirstAnd: place) } }

  @_noLocks @_noAllocation
  mutating func scaleEcho(by factor: Float) {
    processor.scaleEcho(by: factor)
    ends.scaleEcho(by: factor)
  }

  @_noLocks @_noAllocation
  mutating func resume() { processor.resume() }

  @_noLocks @_noAllocation
  mutating func loseBlock() { processor.loseHop() }

  /// Processes one block in place; see `VoiceChain`.
  @_noLocks @_noAllocation
  mutating func process(
    _ samples: UnsafeMutablePointer<Float>, left: UnsafePointer<Float>, right: UnsafePointer<Float>, lost: Range<Int>,
    others: UnsafeMutablePointer<Float>? = nil, unheard: UnsafeMutablePointer<Float>?, open: UnsafeMutablePointer<Float>?
  ) {
    // The repair of clipped samples assumes the high-pass filter.
    let isClipped = rails.mark(samples, into: railMarks.start) && controls.isHighPassFilterEnabled.load()
    let microphonePower = meanSquare(ends.begin(samples, others: others), frames: block)
    processor.process(
      samples, left: left, right: right, railMarks: isClipped ? UnsafePointer(railMarks.start) : nil, lost: lost,
      cancelsEcho: controls.isEchoCancellationEnabled.load(), suppressesNoise: controls.suppressesNoise, open: open,
      others: others, beamforms: controls.isBeamformingEnabled.load())
    ends.listen(samples, power: processor.powerWithoutNetwork)
    processor.tell(&readings)
    nearEndHold = processor.nearEndPresence > isPresent ? nearEndHoldBlocks : max(nearEndHold - 1, 0)
    let isNearEnd = ends.detector.hasVoice && (nearEndHold > 0 || !readings.isFarEndActive)
    ends.end(
      samples, &readings, isNearEnd: isNearEnd, farEnd: processor.farEndPower, microphone: microphonePower, unheard: unheard, open: open)
  }
}
