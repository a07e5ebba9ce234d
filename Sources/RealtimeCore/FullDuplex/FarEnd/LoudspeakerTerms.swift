internal import CKernels
internal import CRealtime

/// Computes the distortions that loudspeakers add, as signals: saturation, which is odd; asymmetry, which is even; and the force that
/// weakens as the cone leaves its rest position (Klippel, Loudspeaker Nonlinearities, JAES 54, 2006; the formulas are own). From each, its
/// projection on the far end is subtracted, and its mean, so that it does not influence the linear path. Cost: some 40 operations a sample
/// and channel. [realtime] except `init` and `deinit`.
struct LoudspeakerTerms: ~Copyable {
  /// The number of terms.
  static var count: Int {
    @_noLocks @_noAllocation get { 3 }
  }
  /// The newest hop of each term, one after another. Overwritten by the next `measure`.
  let values: Samples

  /// The first of them.
  var saturation: UnsafeMutablePointer<Float> {
    @_noLocks @_noAllocation get { values.start }
  }

  private let hop: Int
  /// What remains after a hop of the projections and means.
  private let memory: Float
  /// How far a saturating loudspeaker is driven by full scale.
  private let steepness: Float
  /// Coefficient of a one-pole low-pass filter, which turns voltage into the cone's excursion.
  private let compliance: Float
  private let excursions: Samples
  /// By channel: the excursion at the end of the last hop, and Σ x².
  private let excursion, power: Samples
  /// By channel and term: Σ x v, and the mean of v.
  private let projections, means: Samples

  init(layout: FilterLayout, tuning: Tuning.LoudspeakerTerms = .standard, channels: Int) {
    hop = layout.hop
    steepness = tuning.steepness
    memory = layout.perHop(tuning.memory)
    compliance = 1 - rt_expf(-2 * .pi * tuning.compliance / Float(layout.rate))
    values = Samples(Self.count * layout.hop)
    excursions = Samples(layout.hop)
    excursion = Samples(channels)
    power = Samples(repeating: 1e-9, count: channels)
    projections = Samples(channels * Self.count)
    means = Samples(channels * Self.count)
  }

  /// Computes the terms of one hop of a channel.
  ///
  /// - Parameter gain: the far end's gain from `ReferenceLevel`.
  @_noLocks @_noAllocation
  mutating func measure(_ samples: UnsafePointer<Float>, channel: Int, gain: Float = 1) {
    excursion[channel] = nearend_follow(samples, compliance, excursion[channel], excursions.start, Int32(hop))
    let asymmetry = values + hop, weakening = values + 2 * hop
    nearend_saturate(samples, steepness * gain, saturation, Int32(hop))
    var squares = SIMD8<Float>.zero
    for i in stride(from: 0, to: hop, by: 8) {
      let x = load8(samples + i), s = load8(excursions + i)
      let magnitude: SIMD8<Float> = s.replacing(with: -s, where: s .< 0)
      store8(gain * x * x, to: asymmetry + i)
      store8(gain * x * magnitude, to: weakening + i)
      squares += x * x
    }
    // Of a side on which nothing is played while the other one is, it would become 0 after 70 s, and so would its projections.
    power[channel] = max(memory * power[channel] + squares.sum(), 1e-30)
    for term in 0..<Self.count { subtractLinearPart(of: term, samples, channel: channel) }
  }

  @_noLocks @_noAllocation
  private mutating func subtractLinearPart(of term: Int, _ samples: UnsafePointer<Float>, channel: Int) {
    let value = values + term * hop, index = channel * Self.count + term
    var products = SIMD8<Float>.zero, sums = SIMD8<Float>.zero
    for i in stride(from: 0, to: hop, by: 8) {
      let v = load8(value + i)
      products += v * load8(samples + i)
      sums += v
    }
    projections[index] = memory * projections[index] + products.sum()
    // Saturation is odd, and the far end has no mean (`DCBlocker`).
    if term > 0 { means[index] += (1 - memory) * (sums.sum() / Float(hop) - means[index]) }
    let linear = projections[index] / power[channel], mean = means[index]
    for i in stride(from: 0, to: hop, by: 8) {
      let played: SIMD8<Float> = linear * load8(samples + i)
      store8(load8(value + i) - played - mean, to: value + i)
    }
  }

  /// Copies channel 0's state to channel 1, because both have played the same.
  @_noLocks @_noAllocation
  mutating func join() {
    (excursion[1], power[1]) = (excursion[0], power[0])
    for term in 0..<Self.count {
      projections[Self.count + term] = projections[term]
      means[Self.count + term] = means[term]
    }
  }
}
