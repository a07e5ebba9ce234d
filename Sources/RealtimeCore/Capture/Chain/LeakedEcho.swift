internal import CRealtime

/// Detects whether the voice follows the far end, at any delay up to 3 s: an echo beyond the canceller's reach looks like a near end, and
/// escapes `EchoMeter`. Tells as well whether there is an echo in the microphone at all: there is none of headphones, whoever talks.
/// [realtime] except `init` and `deinit`.
///
/// Correlates level changes within syllables. Slower changes are ignored, because people who take turns follow each other, too.
struct LeakedEcho: ~Copyable {
  /// Microphone over voice in dB while the voice follows the far end; otherwise NaN.
  private(set) var erle = Float.nan
  /// A Boolean value indicating whether the microphone follows the far end, at a delay within the canceller's reach.
  private(set) var isEchoHeard = false
  /// A Boolean value indicating whether the far end has spoken for some 6 s since an echo was last heard, if ever.
  var lacksEcho: Bool {
    @_noLocks @_noAllocation get { unheardEnergy > 2 * least }
  }

  /// Delays of 0…3 s, one frame of 20 ms apart.
  private let delays = 150
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
  /// A ring of the far end's newest frames: the change of level in dB, and whether the frame was audible.
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

  private let memory: Float = 0.998
  private let step: Float = 0.02
  /// Recorded talkers stay below 0.5, even where they take turns every 0.8 s; their echoes are above 0.6.
  private let follows: Float = 0.55
  /// Some 3 s of speech, in dB²; resemblance over less is chance.
  private let least: Float = 2500

  init(_ time: BlockTime) {
    blocksPerFrame = time.blocks(0.02)
    changes = .silence(delays)
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
    newest = (newest + 1) % delays
    changes[newest] = farEndLevel.change(farEnd)
    audible[newest] = farEnd > EchoMeter.farEndThreshold ? 1 : 0
    let change = voiceLevel.change(voice)
    voiceEnergy = memory * voiceEnergy + change * change
    var best = 0, greatest: Float = 0, index = newest
    for delay in 0..<delays {
      let then = changes[index]
      index = index == 0 ? delays - 1 : index - 1
      cross[delay] = memory * cross[delay] + then * change
      farEndEnergy[delay] = memory * farEndEnergy[delay] + then * then
      // Squared, with its sign: comparing needs no square root.
      let correlation = cross[delay] * abs(cross[delay]) / (max(farEndEnergy[delay], least) * max(voiceEnergy, least))
      if correlation > greatest { (best, greatest) = (delay, correlation) }
    }
    listen(to: microphone)
    if audible[(newest + delays - best) % delays] > 0 {
      before += step * (microphone - before)
      after += step * (voice - after)
    }
    erle = greatest > follows * follows ? 10 * rt_log10f(max(before, 1e-12) / max(after, 1e-12)) : .nan
  }

  /// Updates `isEchoHeard`, after the far end's newest frame.
  @_noLocks @_noAllocation
  private mutating func listen(to microphone: Float) {
    let change = microphoneLevel.change(microphone)
    microphoneEnergy = memory * microphoneEnergy + change * change
    let required = follows * follows * max(microphoneEnergy, least)
    isEchoHeard = false
    // A local copy: Swift 6.3 fails to compile direct accesses under ThreadSanitizer.
    let cross = heardCross
    var index = newest
    for delay in 0..<reach {
      cross[delay] = memory * cross[delay] + changes[index] * change
      index = index == 0 ? delays - 1 : index - 1
      if cross[delay] * abs(cross[delay]) > required * max(farEndEnergy[delay], least) { isEchoHeard = true }
    }
    unheardEnergy = isEchoHeard ? 0 : min(unheardEnergy + changes[newest] * changes[newest], 3 * least)
  }

  @_noLocks @_noAllocation
  private mutating func forget() {
    guard voiceEnergy > 0 || microphoneEnergy > 0 || blocks > 0 else { return }
    (blocks, farEnd, microphone, voice, voiceEnergy, before, after, erle) = (0, 0, 0, 0, 0, 0, 0, .nan)
    for delay in 0..<delays { (changes[delay], audible[delay], cross[delay], farEndEnergy[delay]) = (0, 0, 0, 0) }
    for delay in 0..<reach { heardCross[delay] = 0 }
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
