internal import CAudioProcessing

/// The row of stages, one block of 10 ms at a time: high-pass filter → echo canceller → noise suppressor → voice detection and gain control →
/// bypass. Every stage always runs; what a switch changes is what is heard. [realtime] but for `init` and `deinit`.
struct CaptureChain: ~Copyable {
  /// Frames by which the voice is later than the microphone, whatever is switched.
  let delay: Int
  let block: Int

  private var highPass: Biquad
  private var highPassFade: Crossfade
  private var echo: ProcessingStage
  private var noise: ProcessingStage
  private var detector: VoiceDetector
  private var gain = GainControl()
  private var raw: BlockDelay
  private var bypassFade: Crossfade
  private var talk: TalkWatch
  private var echoMeter = EchoMeter()
  private var echoDelay: EchoDelayEstimator
  private var placement: ReferencePlacement
  private let placed: UnsafeMutablePointer<Float>
  private let filtered: UnsafeMutablePointer<Float>
  private let bypassed: UnsafeMutablePointer<Float>
  private let controls: CaptureControlCells
  private let meters: CaptureMeterCells

  /// A near end that has not been heard alone yet counts while the far end plays from −40 dBFS; later from 10 dB below its own level.
  private let unknownTalker: Float = 1e-4
  private let knownTalker: Float = 0.1
  private let nearEndHoldBlocks = 20
  private var nearEndHold = 0
  /// A near end that was heard less than a second ago is taken to be in the middle of its sentence.
  private let doubleTalkBlocks = 100
  private var onlyEchoBlocks = 0
  /// Changes of the echo's path that have been heard of.
  private var pathChanges: Int

  /// - Throws: `CapturePathError.libraryRefused`.
  init(block: Int, controls: CaptureControlCells, meters: CaptureMeterCells) throws(CapturePathError) {
    let echo = try ProcessingStage(NEAREND_ECHO_CANCELLER, block: block)
    let noise = try ProcessingStage(NEAREND_NOISE_SUPPRESSOR, block: block)
    self.block = block
    self.controls = controls
    self.meters = meters
    // 90 Hz: speech has nothing below; tables, fans and mains have.
    highPass = .highPass(90, rate: 100 * block)
    highPassFade = Crossfade(frames: block, weight: 1)
    delay = echo.delay + noise.delay
    raw = BlockDelay(delay: echo.delay + noise.delay, block: block)
    self.echo = echo
    self.noise = noise
    detector = VoiceDetector(block: block)
    bypassFade = Crossfade(frames: block, weight: 1)
    pathChanges = controls.pathChanges.count()
    talk = TalkWatch(block: block)
    echoDelay = EchoDelayEstimator(block: block)
    placement = ReferencePlacement(block: block)
    placed = .silence(block)
    filtered = .silence(block)
    bypassed = .silence(block)
  }

  deinit {
    placed.deallocate()
    filtered.deallocate()
    bypassed.deallocate()
  }

  /// One block in place: the microphone in, the voice out. `unheard` is the microphone's own sound where `samples` is silent because it is muted before
  /// processing (D1), else nil; it is overwritten.
  @_noLocks @_noAllocation
  mutating func process(
    _ samples: UnsafeMutablePointer<Float>, reference: UnsafePointer<Float>, unheard: UnsafeMutablePointer<Float>? = nil
  ) {
    let isBypassed = controls.isBypassed.isOn()
    if pathChanges != controls.pathChanges.count() {
      pathChanges = controls.pathChanges.count()
      echoDelay.forget()
      placement.forget()
    }
    raw.process(samples, into: bypassed)

    highPass.process(samples, into: filtered, frames: block)
    highPassFade.blend(
      wet: filtered, dry: samples, into: samples, frames: block, isOn: controls.isHighPassFilterEnabled.isOn())

    // The meters listen behind the high-pass filter whether it is heard or not: rumble is no echo.
    let microphonePower = meanSquare(filtered, frames: block)
    placement.process(
      reference, into: placed, told: controls.streamDelay.count(), measured: echoDelay.delay, isCancelled: echoMeter.isCancelling)
    if !echo.analyze(reference: placed) { meters.errors.increment() }
    if !echo.process(samples, isOn: controls.isEchoCancellationEnabled.isOn()) { meters.errors.increment() }
    if !noise.process(samples, isOn: controls.isNoiseSuppressionEnabled.isOn()) { meters.errors.increment() }

    detector.update(noise.wet)
    let isNearEnd = hasNearEnd()
    let referencePower = meanSquare(reference, frames: block)
    echoMeter.update(
      reference: referencePower, microphone: microphonePower,
      residual: meanSquare(echo.wet, frames: block), isNearEnd: isNearEnd)
    echoDelay.update(reference: reference, microphone: filtered, isFarEndActive: echoMeter.isFarEndActive)

    onlyEchoBlocks = isNearEnd || !echoMeter.isFarEndActive ? 0 : onlyEchoBlocks + 1
    if !echo.expect(onlyEcho: onlyEchoBlocks > doubleTalkBlocks) { meters.errors.increment() }

    gain.process(
      samples, frames: block, isNearEnd: isNearEnd, isActive: detector.isActive, isFarEnd: echoMeter.isFarEndActive,
      isOn: controls.isGainControlEnabled.isOn() && !isBypassed)
    bypassFade.blend(wet: samples, dry: bypassed, into: samples, frames: block, isOn: !isBypassed)

    talk.hear(farEnd: referencePower)
    if let unheard {
      talk.update(unheard: unheard)
    } else {
      talk.update(
        isNearEnd: isNearEnd, isEcho: !isNearEnd && echoMeter.isFarEndActive, microphone: microphonePower, erle: echoMeter.erle(),
        isMuted: controls.isMicrophoneMuted.isOn())
    }
    publish(hasVoice: unheard == nil ? isNearEnd : talk.hasVoice)
  }

  /// A voice, and not what is left of the far end's.
  @_noLocks @_noAllocation
  private mutating func hasNearEnd() -> Bool {
    let threshold = gain.speechPower() > 0 ? knownTalker * gain.speechPower() : unknownTalker
    nearEndHold = meanSquare(noise.wet, frames: block) > threshold ? nearEndHoldBlocks : max(nearEndHold - 1, 0)
    return detector.hasVoice && (nearEndHold > 0 || !echoMeter.isFarEndActive)
  }

  @_noLocks @_noAllocation
  private func publish(hasVoice: Bool) {
    meters.erle.set(echoMeter.erle())
    meters.echoDelay.set(echoDelay.delay)
    meters.gain.set(gain.gain)
    meters.hasVoice.set(hasVoice)
    meters.isTalkingWhileMuted.set(talk.isTalking)
    meters.isFarEndActive.set(echoMeter.isFarEndActive)
    meters.echoSeconds.set(echoMeter.echoSeconds)
    meters.quietSeconds.set(echoMeter.quietSeconds)
  }
}
