/// What a chain knows after a block (V6).
struct ChainReadings {
  /// dB; NaN where unknown.
  var erle = Float.nan
  /// Seconds; NaN where unknown.
  var echoDelay = Float.nan
  /// dB.
  var gain: Float = 0
  var hasVoice = false
  var isTalkingWhileMuted = false
  var isFarEndActive = false
  /// Seconds of audible echo, and since the last of it.
  var echoSeconds: Float = 0
  var quietSeconds: Float = 0

  /// What is known with voice processing off: nothing.
  @_noLocks @_noAllocation
  init() {}
}

extension CaptureMeterCells {
  /// [realtime]
  @_noLocks @_noAllocation
  func publish(_ readings: ChainReadings) {
    erle.set(readings.erle)
    echoDelay.set(readings.echoDelay)
    gain.set(readings.gain)
    hasVoice.set(readings.hasVoice)
    isTalkingWhileMuted.set(readings.isTalkingWhileMuted)
    isFarEndActive.set(readings.isFarEndActive)
    echoSeconds.set(readings.echoSeconds)
    quietSeconds.set(readings.quietSeconds)
  }
}
