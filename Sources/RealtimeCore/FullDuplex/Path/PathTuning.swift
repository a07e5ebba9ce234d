/// The levels and ratios by which the canceller decides. Found on the simulated kinds and the conversation of `make quality`, unless a line
/// says otherwise. [realtime]
enum PathTuning {
  /// Level of a far end, normalized by `ReferenceLevel`, above which it speaks: what is learnt and verified is its echo's. 34 dB below
  /// usual speech.
  static var speaking: Float {
    @_noLocks @_noAllocation get { 1e-6 }
  }

  /// The same, 20 dB lower, above which its echo may be searched for: the ends of words tell a delay as well.
  static var audible: Float {
    @_noLocks @_noAllocation get { 1e-8 }
  }

  /// Level of a far end that tells whether a filter may be trusted, 21 dB below usual speech: one that is confident of the click or breath
  /// before it knows nothing of the path.
  static var telling: Float {
    @_noLocks @_noAllocation get { 2e-5 }
  }

  /// Value of `KalmanFilter.surprise` above which the filter may be wrong: 6 dB.
  static var surprising: Float {
    @_noLocks @_noAllocation get { 4 }
  }

  /// The same, above which a filter that has never converged may have learnt that there is no echo, although one begins: 15 dB.
  static var startling: Float {
    @_noLocks @_noAllocation get { 30 }
  }

  /// The same, above which hardly anything but an echo that begins is possible: 25 dB.
  static var baffling: Float {
    @_noLocks @_noAllocation get { 300 }
  }

  /// Value of `FilterMix.benefit` above which the fast filter is needed: the path moves, and a trial would take the filter away.
  static var needed: Float {
    @_noLocks @_noAllocation get { 0.5 }
  }

  /// Values of `DelayScout.echoGain` between which an echo is so loud that a trial, which expects the prior's power, would not learn it:
  /// from 16 to 43 dB over the prior. Beyond, the far end is too soft to be heard: it is a near end.
  static var loud: (least: Float, most: Float) {
    @_noLocks @_noAllocation get { (3, 1_500) }
  }

  /// Values of `DelayScout.echoShare` that the near end does not reach by chance: usually, of an error that is `baffling`, and without a
  /// trial.
  static var share: (usual: Float, baffled: Float, evident: Float) {
    @_noLocks @_noAllocation get { (0.18, 0.1, 0.3) }
  }

  /// Limit of the factor by which the prior is raised for an echo louder than expected: 33 dB.
  static var loudest: Float {
    @_noLocks @_noAllocation get { 2_000 }
  }
}
