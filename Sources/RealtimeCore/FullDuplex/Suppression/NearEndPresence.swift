internal import CKernels

/// Estimates the probability that the near end is heard, by band and overall: a logistic function of the level over expected echo and
/// noise, smoothed over time. There are two, one for noise and one for echo, which count by the echo's share of what is expected: what
/// noise was taken for in a pause of the far end is forgotten as soon as an echo is expected. Own method. Cost: a logarithm and two
/// exponentials for each 16 bands, and a store a bin, a hop. [realtime] except `init` and `deinit`.
struct NearEndPresence: ~Copyable {
  /// The mean of the five likeliest speech bands, 0…1, falling gradually.
  private(set) var overall: Float = 1
  /// The probability by bin: smoothed over bands, times `overall`; more while nothing can be echo.
  let byBin: Samples

  private let tuning: Tuning.NearEndPresence
  private let bands: SuppressorBands
  private let bins: Int
  private let presence: Samples
  /// The echo's share of the expected power, by band.
  private let echoShares: Samples
  /// The two probabilities by band: how likely a level is no noise, and no echo.
  private let overNoise, overEcho: Samples
  /// The mean of the likeliest bands, falling with the time constant of `overall`: of `presence`, and of `overEcho`.
  private var held: Float = 1
  private var heldOverEcho: Float = 1
  /// Shares of the way to a new value per hop, rising and falling, for bands with echo and for bands with noise.
  private let attackEcho, attackNoise, releaseEcho, releaseNoise, overallRelease: Float

  init(layout: FilterLayout, tuning: Tuning.NearEndPresence = .standard, bands: SuppressorBands, bins: Int) {
    self.tuning = tuning
    self.bands = bands
    self.bins = bins
    presence = Samples(bands.padded)
    echoShares = Samples(bands.padded)
    overNoise = Samples(bands.padded)
    overEcho = Samples(bands.padded)
    byBin = Samples(bins)
    attackEcho = 1 - layout.perHop(tuning.attackEcho)
    attackNoise = 1 - layout.perHop(tuning.attackNoise)
    releaseNoise = 1 - layout.perHop(tuning.releaseNoise)
    releaseEcho = 1 - layout.perHop(tuning.releaseEcho)
    overallRelease = layout.perHop(tuning.overall)
  }

  /// Processes the powers of one hop, by band, of `bands.padded` values. While guarded, everything counts as echo.
  @_noLocks @_noAllocation
  mutating func update(
    error: UnsafePointer<Float>, echo: UnsafePointer<Float>, noise: UnsafePointer<Float>, isGuarded: Bool,
    isFarEndSilent: Bool
  ) {
    var hop = nearend_likelihood(
      bands: Int32(bands.padded), error: error, echo: echo, noise: noise, overNoise: overNoise.start, overEcho: overEcho.start,
      noiseThreshold: tuning.overNoise, echoThreshold: tuning.overEcho, width: tuning.width, noiseAttack: attackNoise,
      noiseRelease: releaseNoise, echoAttack: attackEcho, echoRelease: releaseEcho)
    nearend_judge(&hop, echoShares.start, presence.start)
    if isGuarded {
      clear(presence.start, frames: bands.padded)
      clear(overNoise.start, frames: bands.padded)
      clear(overEcho.start, frames: bands.padded)
    }
    var echoShare: Float = 0
    for band in bands.speech { echoShare += echoShares[band] }
    echoShare /= Float(bands.speech.count)
    let now = likeliest(of: presence.start), surely = likeliest(of: overEcho.start)
    held = isGuarded ? 0 : max(now, overallRelease * held + (1 - overallRelease) * now)
    heldOverEcho = isGuarded ? 0 : max(surely, overallRelease * heldOverEcho + (1 - overallRelease) * surely)
    overall = max(now, held + echoShare * (min(heldOverEcho, held) - held))
    let weight = isFarEndSilent ? tuning.leastWeight + (1 - tuning.leastWeight) * overall : overall
    for band in 0..<bands.count {
      let p = 0.5 * presence[band] + 0.25 * presence[max(band - 1, 0)] + 0.25 * presence[min(band + 1, bands.count - 1)]
      // Bins above the last band take its value.
      for k in bands.edges[band]..<(band + 1 < bands.count ? bands.edges[band + 1] : bins) { byBin[k] = p * weight }
    }
  }

  /// Returns the mean of the five highest values among the speech bands.
  // `mutating`: Swift 6.3 copies the structure for a method that is not.
  @_noLocks @_noAllocation
  private mutating func likeliest(of presence: UnsafePointer<Float>) -> Float {
    // In descending order. Each value passes all five, without a branch.
    var first: Float = -1, second: Float = -1, third: Float = -1, fourth: Float = -1, fifth: Float = -1
    for band in bands.speech {
      var value = presence[band]
      Self.sort(&first, &value)
      Self.sort(&second, &value)
      Self.sort(&third, &value)
      Self.sort(&fourth, &value)
      Self.sort(&fifth, &value)
    }
    return (first + second + third + fourth + fifth) / 5
  }

  @inline(__always) @_noLocks @_noAllocation
  private static func sort(_ higher: inout Float, _ lower: inout Float) {
    (higher, lower) = (max(higher, lower), min(higher, lower))
  }
}
