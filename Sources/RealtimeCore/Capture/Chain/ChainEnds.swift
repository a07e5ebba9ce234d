/// The parts that both engines' chains share: the high-pass filter before the processors; after them voice detection, gain control, bypass
/// and the detection of talking while muted. [realtime] except `init` and `deinit`.
///
///     samples ─▶ begin: keep raw microphone, high-pass ─▶ processors ─▶ listen: voice? ─▶ end: gain, bypass, talk while muted
struct ChainEnds: ~Copyable {
  private(set) var detector: VoiceDetector
  private(set) var gain: GainControl
  private let block: Int
  /// The processors' delay in frames.
  private let delay: Int
  private var rumble: RumbleFilter
  private var raw: BlockDelay
  private var bypassFade: Crossfade
  private var talk: TalkWatch
  private var leak: LeakedEcho
  private var wasLate = false
  /// Seconds since an echo that comes too late was audible.
  private var lateQuietSeconds: Float = 0
  private var gate: LateEchoGate
  /// Seconds per block.
  private let seconds: Float
  /// Mean square of the processors' output.
  private var processedPower: Float = 0
  private let controls: CaptureControlCells
  /// Reduction in dB from which on an echo needs no gate, which takes the near end away with it.
  private let cancelled: Float = 20

  /// - Parameters:
  ///   - delay: the processors' delay in frames.
  ///   - microphones: 1…8.
  init(_ time: BlockTime, delay: Int, controls: CaptureControlCells, microphones: Int = 1) {
    block = time.frames
    self.delay = delay
    seconds = Float(time.seconds)
    self.controls = controls
    rumble = RumbleFilter(time, further: microphones - 1)
    raw = BlockDelay(longest: delay, block: time.frames)
    bypassFade = Crossfade(frames: time.frames, weight: 1)
    detector = VoiceDetector(rate: time.rate)
    gain = GainControl(time)
    talk = TalkWatch(time)
    leak = LeakedEcho(time)
    gate = LateEchoGate(rate: time.rate)
  }

  /// Adopts what another engine's ends have learnt about the talker.
  @_noLocks @_noAllocation
  mutating func adopt(_ other: borrowing ChainEnds) {
    detector = other.detector
    gain.adopt(other.gain)
  }

  /// Reports that the speaker's volume has changed by this factor.
  @_noLocks @_noAllocation
  mutating func scaleEcho(by factor: Float) { talk.scaleEcho(by: factor) }

  /// Runs before the processors, in place, also on a block of each further microphone. Returns the microphone after the high-pass filter,
  /// whether that is switched on or not: rumble is not echo. Valid until the processors run.
  @_noLocks @_noAllocation
  mutating func begin(_ samples: UnsafeMutablePointer<Float>, others: UnsafeMutablePointer<Float>? = nil) -> UnsafePointer<Float> {
    raw.push(samples)
    return rumble.process(samples, others: others, isOn: controls.isHighPassFilterEnabled.load())
  }

  /// Analyses the processors' output, whether it is heard or not, and a mean square by which an echo in it is found.
  @_noLocks @_noAllocation
  mutating func listen(_ processed: UnsafePointer<Float>, power: Float) {
    detector.update(processed, frames: block)
    processedPower = power
  }

