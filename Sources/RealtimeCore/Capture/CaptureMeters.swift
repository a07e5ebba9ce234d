/// Measurements of the capture path, for any number of readers at any rate (V6). [any]
///
/// Levels follow `MeterBallistics`.
package final class CaptureMeters: Sendable {
  let cells: CaptureMeterCells
  private let memory: CellBlock

  /// Creates meters that read silence and unknown values. [control]
  package init() {
    var memory = CellBlock(count: CaptureMeterCells.count)
    cells = CaptureMeterCells(&memory)
    self.memory = memory
  }

  /// Reads all values. Each value is consistent in itself; values of consecutive blocks may be mixed.
  package func snapshot() -> CaptureMetersSnapshot {
    CaptureMetersSnapshot(
      microphonePeak: cells.microphonePeak.load(), referencePeak: cells.referencePeak.load(), voicePeak: cells.voicePeak.load(),
      erle: measured(cells.erle), echoReduction: measured(cells.echoReduction), echoDelay: measured(cells.echoDelay),
      gain: cells.gain.load(),
      hasVoice: cells.hasVoice.load(), isTalkingWhileMuted: cells.isTalkingWhileMuted.load(),
      isFarEndActive: cells.isFarEndActive.load(),
      echoSeconds: cells.echoSeconds.load(), quietSeconds: cells.quietSeconds.load(),
      filtersEcho: cells.filtersEcho.load(), uncancelledSeconds: cells.uncancelledSeconds.load(), errors: Int(cells.errors.load()))
  }

  private func measured(_ cell: FloatCell) -> Float? {
    let value = cell.load()
    return value.isNaN ? nil : value
  }
}

/// The cells behind `CaptureMeters`: all that the audio thread accesses.
struct CaptureMeterCells: Sendable {
  let microphonePeak, referencePeak, voicePeak: FloatCell
  /// NaN until measured.
  let erle, echoReduction, echoDelay: FloatCell
  let gain, echoSeconds, quietSeconds, uncancelledSeconds: FloatCell
  let hasVoice, isFarEndActive, isTalkingWhileMuted, filtersEcho: FlagCell
  let errors: CounterCell

  static let count = 15

  init(_ block: inout CellBlock) {
    microphonePeak = FloatCell(block.next())
    referencePeak = FloatCell(block.next())
    voicePeak = FloatCell(block.next())
    erle = FloatCell(block.next(), .nan)
    echoReduction = FloatCell(block.next(), .nan)
    echoDelay = FloatCell(block.next(), .nan)
    gain = FloatCell(block.next())
    echoSeconds = FloatCell(block.next())
    quietSeconds = FloatCell(block.next())
    uncancelledSeconds = FloatCell(block.next())
    hasVoice = FlagCell(block.next())
    isFarEndActive = FlagCell(block.next())
    isTalkingWhileMuted = FlagCell(block.next())
    filtersEcho = FlagCell(block.next())
    errors = CounterCell(block.next())
  }
}

/// One reading of `CaptureMeters`.
package struct CaptureMetersSnapshot: Sendable, Equatable {
  /// Peak of the raw microphone, linear, 1 is full scale.
  package var microphonePeak: Float
  /// Peak of the reference, of the louder of left and right, linear.
  package var referencePeak: Float
  /// Peak of the path's output, after mute, linear.
  package var voicePeak: Float
  /// Echo return loss enhancement in dB: the microphone over what the canceller's filter leaves of it while only the far end is heard,
  /// averaged over about half a second; nil before half a second of echo, and without a sign of one, as with headphones: the microphone
  /// does not follow the far end, nor does the filter take 6 dB, and the whole 15 dB, of it away. WebRTC's engine tells only its output:
  /// it is then the same as `echoReduction`. At most that while the voice follows the far end, or the microphone does too late for the
  /// canceller, up to 3 s.
  package var erle: Float?
  /// The reduction of the echo in all in dB, by the suppressor behind the filter, too: the microphone over the canceller's output, measured
  /// like `erle`. While the voice follows the far end, or the microphone too late: microphone over voice wherever that is so.
  package var echoReduction: Float?
  /// Delay of the echo relative to the reference, measured from the signals, in seconds, to about 1 ms, or to 20 ms where it comes too
  /// late for the canceller; nil until known.
  package var echoDelay: Float?
  /// Gain of the gain control now, in dB; 0 if it has no effect.
  package var gain: Float
  /// A Boolean value indicating whether the near end talks, muted or not (D2). False with voice processing off.
  package var hasVoice: Bool
  /// A Boolean value indicating whether somebody talks into the muted microphone for longer than a word; never set by the far end alone
  /// (D2). False with voice processing off.
  package var isTalkingWhileMuted: Bool
  /// A Boolean value indicating whether the reference is, or was within the last 0.2 s, above −60 dBFS.
  package var isFarEndActive: Bool
  /// Seconds of sound in the microphone under an active far end, echo or not, since the path was made, or the echo's is known to have
  /// changed.
  package var echoSeconds: Float
  /// Seconds since such sound was last heard, at most 3600.
  package var quietSeconds: Float
  /// A Boolean value indicating whether the filter does its part: its ERLE is 6 dB or more, or what it leaves is below −50 dBFS, or
  /// inaudible in the room's noise, or there is no echo at all. If it does not, the suppressor alone hides the echo, and would hide a near
  /// end with it.
  package var filtersEcho: Bool
  /// Seconds of echo in the microphone since it was last reduced by 15 dB, and the filter did its part.
  package var uncancelledSeconds: Float
  /// Blocks that the library refused and that passed unprocessed, since the path was made. Any value but 0 indicates a fault in the
  /// library.
  package var errors: Int

  /// Whether echo cancellation works, if it is on (V6).
  package var echoVerdict: EchoVerdict {
    if quietSeconds > 2 || echoSeconds == 0 { return .nothingToCancel }
    // What is not known to be an echo after some seconds is a near end.
    guard let echoReduction else { return echoSeconds <= 5 ? .converging : .nothingToCancel }
    let isReduced = echoReduction >= EchoVerdict.leastReduction
    if isReduced, filtersEcho { return .cancelling }
    if uncancelledSeconds <= 5 { return .converging }
    return isReduced ? .suppressing : .failing
  }
}
