internal import CRealtime

/// Measures during echo alone how far the echo is reduced: by the canceller's filter (ERLE, ITU-T G.168), and in all, by the suppressor
/// behind it, too. Averaged in dB, so that the first syllable of an undetected near end does not outweigh seconds of silence. [realtime]
struct EchoMeter {
  /// A Boolean value indicating whether the far end plays, or did within the last 0.2 s.
  private(set) var isFarEndActive = false
  /// As in `CaptureMeters`.
  private var echoSeconds: Float = 0
  private var quietSeconds: Float = 0
  /// The ERLE in dB: the microphone over what the filter leaves of it, echo and noise; NaN before half a second of echo. The network is
  /// told this one.
  @_noLocks @_noAllocation func erle() -> Float {
    measured < 0.5 ? .nan : average
  }
  /// Tells what it measures. The ERLE for people: unlike `erle`, NaN before half a second of a changed path's echo, and soon after a change
  /// no more than what is heard of it in all; and the reduction alike.
  @_noLocks @_noAllocation
  func tell(_ meters: inout CaptureMeters) {
    meters.isFarEndActive = isFarEndActive
    meters.echoSeconds = echoSeconds
    meters.quietSeconds = quietSeconds
    meters.erle = told(average, restPower)
    meters.echoReduction = told(wholeAverage, voicePower)
    // The echo, or that of speech; or what the filter leaves is softer than any talker or the room's noise.
    meters.filtersEcho = measured >= 0.5 && (average >= Self.leastERLE || speechAverage >= Self.leastERLE || restAverage <= 0)
  }

  /// A Boolean value indicating whether the last half second of echo was reduced by 15 dB. Unlike `erle` it assumes no near end, because an
  /// echo that has left the canceller's filter sounds like one.
  var isCancelling: Bool {
    @_noLocks @_noAllocation get { measured >= 0.5 && before > evidence * after }
  }

  /// Mean squares over the last half second of echo, before and after the canceller.
  private var before: Float = 0
  private var after: Float = 0
  private var hold = 0
  private var floor: NoiseFloor
  private var average: Float = 0
  private var wholeAverage: Float = 0
  private var speechAverage: Float = 0
  /// What the filter leaves, in dB over what is inaudible.
  private var restAverage: Float = 0
  /// Seconds of echo measured.
  private var measured: Float = 0
  /// The same, since the echo path was last found to have changed.
  private var sinceChange: Float = 0
  /// Mean squares in the same blocks as the averages in dB: of the microphone, of what the filter leaves, and of the voice.
  private var inputPower: Float = 0
  private var restPower: Float = 0
  private var voicePower: Float = 0
  /// Blocks of echo since one that was well cancelled. Between words of the near end there is one; if the canceller fails there is none.
  private var sinceEvidence: Int
  /// Blocks for which a detected near end is assumed to continue: between its words it is too quiet to tell from echo.
  private var nearEnd = 0

  /// Mean square up to which the far end counts as silent: −60 dBFS, below which nobody talks, however softly.
  static var farEndThreshold: Float {
    @_noLocks @_noAllocation get { 1e-6 }
  }
  private let holdBlocks: Int
  /// Echo counts as audible from 6 dB above what the microphone hears without it.
  private let audible: Float = 4
  /// The least ERLE in dB of a filter that knows the echo: it has 10 to 35, with a bad loudspeaker, too. Without it the suppressor alone
  /// takes the echo away, and a near end with it.
  static var leastERLE: Float {
    @_noLocks @_noAllocation get { 6 }
  }
  /// −50 dBFS: what a filter may leave of the echo of headphones.
  private let soft: Float = 1e-5
  /// `EchoVerdict.leastReduction` as a ratio.
  private let evidence: Float
  /// 5 s: how long a near end that talks over the far end is assumed without further evidence.
  private let longestBelief: Int
  private let nearEndBlocks: Int
  /// Seconds of echo after a change in which an average in dB would hide that the echo was heard for a moment.
  private let cautious: Float = 2
  /// Seconds per block.
  private let seconds: Float
  /// Smoothing per block, for half a second.
  private let step: Float

