internal import CAudioProcessing

/// The chain of the WebRTC engine, one block of 10 ms at a time: high-pass filter → echo canceller → noise suppressor → voice detection and
/// gain control → bypass. Every stage always runs; switches only change what is heard. [realtime] except `init` and `deinit`.
struct WebRTCChain: ~Copyable {
  /// The delay of the voice in frames, regardless of any switch.
  let delay: Int
  let block: Int
  private(set) var readings = CaptureMeters()

  private(set) var ends: ChainEnds
  private var echo: ProcessingStage
  private var noise: ProcessingStage
  /// Delays the voice like the noise suppressor, for voice isolation.
  private var noisy: BlockDelay
  private var echoMeter: EchoMeter
  private var echoDelay: EchoDelayEstimator
  private var placement: ReferencePlacement
  /// What `ChainEnds.begin` returned.
  private let microphone: Samples
  /// Mono, because the library takes one channel.
  private let reference: Samples
  private let placed: Samples
  private let controls: CaptureControlCells

  /// Before the near end has been heard alone, it counts over the far end from −40 dBFS; later from 10 dB below its own level.
  private let unknownTalker: Float = 1e-4
  private let knownTalker: Float = 0.1
  private let nearEndHoldBlocks = 20
  private var nearEndHold = 0
  /// A near end that was heard less than a second ago is assumed to be in mid-sentence.
  private let doubleTalkBlocks = 100
  private var onlyEchoBlocks = 0

  /// - Parameter library: nil if none is installed.
  /// - Throws: `CapturePathError.libraryMissing` or `.libraryRefused`.
  init(_ library: WebRTCLibrary?, rate: Int, controls: CaptureControlCells) throws(CapturePathError) {
    guard let library else { throw .libraryMissing }
    let block = rate / 100
    let echo = try ProcessingStage(library, NEAREND_ECHO_CANCELLER, block: block)
    let noise = try ProcessingStage(library, NEAREND_NOISE_SUPPRESSOR, block: block)
    self.block = block
    self.controls = controls
    delay = echo.delay + noise.delay
    ends = ChainEnds(BlockTime(frames: block, rate: 100 * block), delay: echo.delay + noise.delay, controls: controls)
    echoMeter = EchoMeter(BlockTime(frames: block, rate: 100 * block))
    self.echo = echo
    noisy = BlockDelay(longest: noise.delay, block: block)
    self.noise = noise
    echoDelay = EchoDelayEstimator(block: block)
    placement = ReferencePlacement(block: block)
    microphone = Samples(block)
    reference = Samples(block)
    placed = Samples(block)
  }

  @_noLocks @_noAllocation
  mutating func adopt(_ other: borrowing ChainEnds) { ends.adopt(other) }

  @_noLocks @_noAllocation
  mutating func echoPathChanged() {
    echoDelay.forget()
    placement.forget()
    echoMeter.pathChanged()
  }

  /// The library itself adapts to what it hears.
  @_noLocks @_noAllocation
  mutating func scaleEcho(by factor: Float) { ends.scaleEcho(by: factor) }

  /// Processes one block in place; see `VoiceChain`.
  @_noLocks @_noAllocation
  mutating func process(
    _ samples: UnsafeMutablePointer<Float>, left: UnsafePointer<Float>, right: UnsafePointer<Float>,
    unheard: UnsafeMutablePointer<Float>?, open: UnsafeMutablePointer<Float>?
  ) {
    for i in 0..<block { reference[i] = 0.5 * (left[i] + right[i]) }
    copy(ends.begin(samples), to: microphone.start, frames: block)
    let microphonePower = meanSquare(microphone.start, frames: block)
    placement.process(
      reference.start, into: placed.start, told: Int(controls.streamDelay.load()), measured: echoDelay.delay,
      isCancelled: echoMeter.isCancelling)
    if !echo.analyze(reference: placed.start) { readings.errors += 1 }
    if !echo.process(samples, isOn: controls.isEchoCancellationEnabled.load()) { readings.errors += 1 }
    if let open {
      noisy.push(samples)
      copy(noisy.late(by: noise.delay), to: open, frames: block)
    }
    if !noise.process(samples, isOn: controls.suppressesNoise) { readings.errors += 1 }

    let voicePower = meanSquare(noise.wet.start, frames: block)
    ends.listen(noise.wet.start, power: voicePower)
    let isNearEnd = hasNearEnd(voicePower)
    let referencePower = meanSquare(reference.start, frames: block)
    // The library tells no other output: the filter's and all that is cancelled are the same.
    let residual = meanSquare(echo.wet.start, frames: block)
    echoMeter.update(reference: referencePower, microphone: microphonePower, residual: residual, voice: residual, isNearEnd: isNearEnd)
    echoDelay.update(reference: reference.start, microphone: microphone.start, isFarEndActive: echoMeter.isFarEndActive)

    onlyEchoBlocks = isNearEnd || !echoMeter.isFarEndActive ? 0 : onlyEchoBlocks + 1
    if !echo.expect(onlyEcho: onlyEchoBlocks > doubleTalkBlocks) { readings.errors += 1 }

    echoMeter.tell(&readings)
    readings.echoDelay = echoDelay.delay
    ends.end(
      samples, &readings, isNearEnd: isNearEnd, farEnd: referencePower, microphone: microphonePower, unheard: unheard, open: open)
  }

  /// Returns whether there is a voice other than residual echo in a block of this power.
  @_noLocks @_noAllocation
  private mutating func hasNearEnd(_ power: Float) -> Bool {
    let threshold = ends.gain.speechPower() > 0 ? knownTalker * ends.gain.speechPower() : unknownTalker
    nearEndHold = power > threshold ? nearEndHoldBlocks : max(nearEndHold - 1, 0)
    return ends.detector.hasVoice && (nearEndHold > 0 || !echoMeter.isFarEndActive)
  }
}
