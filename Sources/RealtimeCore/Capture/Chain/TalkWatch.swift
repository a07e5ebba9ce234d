/// Detects somebody talking into a muted microphone long enough to mean to be heard (D2). [realtime] except `init`.
///
/// The microphone may hear the far end. If the canceller hears the microphone, its residual tells the two apart. If the microphone is muted
/// before the canceller, a talker must be louder than any echo can be (a Geigel detector; the echo's strength is learnt while the canceller
/// listens).
struct TalkWatch {
  /// A Boolean value indicating whether somebody talks, or did within the last 1.5 s.
  private(set) var isTalking = false
  /// A Boolean value indicating whether the last block contained a voice.
  private(set) var hasVoice = false

  private let block: Int
  private let onset, holdBlocks, echoBlocks: Int
  private let decay, forgetting: Float
  private var highPass: Biquad
  private var detector: VoiceDetector
  /// Peak power of the reference, which decays once its echo may have died away.
  private var farEnd: Float = 0
  private var farEndHold = 0
  /// The greatest `farEnd`, forgotten as slowly as `coupling`.
  private var loudestFarEnd: Float = 0
  /// The strongest echo heard, relative to `farEnd`; negative until known.
  private var coupling: Float = -1
  private var evidence = 0
  private var hold = 0

  /// −13 dB: an echo's strength is learnt from a far end this close to its loudest. Of a softer one the microphone hears the room's noise.
  private let loud: Float = 0.05
  /// 6 dB.
  private let margin: Float = 4
  /// The reduction of the echo in dB that the canceller must have reached before a voice over the far end is believed.
  private let trusted: Float = 10
  /// The seconds of echo that the canceller must have heard before: until then it lets single words of the echo through, whatever the
  /// average. WebRTC's canceller leaves its initial state after 2.5 s.
  private let settled: Float = 2.5

  init(_ time: BlockTime) {
    block = time.frames
    // With the detector's hangover, a quarter of a second of voice: longer than a cough.
    onset = time.blocks(0.5)
    holdBlocks = time.blocks(1.5)
    // An echo of a room or a Bluetooth loudspeaker, followed by a decay of 60 dB in 0.4 s.
    echoBlocks = time.blocks(0.3)
    decay = time.factor(0.708)
    forgetting = time.factor(0.9995)
    highPass = .highPass(90, rate: time.rate)
    detector = VoiceDetector(rate: time.rate)
  }

  /// Updates with the reference's power of one block; call it before either of the two below.
  @_noLocks @_noAllocation
  mutating func update(farEnd power: Float) {
    if power >= farEnd {
      (farEnd, farEndHold) = (power, echoBlocks)
    } else if farEndHold > 0 {
      farEndHold -= 1
    } else {
      farEnd = max(farEnd * decay, power)
    }
    loudestFarEnd = max(forgetting * loudestFarEnd, farEnd)
  }

  /// Scales the strongest echo heard, because the speaker's volume has changed by this factor.
  @_noLocks @_noAllocation
  mutating func scaleEcho(by factor: Float) {
    if coupling > 0 { coupling *= factor * factor }
  }

  /// Updates with the canceller's results for this block, while it hears the microphone.
  ///
  /// - Parameters:
  ///   - reduction: of the echo in dB; NaN if unknown.
  ///   - echoSeconds: `EchoMeter.echoSeconds`.
  ///   - lacksEcho: whether the microphone does not hear the far end at all, as with headphones.
  @_noLocks @_noAllocation
  mutating func update(
    isNearEnd: Bool, isEcho: Bool, microphone power: Float, reduction: Float, echoSeconds: Float, lacksEcho: Bool, isMuted: Bool
  ) {
    if isEcho && farEnd > max(EchoMeter.farEndThreshold, loud * loudestFarEnd) {
      coupling = max(forgetting * coupling, power / farEnd)
    }
    let isTrusted = lacksEcho || (reduction >= trusted && echoSeconds >= settled)
    hasVoice = isNearEnd && (farEnd <= EchoMeter.farEndThreshold || isTrusted)
    note(isMuted: isMuted)
  }

  /// Updates with the microphone's block while the canceller hears silence. `samples` is overwritten.
  ///
  /// - Parameter isOnlyEcho: `LeakedEcho.isOnlyEcho`.
  @_noLocks @_noAllocation
  mutating func update(unheard samples: UnsafeMutablePointer<Float>, isOnlyEcho: Bool) {
    highPass.process(samples, into: samples, frames: block)
    detector.update(UnsafePointer(samples), frames: block)
    let isEchoAtMost =
      farEnd > EchoMeter.farEndThreshold && (coupling < 0 || meanSquare(samples, frames: block) <= margin * coupling * farEnd)
    hasVoice = detector.hasVoice && !isEchoAtMost && !isOnlyEcho
    note(isMuted: true)
  }

  @_noLocks @_noAllocation
  private mutating func note(isMuted: Bool) {
    guard isMuted else {
      (isTalking, evidence, hold) = (false, 0, 0)
      return
    }
    evidence = hasVoice ? min(evidence + 1, 2 * onset) : max(evidence - 1, 0)
    hold = evidence >= onset ? holdBlocks : max(hold - 1, 0)
    isTalking = hold > 0
  }
}
