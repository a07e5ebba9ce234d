/// What the linear canceller tells the suppressor of itself and of the far end, in one hop. [realtime]
struct CancellerState {
  /// A Boolean value indicating whether everything that is heard counts as echo.
  let isGuarded: Bool
  /// A Boolean value indicating whether the far end has been silent for the filter's whole reach: estimated echo and uncertainty are 0.
  let isFarEndSilent: Bool
  /// A Boolean value indicating whether the far end contains something above 11 kHz.
  let isWideBand: Bool
  /// A Boolean value indicating whether the filter has cancelled since it was last reset.
  let hasConverged: Bool
  /// A Boolean value indicating whether the residual tells how far the filter's uncertainty is off.
  let isUncertaintyTypical: Bool
  /// A Boolean value indicating whether the filter learns a changed path, or has only learnt from tones: the uncertainty may be too low.
  let mayBeTooSure: Bool

  @_noLocks @_noAllocation
  init(
    isGuarded: Bool = false, isFarEndSilent: Bool = false, isWideBand: Bool = false, hasConverged: Bool = true,
    isUncertaintyTypical: Bool = true, mayBeTooSure: Bool = false
  ) {
    (self.isGuarded, self.isFarEndSilent, self.isWideBand) = (isGuarded, isFarEndSilent, isWideBand)
    (self.hasConverged, self.isUncertaintyTypical, self.mayBeTooSure) = (hasConverged, isUncertaintyTypical, mayBeTooSure)
  }
}
