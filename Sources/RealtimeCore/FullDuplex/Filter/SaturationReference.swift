internal import CRealtime

/// What a loudspeaker that saturates adds to the far end: the difference that a tanh makes, less its projection on what was played (the
/// second branch of an orthogonalized power filter, Kuech and Kellermann 2006). [realtime] except `init` and `deinit`.
struct SaturationReference: ~Copyable {
  private let hop: Int
  /// One over the level at which the loudspeaker begins to saturate, 1 is full scale.
  private let steepness: Float = 8
  /// Per hop: 1 s.
  private let memory: Float
  /// By channel: Σ x², Σ u x.
  private let power, projection: UnsafeMutablePointer<Float>

  init(layout: FilterLayout, channels: Int) {
    hop = layout.hop
    memory = layout.perHop(0.995)
    power = .silence(channels)
    projection = .silence(channels)
    for channel in 0..<channels { power[channel] = 1e-9 }
  }

  deinit {
    power.deallocate()
    projection.deallocate()
  }

  /// Adds a channel's share to `output`, weighted.
  @_noLocks @_noAllocation
  mutating func add(_ samples: UnsafePointer<Float>, channel: Int, weight: Float, to output: UnsafeMutablePointer<Float>) {
    var squares = SIMD8<Float>.zero, products = SIMD8<Float>.zero
    for i in stride(from: 0, to: hop, by: 8) {
      let x = load8(samples + i)
      squares += x * x
      products += x * saturated(x)
    }
    power[channel] = memory * power[channel] + squares.sum()
    projection[channel] = memory * projection[channel] + products.sum()
    let linear = projection[channel] / power[channel]
    for i in stride(from: 0, to: hop, by: 8) {
      let x = load8(samples + i)
      store8(load8(output + i) + weight * (saturated(x) - linear * x), to: output + i)
    }
  }

  /// Sets channel 1's state to channel 0's, because both have played the same.
  @_noLocks @_noAllocation
  mutating func join() { (power[1], projection[1]) = (power[0], projection[0]) }

  /// tanh(steepness · x) / steepness by its continued fraction, which is 1 part in 10⁴ beyond the truth at most.
  @_noLocks @_noAllocation
  private func saturated(_ x: SIMD8<Float>) -> SIMD8<Float> {
    let z = (steepness * x).clamped(lowerBound: SIMD8(repeating: -4.97), upperBound: SIMD8(repeating: 4.97)), s = z * z
    // In steps of one type each: Swift 6.0 does not get to the end of the whole expression.
    let upper: SIMD8<Float> = 17_325 + s * (378 + s)
    let lower: SIMD8<Float> = 62_370 + s * (3_150 + s * 28)
    let numerator: SIMD8<Float> = z * (135_135 + s * upper)
    let denominator: SIMD8<Float> = 135_135 + s * lower
    return numerator / (steepness * denominator)
  }
}
