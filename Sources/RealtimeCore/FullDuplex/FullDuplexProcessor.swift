internal import CRealtime

/// nearend's own canceller, full duplex: passes near-end speech during double talk, and removes the far end (V10).
///
///     microphone ─▶ linear canceller ─▶ suppressor of residual echo and noise ─▶ voice
///     left, right ─────────┘   └── echo, uncertainty ──┘
///
/// With more than one microphone, the others have a linear canceller each, and the suppressor begins with a `Beamformer`.
///
/// Every stage runs whatever is switched on, except the canceller while the far end is silent; a switch changes what is heard, in one hop.
/// Own arrangement; each stage names its source. Delay: `delay`, a hop and 24 frames. Cost: some 15 transforms a hop in mono, 2.5 of them
/// the suppressor's, of which 2 run in silence, too. [realtime] except `init` and `deinit`.
struct FullDuplexProcessor: ~Copyable {
  /// Frames of a block: a power of two, 4 to 6 ms.
  let hop: Int
  /// Frames by which the voice lags the microphone: a hop for the suppressor's windows, and the delay of the drift resampler.
  let delay: Int

  private var linear: LinearCanceller
  private var suppressor: Suppressor
  private var meter: EchoMeter
  /// Probability of a near end above which the meter counts nothing.
  private let nearEnd: Float
  private var echoFade: Crossfade
  private var noiseFade: Crossfade
  /// Delays the microphone as much as the far end, so that an echo without delay still follows the far end; as much as the voice for when
  /// neither echo nor noise is suppressed.
  private var microphone: BlockDelay
  private var dryFade: Crossfade
  /// Delays the marks of the clipped samples as the microphone.
  private var marks: BlockDelay
  private var wasMarked = false
  /// The residual while it is not the linear canceller's own: during a fade, and where frames were lost.
  private let heard: Samples
  /// The first aligned hop after a lost one.
  private let afterLoss: Samples
  private var isAfterLoss = false
  private let silence: Samples
  private let array: ArrayInput
  /// Lost microphone frames of the next aligned hop.
  private var lostAhead = 0..<0
  /// Mean squares of the previous hop, because the voice is a hop late: of the microphone, negative before the first hop, of what the
  /// filter left of it, and of the far end; and `LinearCanceller.speechEnhancement`.
  private var formerPower: Float = -1
  private var formerResidual: Float = 0
  private var formerFarEnd: Float = 0
  private var formerSpeech: Float = 0

  /// Allocates everything. [control]
  /// - Parameters:
  ///   - rate: 16000…192000 Hz.
  ///   - microphones: 1…8, the main one first.
  init(rate: Int, tuning: Tuning = .standard, microphones: Int = 1) {
    let layout = FilterLayout(rate: rate)
    hop = layout.hop
    let linear = LinearCanceller(layout: layout, tuning: tuning, microphones: microphones)
    delay = layout.hop + linear.farEndDelay
    microphone = BlockDelay(longest: delay, block: layout.hop)
    marks = BlockDelay(longest: linear.farEndDelay, block: layout.hop)
    array = ArrayInput(count: microphones - 1, hop: layout.hop, delay: linear.farEndDelay)
    suppressor = Suppressor(layout: layout, tuning: tuning, microphones: microphones, transform: linear.transform)
    self.linear = linear
    meter = EchoMeter(BlockTime(frames: layout.hop, rate: rate), noiseSpan: tuning.echoMeter.noiseSpan)
    nearEnd = tuning.echoMeter.nearEnd
    echoFade = Crossfade(frames: layout.hop, weight: 1)
    noiseFade = Crossfade(frames: layout.hop, weight: 1)
    dryFade = Crossfade(frames: layout.hop, weight: 1)
    heard = Samples(layout.hop)
    afterLoss = Samples(layout.hop)
    silence = Samples(layout.hop)
  }

  /// Processes one hop in place.
  ///
  /// - Parameters:
  ///   - samples: the microphone; replaced by the voice.
  ///   - left: what the speaker plays; `right` is the same in mono.
  ///   - railMarks: of `RailWatch`, for the microphone before its high-pass filter; nil if no sample is clipped.
  ///   - lost: the frames of all three inputs that are unknown; they are zeros.
  ///   - open: receives the voice without noise suppression; nil if unused.
  ///   - others: a hop of each further microphone, one after another; silence if nil.
  ///   - beamforms: whether all microphones are heard as one, or the main one alone.
  @_noLocks @_noAllocation
  mutating func process(
    _ samples: UnsafeMutablePointer<Float>, left: UnsafePointer<Float>, right: UnsafePointer<Float>,
    railMarks: UnsafePointer<Float>? = nil, lost: Range<Int> = 0..<0, cancelsEcho: Bool, suppressesNoise: Bool,
    open: UnsafeMutablePointer<Float>? = nil, others: UnsafePointer<Float>? = nil, beamforms: Bool = true
  ) {
    let mode = rt_flush_denormals()
    defer { rt_restore_denormals(mode) }
    microphone.push(samples)
    let isMarked = railMarks != nil || wasMarked
    if isMarked { marks.push(railMarks ?? UnsafePointer(silence.start)) }
    wasMarked = railMarks != nil
    let further = array.count > 0 ? array.align(others, isAfterLoss: isAfterLoss) : nil
    let aligned = alignedMicrophone()
    linear.process(
      aligned, left: left, right: right, railMarks: isMarked ? marks.late(by: linear.farEndDelay) : nil, others: further)
    if linear.hasBegunAnew { meter.doubt() }
    let filtered = linear.hop()
    let fade = echoFade, lost = lostRanges(lost)
    let residual = silenced(
      echoFade.blend(wet: filtered.residual, dry: aligned, scratch: heard.start, frames: hop, isOn: cancelsEcho), in: lost)
    let others = array.count > 0 ? array.hop(main: aligned, linear.followers.view, fade: fade, cancelsEcho: cancelsEcho, lost: lost) : nil
    noiseFade.move(frames: hop, isOn: suppressesNoise)
    suppressor.process(
      filtered, residual: residual, linearERLE: meter.erle(), echoShare: echoFade.weight, noiseShare: noiseFade.weight, into: samples,
      open: open, others: others, beamforms: beamforms)
    dryFade.blend(
      wet: samples, dry: microphone.late(by: delay), into: samples, frames: hop,
      isOn: cancelsEcho || suppressesNoise || suppressor.isBeamHeard)
    voicePower = meanSquare(samples, frames: hop)
    if formerPower >= 0 {
      meter.update(
        reference: formerFarEnd, microphone: formerPower, residual: formerResidual, voice: voicePower,
        speech: formerSpeech, noise: suppressor.noisePower, isNearEnd: nearEndPresence > nearEnd, isHeard: echoFade.weight == 1)
    }
    formerPower = linear.microphone.power
    formerResidual = linear.isPassing ? linear.microphone.power : meanSquare(filtered.residual, frames: hop)
    formerFarEnd = linear.farEnd.power
    formerSpeech = linear.speechEnhancement()
  }

