extension LinearCanceller {
  /// Returns the microphone's power over the residual's in the newest hop below some 9 kHz: above, the filter is short, and the far end may
  /// be louder there than speech is. Meaningless while the far end is silent. [realtime]
  // `mutating`: Swift 6.3 copies a structure of this size for a method that is not.
  @_noLocks @_noAllocation
  mutating func speechEnhancement() -> Float {
    var before: Float = 0, after: Float = 0
    for band in 0..<spectrum.count - 1 {
      before += microphoneBands[band]
      after += carefulBands[band] + mix.share * (fastBands[band] - carefulBands[band])
    }
    return before / max(after, 1e-12)
  }

  /// Returns what is handed on of the newest hop. [realtime]
  // `mutating`: as above.
  @_noLocks @_noAllocation
  mutating func hop() -> LinearHop {
    LinearHop(
      residual: residual, echo: echo, uncertainty: uncertainty, left: reference.spectrum(age: 0, channel: 0),
      right: reference.spectrum(age: 0, channel: 1), farEndGain: level.gain, repairedPower: repair.power, state: state)
  }
}
