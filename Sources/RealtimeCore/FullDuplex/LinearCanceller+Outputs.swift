/// What the canceller tells of the newest hop. [realtime]
extension LinearCanceller {
  /// Initial delay of the far end in frames; delay the microphone equally.
  var farEndDelay: Int {
    @_noLocks @_noAllocation get { farEnd.delay }
  }

  /// The residual: the microphone minus the estimated echo. Overwritten by the next `process`.
  var residual: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { subtraction.residual }
  }

  /// Whether `residual` is the microphone: the far end is silent, or the microphone closed.
  var isPassing: Bool {
    @_noLocks @_noAllocation get { filters.careful.isPassing }
  }

  /// Returns the microphone's power over the residual's; see `PathBands.enhancement`. Meaningless while the far end is silent.
  // `mutating`: Swift 6.3 copies a structure of this size for a method that is not.
  @_noLocks @_noAllocation
  mutating func speechEnhancement() -> Float { bands.enhancement(share: subtraction.mix.share) }

  /// Returns what the suppressor is to know of this hop. The uncertainty is not typical while the far end is a tone, or the filter has yet
  /// to be verified.
  @_noLocks @_noAllocation
  mutating func state() -> CancellerState {
    let isSilent = farEnd.spectra.isSilent, isRelearning = verification.isPending && verification.isRefuted
    return CancellerState(
      isGuarded: initialGuard.isOn, isFarEndSilent: isSilent, isWideBand: !isSilent && farEnd.spectra.isWideBand,
      hasConverged: detector.hasConverged, isUncertaintyTypical: !farEnd.spectra.excitation.isTone && !verification.isPending,
      mayBeTooSure: isRelearning || !firstWords.wereHeard)
  }
}
