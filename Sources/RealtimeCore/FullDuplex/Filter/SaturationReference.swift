internal import CKernels

/// Computes the component that a saturating loudspeaker adds: tanh distortion minus its projection on the signal (the second branch of an
/// orthogonalized power filter, Kuech and Kellermann 2006). Cost: some 20 operations a sample and channel. [realtime] except `init` and
/// `deinit`.
struct SaturationReference: ~Copyable {
  private let hop: Int
  /// Smoothing per hop, with a time constant of 1 s.
  private let memory: Float
  /// By channel, of the signal x and its saturation u: Σ x² and Σ u x.
  private let power, projection: UnsafeMutablePointer<Float>
  /// u of the newest hop.
  private let saturated: UnsafeMutablePointer<Float>

  init(layout: FilterLayout, channels: Int) {
    hop = layout.hop
    memory = layout.perHop(0.995)
    power = .silence(channels)
    projection = .silence(channels)
    saturated = .silence(layout.hop)
    for channel in 0..<channels { power[channel] = 1e-9 }
  }

  deinit {
    power.deallocate()
    projection.deallocate()
    saturated.deallocate()
  }

  /// Adds a channel's component to `output`, times `weight`.
  ///
  /// - Parameter gain: the far end's gain from `ReferenceLevel`.
  @_noLocks @_noAllocation
  mutating func add(
    _ samples: UnsafePointer<Float>, channel: Int, weight: Float, gain: Float = 1, to output: UnsafeMutablePointer<Float>
  ) {
    nearend_saturate(samples, gain, saturated, Int32(hop))
    var squares = SIMD8<Float>.zero, products = SIMD8<Float>.zero
    for i in stride(from: 0, to: hop, by: 8) {
      let x = load8(samples + i)
      squares += x * x
      products += x * load8(saturated + i)
    }
    power[channel] = memory * power[channel] + squares.sum()
    projection[channel] = memory * projection[channel] + products.sum()
    let linear = projection[channel] / power[channel]
    for i in stride(from: 0, to: hop, by: 8) {
      let x = load8(samples + i)
      store8(load8(output + i) + weight * (load8(saturated + i) - linear * x), to: output + i)
    }
  }

  /// Copies channel 0's state to channel 1, because both have played the same.
  @_noLocks @_noAllocation
  mutating func join() { (power[1], projection[1]) = (power[0], projection[0]) }
}
