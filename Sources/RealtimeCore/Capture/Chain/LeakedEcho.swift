internal import CRealtime

/// Finds the far end in microphone and voice at any delay up to 3 s. An echo that begins beyond the canceller's reach looks like a near end
/// to it, and escapes `EchoMeter`; here it is judged by what follows the far end, not by what the processing takes for an echo. Tells as
/// well whether there is an echo in the microphone at all: there is none of headphones, whoever talks. [realtime] except `init` and
/// `deinit`.
///
/// Correlates level changes within syllables. Slower changes are ignored, because people who take turns follow each other, too.
struct LeakedEcho: ~Copyable {
  /// Microphone over voice in dB while the microphone follows the far end too late for the canceller, or the voice follows it at all;
  /// otherwise NaN.
  private(set) var erle = Float.nan
  /// The same before `LateEchoGate`.
  private(set) var erleBeforeGate = Float.nan
  /// A Boolean value indicating whether the microphone follows the far end, at any delay.
  private(set) var isEchoHeard = false
  /// A Boolean value indicating whether the microphone holds an echo that begins too late for the canceller.
  var isLate: Bool {
    @_noLocks @_noAllocation get { lateDelay > 0 }
  }
  /// The delay of that echo in seconds, to a frame of 20 ms; NaN without one.
  var delay: Float {
    @_noLocks @_noAllocation get { isLate ? Float(lateDelay) * frameSeconds : .nan }
  }
  /// A Boolean value indicating whether the far end has spoken for some 6 s since an echo was last heard, if ever.
  var lacksEcho: Bool {
    @_noLocks @_noAllocation get { unheardEnergy > 2 * LevelCorrelation.least }
  }
  /// A Boolean value indicating whether what is heard is the far end's echo alone, which processing has left.
  var isOnlyEcho: Bool {
    @_noLocks @_noAllocation get { followed != .none && !forecast.hasNearEnd }
  }
  /// A Boolean value indicating whether an echo too late for the canceller is heard, or about to be.
  var isLateEchoAudible: Bool {
    @_noLocks @_noAllocation get { isLate && forecast.isAudible }
  }
  /// A Boolean value indicating whether an echo too late for the canceller is heard, or about to be, and no near end.
  var isOnlyLateEcho: Bool {
    @_noLocks @_noAllocation get { isLateEchoAudible && isOnlyEcho }
  }

  /// The signal that follows the far end, and that `forecast` tells from a near end.
  private enum Followed { case none, microphone, voice }

  /// Delays of 0…3 s, one frame of 20 ms apart; a multiple of 8.
  private let delays = 152
  /// The first delay at which a response hardly begins within the canceller's reach, 0.46 s.
  private let firstLate: Int
  private let frameSeconds: Float
  private let blocksPerFrame: Int
  private var blocks = 0
  /// Mean squares of the frame that is being collected.
  private var farEnd: Float = 0
  private var microphone: Float = 0
  private var voice: Float = 0
  private var heard: Float = 0
  private var isVoiceKnown = true
  private var isForgotten = true

  private var farEndLevel = SyllableLevel()
  private var voiceLevel = SyllableLevel()
  private var microphoneLevel = SyllableLevel()
  /// The far end's newest frames, from `newest` on: the change of level in dB, in a ring that is stored twice so that all delays lie in one
  /// piece, and mean squares, in a ring.
  private let changes, levels: Samples
  private var newest = 0
  /// Per delay: the far end squared, summed over some 10 s.
  private let farEndEnergy: Samples
  private var inVoice: LevelCorrelation
  private var inMicrophone: LevelCorrelation
  /// The far end squared, summed since its echo was last heard.
  private var unheardEnergy: Float = 0
  /// In frames; 0 without a late echo.
  private var lateDelay = 0
  private var followed = Followed.none
  private var forecast: EchoForecast
  /// Mean squares of microphone, voice and what the gate leaves of it over about a second, in frames in which the far end was audible at
  /// the delay found; of a late echo, in those that held nothing else.
  private var before: Float = 0
  private var after: Float = 0
  private var afterGate: Float = 0
  /// Frames of a late echo measured, at most `enough`: half a second.
  private var measured = 0
  private let enough = 25

  private let step: Float = 0.02
  /// Squared correlation. Recorded talkers stay below 0.5, even where they take turns every 0.8 s; their echoes are above 0.6.
  private let follows: Float = 0.55 * 0.55
  /// The same, from which on a late echo is acted upon: recorded ones reach it within 4 to 7 s.
  private let proves: Float = 0.6 * 0.6
  /// The same, of a late echo that is known, and over which somebody may talk.
  private let stillFollows: Float = 0.3 * 0.3

  init(_ time: BlockTime) {
    blocksPerFrame = time.blocks(0.02)
    let frame = BlockTime(frames: blocksPerFrame * time.frames, rate: time.rate)
    frameSeconds = Float(frame.seconds)
    firstLate = frame.blocks(0.46)
    changes = Samples(2 * delays)
    levels = Samples(delays)
    farEndEnergy = Samples(delays)
    inVoice = LevelCorrelation(delays: delays)
    inMicrophone = LevelCorrelation(delays: delays)
    forecast = EchoForecast(frame)
  }

