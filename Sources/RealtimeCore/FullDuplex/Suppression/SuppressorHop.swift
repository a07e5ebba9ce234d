/// What the suppressor's stages are told of one hop; valid until the next. [realtime]
struct SuppressorHop {
  /// Powers of a hop, by `JoinedBins`.
  struct Bins {
    /// |E|² of the residual, |Y|² of the estimated echo, and the filter's uncertainty.
    let error, echo, uncertainty: UnsafePointer<Float>

    @_noLocks @_noAllocation
    init(error: UnsafePointer<Float>, echo: UnsafePointer<Float>, uncertainty: UnsafePointer<Float>) {
      (self.error, self.echo, self.uncertainty) = (error, echo, uncertainty)
    }
  }

  /// The same, by band.
  struct Bands {
    /// |E|², and the noise.
    let error, noise: UnsafePointer<Float>

    @_noLocks @_noAllocation
    init(error: UnsafePointer<Float>, noise: UnsafePointer<Float>) { (self.error, self.noise) = (error, noise) }
  }

  let bins: Bins
  let bands: Bands
  /// What is unknown of clipped samples, in each bin.
  let repaired: Float
  /// The probability of near-end speech, as of the hop before.
  let presence: Float
  /// Whether everything that is heard counts as echo.
  let isGuarded: Bool
  let canceller: CancellerState

  @_noLocks @_noAllocation
  init(bins: Bins, bands: Bands, repaired: Float, presence: Float, isGuarded: Bool, canceller: CancellerState) {
    (self.bins, self.bands, self.canceller) = (bins, bands, canceller)
    (self.repaired, self.presence, self.isGuarded) = (repaired, presence, isGuarded)
  }
}
