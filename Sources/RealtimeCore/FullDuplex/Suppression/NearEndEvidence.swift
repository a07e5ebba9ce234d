/// Tells near-end speech from an echo that the filter underestimates, while the filter has yet to converge.
///
/// How far its uncertainty is off is unknown then, and the near end's share of the error looks like such a mistake. But where the far end
/// talks alone, a filter that has learnt for some tenths of a second leaves less than it estimates, even through a loudspeaker that
/// distorts. So a near end is proven where more remains than is estimated, and twice what is expected to remain:
///
///     ē > ȳ,   ē > 2 ū,   ȳ > 0.7 ū
///
/// ē, ȳ and ū are the powers of error beyond the noise, estimate and expected error in the speech bands, each relative to that band's
/// recent error and estimate together, so that all bands count alike; averaged over 0.27 s. The last condition excludes filters that have
/// learnt nothing: an echo may be too late for their window. Own method. Cost: an addition a bin, and a division a band, a hop. [realtime]
/// except `init` and `deinit`.
struct NearEndEvidence: ~Copyable {
  /// A Boolean value indicating whether the near end is heard. Without this proof, it may or may not be.
  private(set) var isProven = false

  private let tuning: Tuning.NearEndEvidence
  private let bands: SuppressorBands
  private let echo, level: Samples
  private var error: Float = 0
  private var estimate: Float = 0
  private var expectation: Float = 0
  /// Smoothing constants of `level`, and of the three sums.
  private let levelMemory, memory: Float

  init(layout: FilterLayout, tuning: Tuning.NearEndEvidence = .standard, bands: SuppressorBands) {
    self.tuning = tuning
    self.bands = bands
    echo = Samples(bands.count)
    level = Samples(bands.count)
    levelMemory = layout.perHop(tuning.level)
    memory = layout.perHop(tuning.memory)
  }

  /// Processes one hop: |Y|² of the estimated echo by bin; by band, |E|², the expected power of the residual echo, and the noise.
  @_noLocks @_noAllocation
  mutating func update(
    echo y2: UnsafePointer<Float>, error errors: UnsafePointer<Float>, expected: UnsafePointer<Float>, noise: UnsafePointer<Float>
  ) {
    bands.sum(y2, into: echo.start)
    var e: Float = 0, y: Float = 0, u: Float = 0
    for band in bands.speech {
      level[band] = levelMemory * level[band] + (1 - levelMemory) * (errors[band] + echo[band])
      let weight = 1 / (level[band] + noise[band] + 1e-9)
      e += weight * max(errors[band] - noise[band], 0)
      y += weight * echo[band]
      u += weight * expected[band]
    }
    error = memory * error + (1 - memory) * e
    estimate = memory * estimate + (1 - memory) * y
    expectation = memory * expectation + (1 - memory) * u
    isProven = error > tuning.excess * expectation && error > tuning.remaining * estimate && estimate > tuning.learnt * expectation
  }

  /// Discards what was gathered: the far end is silent.
  @_noLocks @_noAllocation
  mutating func forget() { (error, estimate, expectation, isProven) = (0, 0, 0, false) }
}
