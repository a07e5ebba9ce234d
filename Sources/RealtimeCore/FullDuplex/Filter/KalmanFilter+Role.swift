extension KalmanFilter {
  /// Which of the filters it is, as far as that decides its structure and cost; how they learn is in `Tuning.Learning`.
  struct Role: Sendable {
    /// Hops per learning step; the echo is estimated every hop.
    let period: Int
    /// Learning steps per round of gradient constraints.
    let constraintTurns: Int
    /// A Boolean value indicating whether the filter has weights for the first partitions only, and takes the rest of the echo from a
    /// whole filter.
    let isPartial: Bool
    /// A Boolean value indicating whether the strongest tap is tracked, for `peak`.
    let watchesPeak: Bool

    /// Tracks a moving path.
    static let fast = Role(period: 1, constraintTurns: 32, isPartial: true, watchesPeak: false)
    /// Robust against near-end speech.
    static let careful = Role(period: 2, constraintTurns: 16, isPartial: false, watchesPeak: true)
    /// The only one of a further microphone of an array, whose echo's place is the main one's.
    static let follower = Role(period: 2, constraintTurns: 16, isPartial: false, watchesPeak: false)
  }
}
