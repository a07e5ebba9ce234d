internal import CRealtime

/// Echo return loss enhancement: the canceller's input against its output over what is only echo (ITU-T G.168). [realtime]
struct EchoMeter {
  /// The far end plays, or did within the last 0.2 s.
  private(set) var isFarEndActive = false
  /// Seconds of audible echo, and since the last of it.
  private(set) var echoSeconds: Float = 0
  private(set) var quietSeconds: Float = 0
  /// dB; NaN before half a second of echo.
  @_noLocks @_noAllocation func erle() -> Float {
    echoSeconds < 0.5 ? .nan : 10 * rt_log10f(max(microphone, 1e-12) / max(residual, 1e-12))
  }

  private var hold = 0
  private var floor = NoiseFloor()
  private var microphone: Float = 0
  private var residual: Float = 0
  /// Blocks of echo that were not counted because the near end seemed to talk.
  private var excused = 0
  /// Blocks for which a near end that has been heard is taken to go on: between its words it is too quiet to be told from echo.
  private var nearEnd = 0

  /// −60 dBFS.
  private let farEndThreshold: Float = 1e-6
  private let holdBlocks = 20
  /// An echo stands 6 dB above what the microphone hears without it.
  private let audible: Float = 4
  /// 5 s: a canceller that lets echo through looks like a near end that never stops talking.
  private let longestExcuse = 500
  private let nearEndBlocks = 50

  /// One block of 10 ms; mean squares of the reference, the canceller's input and its output.
  @_noLocks @_noAllocation
  mutating func update(reference: Float, microphone input: Float, residual output: Float, isNearEnd: Bool) {
    nearEnd = isNearEnd ? nearEndBlocks : max(nearEnd - 1, 0)
    hold = reference > farEndThreshold ? holdBlocks : max(hold - 1, 0)
    isFarEndActive = hold > 0
    // The floor is learnt while the far end is silent, or its own echo would become what "is always there".
    if !isFarEndActive { floor.update(power: input) }
    let background = floor.power.isFinite ? floor.power : 1e-7
    guard isFarEndActive, input > max(audible * background, 1e-8) else {
      quietSeconds = min(quietSeconds + 0.01, 3600)
      return
    }
    quietSeconds = 0
    let isNearEnd = nearEnd > 0
    // Only a canceller that has been seen to work is believed to leave nothing but the near end.
    if isNearEnd && erle() > 10 && excused < longestExcuse {
      excused += 1
      return
    }
    if !isNearEnd { excused = 0 }
    echoSeconds = min(echoSeconds + 0.01, 3600)
    let pace: Float = max(0.02, 0.01 / echoSeconds)
    microphone += min(pace, 1) * (input - microphone)
    residual += min(pace, 1) * (output - residual)
  }
}
