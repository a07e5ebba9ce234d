internal import CRealtime

/// Estimates the probability that the near end is heard, by band and in all, from the power over expected echo and noise. [realtime] except
/// `init` and `deinit`.
struct NearEndPresence: ~Copyable {
  /// 0…1: the mean of the five likeliest bands of speech, falling within some 20 ms.
  private(set) var overall: Float = 1
  /// By bin: smoothed over bands, times `overall`.
  let byBin: UnsafeMutablePointer<Float>

  private let bands: Int
  private let bins: Int
  private let edges: UnsafeMutablePointer<Int>
  private let speech: Range<Int>
  private let presence: UnsafeMutablePointer<Float>
  private let attackEcho, attackNoise, releaseEcho, releaseNoise, overallRelease: Float

  /// Level in dB over the expected one that means speech, and the width of the step. The noise is known better than the residual echo,
  /// over which a band must stand out further, because it counts as speech for a tenth of a second then.
  private let thresholds: (noise: Float, echo: Float) = (1.3, 3.8)
  private let width: Float = 1.2
  private let counted = 5

  init(layout: FilterLayout, bands: SuppressorBands, bins: Int) {
    self.bands = bands.count
    self.bins = bins
    speech = bands.speech
    edges = .allocate(capacity: bands.edges.count)
    edges.initialize(from: bands.edges, count: bands.edges.count)
    presence = .silence(bands.count)
    byBin = .silence((bins + 7) / 8 * 8)
    attackEcho = 1 - layout.perHop(0.4)
    attackNoise = 1 - layout.perHop(0.1)
    // 24 ms, and 0.1 s where echo is expected: the end of a syllable is softer than that may be.
    releaseNoise = 1 - layout.perHop(0.8)
    releaseEcho = 1 - layout.perHop(0.95)
    overallRelease = layout.perHop(0.8)
  }

  deinit {
    edges.deallocate()
    presence.deallocate()
    byBin.deallocate()
  }

  /// Takes one hop by bin. While guarded, whatever is heard counts as echo.
  @_noLocks @_noAllocation
  mutating func update(
    error: UnsafePointer<Float>, echo: UnsafePointer<Float>, noise: UnsafePointer<Float>, isGuarded: Bool
  ) {
    for band in 0..<bands {
      var heard: Float = 0, residual: Float = 0, quiet: Float = 1e-12
      for k in edges[band]..<edges[band + 1] {
        heard += error[k]
        residual += echo[k]
        quiet += noise[k]
      }
      let expected = residual + quiet, share = residual / expected
      let level = 10 * rt_log10f(heard / expected + 1e-9)
      let threshold = thresholds.noise + (thresholds.echo - thresholds.noise) * share
      let likely = 1 / (1 + rt_expf((threshold - level) / width))
      let attack = attackNoise + (attackEcho - attackNoise) * share
      let release = releaseNoise + (releaseEcho - releaseNoise) * share
      // By a constant: Swift 6.3 cannot compile the property's own for the thread sanitizer.
      let levels = presence
      levels[band] += (likely > presence[band] ? attack : release) * (likely - presence[band])
      if isGuarded { presence[band] = 0 }
    }
    let now = isGuarded ? 0 : likeliest()
    overall = isGuarded ? 0 : max(now, overallRelease * overall + (1 - overallRelease) * now)
    for band in 0..<bands {
      let p = 0.5 * presence[band] + 0.25 * presence[max(band - 1, 0)] + 0.25 * presence[min(band + 1, bands - 1)]
      // Above the bands it is as in the last one.
      for k in edges[band]..<(band + 1 < bands ? edges[band + 1] : bins) { byBin[k] = p * overall }
    }
  }

  @_noLocks @_noAllocation
  private func likeliest() -> Float {
    var taken: UInt64 = 0, sum: Float = 0
    for _ in 0..<counted {
      var best = speech.lowerBound, highest: Float = -1
      for band in speech where taken & (1 << UInt64(band)) == 0 && presence[band] > highest { (best, highest) = (band, presence[band]) }
      taken |= 1 << UInt64(best)
      sum += presence[best]
    }
    return sum / Float(counted)
  }
}
