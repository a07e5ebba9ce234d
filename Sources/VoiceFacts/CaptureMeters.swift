/// What the capture path measures, after a cycle (V6). Levels rise at once and fall by 20 dB/s.
package struct CaptureMeters: Sendable, BitwiseCopyable {
  /// Peak of the raw microphone, linear, 1 is full scale.
  package var microphonePeak: Float = 0
  /// How often the microphone has sounded again after 0.1 s of digital silence and more, as a gate does, since the path was made.
  package var microphonePauses: UInt32 = 0
  /// Peak of the reference, of the louder of left and right, linear.
  package var referencePeak: Float = 0
  /// Peak of the path's output, after mute, linear.
  package var voicePeak: Float = 0
  /// Echo return loss enhancement in dB: the microphone over what the canceller's filter leaves of it while only the far end is heard,
  /// averaged over about half a second; NaN before half a second of echo, and without a sign of one, as with headphones: the microphone
  /// does not follow the far end, nor does the filter take 6 dB, and the whole 15 dB, of it away. WebRTC's engine tells only its output:
  /// it is then the same as `echoReduction`. At most that while the voice follows the far end, or the microphone does too late for the
  /// canceller, up to 3 s.
  package var erle = Float.nan
  /// The reduction of the echo in all in dB, by the suppressor behind the filter, too: the microphone over the canceller's output, measured
  /// like `erle`. While the voice follows the far end, or the microphone too late: microphone over voice wherever that is so.
  package var echoReduction = Float.nan
  /// Delay of the echo relative to the reference, measured from the signals, in seconds, to about 1 ms, or to 20 ms where it comes too
  /// late for the canceller; NaN until known.
  package var echoDelay = Float.nan
  /// Gain of the gain control now, in dB; 0 if it has no effect.
  package var gain: Float = 0
  /// Seconds of sound in the microphone under an active far end, echo or not, since the path was made, or the echo's is known to have
  /// changed.
  package var echoSeconds: Float = 0
  /// Seconds since such sound was last heard, at most 3600.
  package var quietSeconds: Float = 0
  /// Seconds of echo in the microphone since it was last reduced by `EchoVerdict.leastReduction`, and the filter did its part.
  package var uncancelledSeconds: Float = 0
  /// A Boolean value indicating whether the filter does its part: its ERLE is 6 dB or more, or what it leaves is below −50 dBFS, or
  /// inaudible in the room's noise, or there is no echo at all. If it does not, the suppressor alone hides the echo, and would hide a near
  /// end with it.
  package var filtersEcho = false
  /// A Boolean value indicating whether the reference is, or was within the last 0.2 s, above −60 dBFS.
  package var isFarEndActive = false
  /// A Boolean value indicating whether the near end talks, muted or not (D2). False with voice processing off.
  package var hasVoice = false
  /// A Boolean value indicating whether somebody talks into the muted microphone for longer than a word; never set by the far end alone
  /// (D2). False with voice processing off.
  package var isTalkingWhileMuted = false
  /// Blocks that WebRTC's engine refused and that passed unprocessed, since the path was made. Any value but 0 indicates a fault in the
  /// library.
  package var errors = 0

  /// Peaks up to this, −100 dBFS, are the digital silence of a microphone that is switched off, or gated. Noise of 16 bits is above.
  package static var digitalSilence: Float {
    @_noLocks @_noAllocation get { 1e-5 }
  }

  /// The meters with voice processing off: silence, and everything unknown.
  @_noLocks @_noAllocation
  package init() {}

  /// Whether echo cancellation works, if it is on (V6).
  package var echoVerdict: EchoVerdict {
    if quietSeconds > 2 || echoSeconds == 0 { return .nothingToCancel }
    // What is not known to be an echo after some seconds is a near end.
    guard let echoReduction = echoReduction.known else { return echoSeconds <= 5 ? .converging : .nothingToCancel }
    let isReduced = echoReduction >= EchoVerdict.leastReduction
    if isReduced, filtersEcho { return .cancelling }
    if uncancelledSeconds <= 5 { return .converging }
    return isReduced ? .suppressing : .failing
  }
}