  /// Updates with the mean squares of one block. Measures nothing while echo is not cancelled.
  ///
  /// - Parameters:
  ///   - farEnd: the reference.
  ///   - voice: the processors' output; nil while the microphone is muted before it.
  ///   - gate: power gain of `LateEchoGate` behind it.
  @_noLocks @_noAllocation
  mutating func update(farEnd: Float, microphone: Float, voice: Float?, gate: Float = 1, isCancelling: Bool) {
    guard isCancelling else { return forget() }
    isForgotten = false
    self.farEnd += farEnd
    self.microphone += microphone
    self.voice += voice ?? 0
    heard += gate * (voice ?? 0)
    if voice == nil { isVoiceKnown = false }
    blocks += 1
    guard blocks == blocksPerFrame else { return }
    let share = 1 / Float(blocks)
    noteFarEnd(self.farEnd * share)
    measureFrame(microphone: self.microphone * share, voice: self.voice * share, heard: heard * share)
    (blocks, self.farEnd, self.microphone, self.voice, heard, isVoiceKnown) = (0, 0, 0, 0, 0, true)
  }

  @_noLocks @_noAllocation
  private mutating func noteFarEnd(_ farEnd: Float) {
    newest = newest == 0 ? delays - 1 : newest - 1
    let change = farEndLevel.change(farEnd)
    (changes[newest], changes[newest + delays]) = (change, change)
    levels[newest] = farEnd
    // Local copies: Swift 6.3 fails to compile direct accesses under ThreadSanitizer.
    let energy = farEndEnergy.start, then = changes + newest
    for delay in stride(from: 0, to: delays, by: 8) {
      let x = load8(then + delay)
      let sum: SIMD8<Float> = LevelCorrelation.memory * load8(energy + delay) + x * x
      store8(sum, to: energy + delay)
    }
  }

  @_noLocks @_noAllocation
  private mutating func measureFrame(microphone: Float, voice: Float, heard: Float) {
    let then = UnsafePointer(changes + newest), energy = UnsafePointer(farEndEnergy.start)
    inVoice.update(isVoiceKnown ? voiceLevel.change(voice) : 0, farEnd: then, farEndEnergy: energy)
    inMicrophone.update(microphoneLevel.change(microphone), farEnd: then, farEndEnergy: energy)
    listen()
    let leak = inVoice.strongest(in: 0..<delays)
    let follower: Followed = isLate ? .microphone : leak.strength > follows ? .voice : .none
    if follower != followed { forecast.forget() }
    if follower != followed, follower == .microphone || followed == .microphone { (before, after, afterGate, measured) = (0, 0, 0, 0) }
    followed = follower
    let delay = isLate ? lateDelay : leak.delay
    if followed != .none, isVoiceKnown || isLate {
      // The next frame's echo counts as well: the forecast is to be early rather than late.
      var farEnd: Float = 0
      for age in max(delay - 1, 0)...min(delay + 1, delays - 1) { farEnd = max(farEnd, levels[(newest + age) % delays]) }
      forecast.update(farEnd: farEnd, signal: isLate ? microphone : voice, isSure: !isLate || isEchoHeard)
    }
    if isVoiceKnown { compare(microphone: microphone, voice: voice, heard: heard, delay: delay) }
  }

  /// Updates `isEchoHeard`, `lateDelay` and `lacksEcho`.
  @_noLocks @_noAllocation
  private mutating func listen() {
    let early = inMicrophone.strongest(in: 0..<firstLate), late = inMicrophone.strongest(in: firstLate..<delays)
    isEchoHeard = max(early.strength, late.strength) > follows
    let change = changes[newest]
    unheardEnergy = isEchoHeard ? 0 : min(unheardEnergy + change * change, 3 * LevelCorrelation.least)
    // A far end that repeats itself resembles its own past: an echo within reach explains that as well.
    if late.strength > proves, early.strength < 0.64 * late.strength {
      lateDelay = late.delay
    } else if isLate {
      let near = inMicrophone.strongest(in: max(lateDelay - 2, firstLate)..<min(lateDelay + 3, delays))
      if near.strength < stillFollows || early.strength > near.strength && early.strength > follows { lateDelay = 0 }
    }
  }

  /// Updates `erle` and `erleBeforeGate`.
  @_noLocks @_noAllocation
  private mutating func compare(microphone: Float, voice: Float, heard: Float, delay: Int) {
    if isLate ? forecast.isExplained : levels[(newest + delay) % delays] > EchoMeter.farEndThreshold {
      before += step * (microphone - before)
      after += step * (voice - after)
      afterGate += step * (heard - afterGate)
      measured = min(measured + 1, enough)
    }
    let isKnown = isLate ? measured == enough : followed == .voice
    erle = isKnown ? ratio(before, over: afterGate) : .nan
    erleBeforeGate = isKnown ? ratio(before, over: after) : .nan
  }

  @_noLocks @_noAllocation
  private func ratio(_ before: Float, over after: Float) -> Float { 10 * rt_log10f(max(before, 1e-12) / max(after, 1e-12)) }

  @_noLocks @_noAllocation
  private mutating func forget() {
    if isForgotten { return }
    isForgotten = true
    (blocks, farEnd, microphone, voice, heard, isVoiceKnown) = (0, 0, 0, 0, 0, true)
    (before, after, afterGate, measured, erle, erleBeforeGate) = (0, 0, 0, 0, .nan, .nan)
    clear(changes.start, frames: 2 * delays)
    clear(levels.start, frames: delays)
    clear(farEndEnergy.start, frames: delays)
    inVoice.forget()
    inMicrophone.forget()
    forecast.forget()
    (unheardEnergy, isEchoHeard, lateDelay, followed) = (0, false, 0, .none)
  }
}