  /// Accounts for a hop without a cycle. Its far end counts as silent, so that the echo of earlier sound is still expected at the right
  /// time; the output continues after it.
  @_noLocks @_noAllocation
  mutating func loseHop() {
    let mode = rt_flush_denormals()
    defer { rt_restore_denormals(mode) }
    if wasMarked { marks.push(silence.start) }
    wasMarked = false
    linear.loseHop(silence.start)
    lostAhead = 0..<linear.farEndDelay
    isAfterLoss = true
  }

  /// Returns the microphone as late as the far end: after a lost hop, without the end of the hop before, which would be late by a hop.
  @_noLocks @_noAllocation
  private mutating func alignedMicrophone() -> UnsafePointer<Float> {
    let aligned = microphone.late(by: linear.farEndDelay)
    if !isAfterLoss { return aligned }
    isAfterLoss = false
    copy(aligned, to: afterLoss.start, frames: hop)
    clear(afterLoss.start, frames: linear.farEndDelay)
    return UnsafePointer(afterLoss.start)
  }

  /// Returns the frames of the aligned hop in which the residual is only the negated echo estimate, because the microphone's were lost: of
  /// this hop and of the one before.
  @_noLocks @_noAllocation
  private mutating func lostRanges(_ lost: Range<Int>) -> (Range<Int>, Range<Int>) {
    let ahead = lostAhead
    lostAhead = 0..<0
    if lost.isEmpty { return (ahead, 0..<0) }
    let first = lost.lowerBound + linear.farEndDelay, end = lost.upperBound + linear.farEndDelay
    if end > hop { lostAhead = max(first - hop, 0)..<end - hop }
    return (ahead, first < hop ? first..<min(end, hop) : 0..<0)
  }

  /// Returns a residual that is silent in both ranges: `residual` itself if they are empty.
  // `mutating`: Swift 6.3 copies the structure for a method that is not.
  @_noLocks @_noAllocation
  private mutating func silenced(_ residual: UnsafePointer<Float>, in lost: (Range<Int>, Range<Int>)) -> UnsafePointer<Float> {
    if lost.0.isEmpty, lost.1.isEmpty { return residual }
    copy(residual, to: heard.start, frames: hop)
    clear(heard + lost.0.lowerBound, frames: lost.0.count)
    clear(heard + lost.1.lowerBound, frames: lost.1.count)
    return UnsafePointer(heard.start)
  }

  /// Reports another loudspeaker or microphone: the filters adapt fast, and search for the echo's delay again.
  @_noLocks @_noAllocation
  mutating func echoPathChanged() {
    linear.doubt()
    meter.pathChanged()
  }

  /// Reports that the main microphone and a further one of the array, by its place, 1…7, have changed places: what is known of each goes
  /// with it.
  @_noLocks @_noAllocation
  mutating func changePlaces(ofFirstAnd place: Int) {
    linear.exchange(withFollower: place - 1)
    meter.pathChanged()
    suppressor.changePlaces(ofFirstAnd: place)
  }

  /// Reports that the speaker's volume has changed by this factor.
  @_noLocks @_noAllocation
  mutating func scaleEcho(by factor: Float) { linear.scaleEcho(by: factor) }

  /// Resumes after a pause without a consumer of the voice.
  @_noLocks @_noAllocation
  mutating func resume() {
    linear.resume()
    suppressor.resume()
  }

  /// Tells what it measures of the echo.
  @_noLocks @_noAllocation
  func tell(_ meters: inout CaptureMeters) {
    meter.tell(&meters)
    meters.echoDelay = linear.echoDelay
  }
  /// Mean square of the newest hop of the voice.
  private(set) var voicePower: Float = 0
  /// The same without what the network takes away besides. An echo that only the network knows is not cancelled: by this it is found.
  var powerWithoutNetwork: Float {
    @_noLocks @_noAllocation get { suppressor.uncorrectedPower < 0 ? voicePower : suppressor.uncorrectedPower }
  }
  /// Mean square of the newest hop of the far end's louder side.
  var farEndPower: Float {
    @_noLocks @_noAllocation get { linear.farEnd.power }
  }
  /// The probability of near-end speech, 0…1, as opposed to residual echo or noise.
  var nearEndPresence: Float {
    @_noLocks @_noAllocation get { suppressor.nearEndPresence }
  }
}
