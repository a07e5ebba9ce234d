internal import CRealtime

/// Detects whether the voice follows the far end, at any delay up to 3 s: an echo beyond the canceller's reach looks like a near end, and
/// escapes `EchoMeter`. Tells as well whether there is an echo in the microphone at all: there is none of headphones, whoever talks.
/// [realtime] except `init` and `deinit`.
///
/// Correlates level changes within syllables. Slower changes are ignored, because people who take turns follow each other, too.
struct LeakedEcho: ~Copyable {
  /// Microphone over voice in dB while the voice follows the far end; otherwise NaN.
  private(set) var erle = Float.nan
  /// The delay at which the voice follows the far end, in seconds, to 20 ms; valid while `erle` is known.
  private(set) var delay: Float = 0
  /// A Boolean value indicating whether what is heard now is the far end's echo: the voice follows the far end, which was audible at that
  /// delay a moment ago. Neither is it anybody's voice, nor may it be raised.
  var isHeard: Bool {
    @_noLocks @_noAllocation get { hold > 0 && !erle.isNaN }
  }
  /// A Boolean value indicating whether the microphone follows the far end, at a delay within the canceller's reach.
  private(set) var isEchoHeard = false
  /// A Boolean value indicating whether the far end has spoken for some 6 s since an echo was last heard, if ever.
  var lacksEcho: Bool {
    @_noLocks @_noAllocation get { unheardEnergy > 2 * least }
  }

  /// Delays of 0…3 s, one frame of 20 ms apart; a multiple of 8.
  private let delays = 152
  /// Those within the canceller's reach, 0.62 s.
  private let reach = 32
  private let blocksPerFrame: Int
  private var blocks = 0
  /// Mean squares of the frame that is being collected.
  private var farEnd: Float = 0
  private var microphone: Float = 0
  private var voice: Float = 0

  private var farEndLevel = SyllableLevel()
  private var voiceLevel = SyllableLevel()
  private var microphoneLevel = SyllableLevel()
  /// The far end's newest frames, from `newest` on: the change of level in dB, in a ring that is stored twice so that all delays lie in one
  /// piece, and whether the frame was audible, in a ring.
  private let changes, audible: UnsafeMutablePointer<Float>
  private var newest = 0
  /// Per delay: far end times voice, and the far end squared, summed over some 10 s.
  private let cross, farEndEnergy: UnsafeMutablePointer<Float>
  private var voiceEnergy: Float = 0
  /// The same of the microphone instead of the voice, within reach.
  private let heardCross: UnsafeMutablePointer<Float>
  private var microphoneEnergy: Float = 0
  /// The far end squared, summed since its echo was last heard.
  private var unheardEnergy: Float = 0
  /// Mean squares of microphone and voice over about a second, in frames in which the far end was audible at the delay found.
  private var before: Float = 0
  private var after: Float = 0
  /// Frames for which the echo of what was audible goes on.
  private var hold = 0

  /// 0.3 s of reverberation.
  private let reverberation = 15
  private let memory: Float = 0.998
  private let step: Float = 0.02
  /// Recorded talkers stay below 0.5, even where they take turns every 0.8 s; their echoes are above 0.6.
  private let follows: Float = 0.55
  /// Some 3 s of speech, in dB²; resemblance over less is chance.
  private let least: Float = 2500

  init(_ time: BlockTime) {
    blocksPerFrame = time.blocks(0.02)
    changes = .silence(2 * delays)
    audible = .silence(delays)
    cross = .silence(delays)
    farEndEnergy = .silence(delays)
    heardCross = .silence(reach)
  }

  deinit {
    changes.deallocate()
    audible.deallocate()
    cross.deallocate()
    farEndEnergy.deallocate()
    heardCross.deallocate()
  }

  /// Updates with the mean squares of one block: the reference, the microphone, and the processors' output. Measures nothing while echo is
  /// not cancelled.
  @_noLocks @_noAllocation
  mutating func update(farEnd: Float, microphone: Float, voice: Float, isCancelling: Bool) {
    guard isCancelling else { return forget() }
    self.farEnd += farEnd
    self.microphone += microphone
    self.voice += voice
    blocks += 1
    guard blocks == blocksPerFrame else { return }
    let share = 1 / Float(blocks)
    measureFrame(farEnd: self.farEnd * share, microphone: self.microphone * share, voice: self.voice * share)
    (blocks, self.farEnd, self.microphone, self.voice) = (0, 0, 0, 0)
  }