  /// Runs after the processors, in place.
  ///
  /// - Parameters:
  ///   - readings: in: what the echo's meter measures, and `isFarEndActive`; out: also gain, voice and talking while muted, how long
  ///     the echo has not been cancelled, and what `LeakedEcho` knows better: delay and reduction of an echo beyond the canceller's
  ///     reach, and a lower reduction of any that leaks; unknown without an echo.
  ///   - isNearEnd: whether there is a voice other than residual echo.
  ///   - farEnd: mean square of the reference.
  ///   - microphone: mean square of what `begin` returned.
  ///   - unheard: the microphone's own signal if the block is silent because of a mute before processing (D1), otherwise nil; overwritten.
  ///   - open: receives the same gain, but is never bypassed.
  @_noLocks @_noAllocation
  mutating func end(
    _ samples: UnsafeMutablePointer<Float>, _ readings: inout CaptureMeters, isNearEnd: Bool, farEnd: Float, microphone: Float,
    unheard: UnsafeMutablePointer<Float>?, open: UnsafeMutablePointer<Float>?
  ) {
    let isBypassed = controls.isBypassed.load(), isCancelling = controls.isEchoCancellationEnabled.load()
    var microphonePower = microphone
    if let unheard { microphonePower = meanSquare(unheard, frames: block) }
    leak.update(
      farEnd: farEnd, microphone: microphonePower, voice: unheard == nil ? processedPower : nil, gate: gate.gain * gate.gain,
      isCancelling: isCancelling && !isBypassed)
    // Before it is known, such an echo is somebody who talks.
    if leak.isLate, !wasLate { gain.forget() }
    wasLate = leak.isLate
    let isNearEnd = isNearEnd && !leak.isOnlyEcho
    gate.process(samples, frames: block, isClosed: leak.isOnlyLateEcho && !(leak.erleBeforeGate >= cancelled), open: open)
    gain.process(
      samples, frames: block, isNearEnd: isNearEnd, isActive: detector.isActive, isFarEnd: readings.isFarEndActive,
      isOn: controls.controlsGain && !isBypassed, open: open)
    bypassFade.blend(wet: samples, dry: raw.late(by: delay), into: samples, frames: block, isOn: !isBypassed)

    talk.update(farEnd: farEnd)
    if let unheard {
      talk.update(unheard: unheard, isOnlyEcho: leak.isLate && leak.isOnlyEcho)
    } else {
      talk.update(
        isNearEnd: isNearEnd, isEcho: !isNearEnd && readings.isFarEndActive, microphone: microphone,
        reduction: readings.echoReduction, echoSeconds: readings.echoSeconds, lacksEcho: leak.lacksEcho,
        isMuted: controls.isMicrophoneMuted.load())
    }
    judge(&readings)
    readings.gain = gain.gain
    readings.hasVoice = unheard == nil ? isNearEnd : talk.hasVoice
    readings.isTalkingWhileMuted = talk.isTalking
  }

  /// Corrects what the echo's meter measures in windows that the processing holds to be echo.
  @_noLocks @_noAllocation
  private mutating func judge(_ readings: inout CaptureMeters) {
    // Without an echo, as with headphones, the meter measures a near end, which nothing cancels. A filter that takes the microphone away
    // knows its echo.
    let isCancelled = readings.erle >= EchoMeter.leastERLE && readings.echoReduction >= EchoVerdict.leastReduction
    let isEcho = isCancelled || leak.isEchoHeard || !leak.erle.isNaN || leak.isLate
    if !isEcho { (readings.erle, readings.echoReduction) = (.nan, .nan) }
    lateQuietSeconds = leak.isLateEchoAudible ? 0 : min(lateQuietSeconds + seconds, 3600)
    if leak.isLate {
      readings.quietSeconds = min(readings.quietSeconds, lateQuietSeconds)
      readings.echoDelay = leak.delay
      readings.echoReduction = leak.erle
      if !(readings.erle <= leak.erleBeforeGate) { readings.erle = leak.erleBeforeGate }
      readings.filtersEcho = readings.filtersEcho && leak.erleBeforeGate >= EchoVerdict.leastReduction
    } else {
      if leak.erle < readings.erle || readings.erle.isNaN { readings.erle = leak.erle }
      if leak.erle < readings.echoReduction || readings.echoReduction.isNaN { readings.echoReduction = leak.erle }
      readings.filtersEcho = readings.filtersEcho || !leak.isEchoHeard
    }
    if readings.filtersEcho, readings.echoReduction >= EchoVerdict.leastReduction {
      readings.uncancelledSeconds = 0
    } else if isEcho, readings.quietSeconds == 0, controls.isEchoCancellationEnabled.load() {
      readings.uncancelledSeconds = min(readings.uncancelledSeconds + seconds, 3600)
    }
  }
}
