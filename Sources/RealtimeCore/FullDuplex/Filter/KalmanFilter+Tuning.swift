extension KalmanFilter {
  /// Parameters that trade speed of tracking for robustness.
  struct Tuning: Sendable {
    /// q: the share of the path's power that is expected to change per learning step, 0…1.
    var processNoise: Float
    /// Factor by which overlapping error windows count each sample's noise more than once.
    var overcount: Float
    /// Bins to either side of each over which the noise is smoothed, at most 8.
    var smoothedBins: Int
    /// Smoothing constant of the noise estimate: the share that remains per learning step, 0…1.
    var smoothing: Float
    /// Hops per learning step; the echo is estimated every hop.
    var period: Int
    /// Learning steps per round of gradient constraints.
    var constraintTurns: Int
    /// A Boolean value indicating whether the filter has weights for the first partitions only, and takes the rest of the echo from a
    /// whole filter.
    var isPartial: Bool
    /// A Boolean value indicating whether the strongest tap is tracked, for `peak`.
    var watchesPeak: Bool
    /// Decay per learning step of a row's peak mean square, and the share of that peak below which its mean square never falls.
    var holding: Float
    var heldShare: Float

    /// Tracks a moving path.
    static let fast = Tuning(
      processNoise: 2e-3, overcount: 1, smoothedBins: 5, smoothing: 0.7, period: 1, constraintTurns: 32, isPartial: true,
      watchesPeak: false, holding: 0.9999, heldShare: 0.1)
    /// Robust against near-end speech.
    static let careful = Tuning(
      processNoise: 8e-5, overcount: 1.4, smoothedBins: 2, smoothing: 0.3, period: 2, constraintTurns: 16, isPartial: false,
      watchesPeak: true, holding: 0.9998, heldShare: 0.1)

    /// Returns what has the same effect in a second of the layout's hops as this has in one of hops of 256 frames at 48 kHz.
    func adapted(to layout: FilterLayout) -> Tuning {
      var adapted = self
      adapted.processNoise = 1 - layout.perHop(1 - processNoise)
      adapted.smoothing = layout.perHop(smoothing)
      adapted.holding = layout.perHop(holding)
      return adapted
    }
  }
}