  @_noLocks @_noAllocation
  private mutating func measureFrame(farEnd: Float, microphone: Float, voice: Float) {
    newest = newest == 0 ? delays - 1 : newest - 1
    let farEndChange = farEndLevel.change(farEnd), change = voiceLevel.change(voice)
    (changes[newest], changes[newest + delays]) = (farEndChange, farEndChange)
    audible[newest] = farEnd > EchoMeter.farEndThreshold ? 1 : 0
    voiceEnergy = memory * voiceEnergy + change * change
    let then = changes + newest, voiceFloored = max(voiceEnergy, least)
    // The highest correlation in each lane, squared, with its sign: comparing needs no square root.
    var highest = SIMD8<Float>(repeating: 0), delayOfHighest = SIMD8<Int32>(repeating: 0)
    for delay in stride(from: 0, to: delays, by: 8) {
      let x = load8(then + delay)
      let product = accumulate(change * x, in: cross + delay), energy = accumulate(x * x, in: farEndEnergy + delay)
      let expected: SIMD8<Float> = voiceFloored * clamp8(energy, least, .infinity)
      let correlation: SIMD8<Float> = Self.squared(product) / expected
      let isHigher = correlation .> highest
      highest.replace(with: correlation, where: isHigher)
      delayOfHighest.replace(with: Int32(delay), where: isHigher)
    }
    var best = 0, greatest: Float = 0
    for lane in 0..<8 where highest[lane] > greatest { (best, greatest) = (Int(delayOfHighest[lane]) + lane, highest[lane]) }
    listen(to: microphone)
    delay = 0.02 * Float(best)
    hold = max(hold - 1, 0)
    if audible[(newest + best) % delays] > 0 {
      hold = reverberation
      before += step * (microphone - before)
      after += step * (voice - after)
    }
    erle = greatest > follows * follows ? 10 * rt_log10f(max(before, 1e-12) / max(after, 1e-12)) : .nan
  }

  /// Adds to eight sums that forget.
  @_noLocks @_noAllocation
  private func accumulate(_ values: SIMD8<Float>, in sums: UnsafeMutablePointer<Float>) -> SIMD8<Float> {
    let sum: SIMD8<Float> = memory * load8(sums) + values
    store8(sum, to: sums)
    return sum
  }

  /// Squares eight values, and keeps their signs.
  @_noLocks @_noAllocation
  private static func squared(_ values: SIMD8<Float>) -> SIMD8<Float> {
    let squares: SIMD8<Float> = values * values
    return squares.replacing(with: -squares, where: values .< 0)
  }

  /// Updates `isEchoHeard`, after the far end's newest frame.
  @_noLocks @_noAllocation
  private mutating func listen(to microphone: Float) {
    let change = microphoneLevel.change(microphone)
    microphoneEnergy = memory * microphoneEnergy + change * change
    let required = follows * follows * max(microphoneEnergy, least)
    isEchoHeard = false
    // A local copy: Swift 6.3 fails to compile direct accesses under ThreadSanitizer.
    let cross = heardCross, then = changes + newest
    for delay in stride(from: 0, to: reach, by: 8) {
      let product = accumulate(change * load8(then + delay), in: cross + delay), energy = load8(farEndEnergy + delay)
      let expected: SIMD8<Float> = required * clamp8(energy, least, .infinity)
      if any(Self.squared(product) .> expected) { isEchoHeard = true }
    }
    unheardEnergy = isEchoHeard ? 0 : min(unheardEnergy + changes[newest] * changes[newest], 3 * least)
  }

  @_noLocks @_noAllocation
  private mutating func forget() {
    guard voiceEnergy > 0 || microphoneEnergy > 0 || blocks > 0 else { return }
    (blocks, farEnd, microphone, voice, voiceEnergy, before, after, erle) = (0, 0, 0, 0, 0, 0, 0, .nan)
    hold = 0
    clear(changes, frames: 2 * delays)
    for delay in 0..<delays { (audible[delay], cross[delay], farEndEnergy[delay]) = (0, 0, 0) }
    clear(heardCross, frames: reach)
    (microphoneEnergy, unheardEnergy, isEchoHeard) = (0, 0, false)
  }
}

/// The level of a frame of 20 ms relative to the last 0.1 s, in dB, clamped to −6…6 so that no single onset outweighs seconds of speech.
/// Levels below −60 dBFS count as −60 dBFS. [realtime]
private struct SyllableLevel {
  private var usual: Float = -60

  @_noLocks @_noAllocation
  mutating func change(_ meanSquare: Float) -> Float {
    let level = 10 * rt_log10f(max(meanSquare, 1e-6))
    usual += 0.2 * (level - usual)
    return min(max(level - usual, -6), 6)
  }
}
