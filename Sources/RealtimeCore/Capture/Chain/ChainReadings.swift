/// The measurements of a chain after a block (V6).
struct ChainReadings {
  /// In dB; NaN if unknown.
  var erle = Float.nan
  var echoReduction = Float.nan
  /// In seconds; NaN if unknown.
  var echoDelay = Float.nan
  /// In dB.
  var gain: Float = 0
  var hasVoice = false
  var isTalkingWhileMuted = false
  var isFarEndActive = false
  /// Seconds of audible echo since the path was made or is known to have changed, and seconds since it was last heard.
  var echoSeconds: Float = 0
  var quietSeconds: Float = 0
  /// Whether the filter does its part, or has none, and the seconds of audible echo since the echo was last cancelled.
  var filtersEcho = false
  var uncancelledSeconds: Float = 0

  /// The readings with voice processing off: everything unknown.
  @_noLocks @_noAllocation
  init() {}
}

extension CaptureMeterCells {
  @_noLocks @_noAllocation
  func publish(_ readings: ChainReadings) {
    erle.store(readings.erle)
    echoReduction.store(readings.echoReduction)
    echoDelay.store(readings.echoDelay)
    gain.store(readings.gain)
    hasVoice.store(readings.hasVoice)
    isTalkingWhileMuted.store(readings.isTalkingWhileMuted)
    isFarEndActive.store(readings.isFarEndActive)
    echoSeconds.store(readings.echoSeconds)
    quietSeconds.store(readings.quietSeconds)
    filtersEcho.store(readings.filtersEcho)
    uncancelledSeconds.store(readings.uncancelledSeconds)
  }
}