  /// - Parameter noiseSpan: seconds over which the room's noise is found.
  init(_ time: BlockTime, noiseSpan: Double = 1.6) {
    floor = NoiseFloor(time, span: noiseSpan)
    holdBlocks = time.blocks(0.2)
    longestBelief = time.blocks(5)
    nearEndBlocks = time.blocks(0.5)
    seconds = Float(time.seconds)
    step = 2 * Float(time.seconds)
    sinceEvidence = longestBelief
    evidence = rt_powf(10, 0.1 * EchoVerdict.leastReduction)
  }

  /// Reports another echo path: what was measured of the former one is not told of this one.
  @_noLocks @_noAllocation
  mutating func pathChanged() { (sinceChange, echoSeconds) = (0, 0) }

  /// Reports that the canceller has begun anew, because it takes the echo path for another one.
  @_noLocks @_noAllocation
  mutating func doubt() { sinceChange = min(sinceChange, 0.5) }

  /// Returns what is told of an average in dB, and of the mean square of the same signal.
  @_noLocks @_noAllocation
  private func told(_ average: Float, _ power: Float) -> Float {
    if sinceChange < 0.5 { return .nan }
    return sinceChange < cautious ? min(average, 10 * rt_log10f(max(inputPower, 1e-12) / max(power, 1e-12))) : average
  }

  /// Updates with the mean squares of one block: the reference, the canceller's input, what its filter leaves, and its output.
  ///
  /// - Parameters:
  ///   - speech: the microphone over what the filter leaves of it in the frequencies of speech, where the filter is longest; 0 if unknown.
  ///   - noise: mean square of the room's noise as far as the canceller knows it: the meter learns it only in pauses of the far end.
  ///   - isHeard: whether the output is the canceller's. Otherwise the meter tells whether the far end is active, and how long the echo has
  ///     been inaudible, but measures no ERLE.
  @_noLocks @_noAllocation
  mutating func update(
    reference: Float, microphone input: Float, residual: Float, voice output: Float, speech: Float = 0, noise: Float = 0, isNearEnd: Bool,
    isHeard: Bool = true
  ) {
    nearEnd = isNearEnd ? nearEndBlocks : max(nearEnd - 1, 0)
    hold = reference > Self.farEndThreshold ? holdBlocks : max(hold - 1, 0)
    isFarEndActive = hold > 0
    // The floor is learnt only while the far end is silent; otherwise its own echo would become part of it.
    if !isFarEndActive { floor.update(power: input) }
    let background = floor.power.isFinite ? floor.power : 1e-7
    guard isFarEndActive, input > max(audible * background, 1e-8) else {
      quietSeconds = min(quietSeconds + seconds, 3600)
      return
    }
    quietSeconds = 0
    if !isHeard { return }
    before += step * (input - before)
    after += step * (output - after)
    let isNearEnd = nearEnd > 0
    echoSeconds = min(echoSeconds + seconds, 3600)
    let isEvidence = measured >= 0.5 && input > evidence * output
    sinceEvidence = isEvidence ? 0 : min(sinceEvidence + 1, longestBelief)
    if isNearEnd && sinceEvidence > 0 && sinceEvidence < longestBelief { return }
    measured = min(measured + seconds, 3600)
    let weight = max(step, seconds / measured), level = 10 * rt_log10f(input), rest = 10 * rt_log10f(max(residual, 1e-12))
    average += weight * (level - rest - average)
    wholeAverage += weight * (level - 10 * rt_log10f(max(output, 1e-12)) - wholeAverage)
    speechAverage += weight * (10 * rt_log10f(max(speech, 1e-12)) - speechAverage)
    restAverage += weight * (rest - 10 * rt_log10f(max(audible * max(background, noise), soft)) - restAverage)
    sinceChange = min(sinceChange + seconds, 3600)
    let share = max(step, seconds / sinceChange)
    inputPower += share * (input - inputPower)
    restPower += share * (residual - restPower)
    voicePower += share * (output - voicePower)
  }
}
