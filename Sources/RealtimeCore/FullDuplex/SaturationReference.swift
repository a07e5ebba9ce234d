internal import CRealtime

/// What a loudspeaker that saturates adds to the far end: the difference that a tanh makes, less its projection on what was played (the second branch of an
/// orthogonalized power filter, Kuech and Kellermann 2006). [realtime] but for `init` and `deinit`.
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

  /// Adds half of a channel's share to `output`.
  @_noLocks @_noAllocation
  mutating func add(_ samples: UnsafePointer<Float>, channel: Int, to output: UnsafeMutablePointer<Float>) {
    var squares: Float = 0, products: Float = 0
    for i in 0..<hop {
      let x = samples[i], u = saturated(x)
      squares += x * x
      products += u * x
    }
    power[channel] = memory * power[channel] + squares
    projection[channel] = memory * projection[channel] + products
    let linear = projection[channel] / power[channel]
    for i in 0..<hop { output[i] += 0.5 * (saturated(samples[i]) - linear * samples[i]) }
  }

  @_noLocks @_noAllocation
  private func saturated(_ x: Float) -> Float { rt_tanhf(steepness * x) / steepness }
}
