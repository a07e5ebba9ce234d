/// Mixes what both filters leave, so that the least is left.
///
///     heard = c + λ (f − c),   λ = clamp(Σ ⟨c, c − f⟩ / |c|² / Σ |c − f|² / |c|², 0, 1)
///     U = (1 − λ) Uc + λ Uf
///
/// c, f: a hop of the careful and of the fast filter's residual; Σ over hops, fading with a time constant of a quarter of a second. A
/// convex combination of adaptive filters (Arenas-García, Figueiras-Vidal and Sayed, IEEE Trans. SP-54, 2006) is at least as good as the
/// better of them, and better than both where their errors differ: real loudspeakers, rooms and clocks are never quite still, so that
/// neither filter is right. Neither has learnt from the newest hop, so the near end favours none of them by what it is; divided by |c|²,
/// its loud hops, which tell least, count least. The weighted least squares are own. By convexity U is at least the expected power of the
/// mixed error, however much the two errors have in common. Cost: three sums over a hop, two crossfades of one, and a pass over the bins.
/// [realtime] except `init` and `deinit`.
struct FilterMix: ~Copyable {
  /// λ, the fast filter's share at the end of the newest hop, 0…1.
  private(set) var share: Float = 0
  /// The share of the careful filter's error that the mixture takes away, 0…1.
  var benefit: Float {
    @_noLocks @_noAllocation get { share * (2 * gain - share * difference) }
  }
  /// Echo and residual of the newest hop.
  var echo: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { UnsafePointer(mixedEcho.start) }
  }
  var residual: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { UnsafePointer(mixedResidual.start) }
  }
  /// U, by adapted bin.
  var uncertainty: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { UnsafePointer(mixedUncertainty.start) }
  }

  private let hop, bins: Int
  private let memory, least: Float
  private let mixedEcho, mixedResidual, mixedUncertainty: Samples
  /// The two sums of the formula above.
  private var gain: Float = 0
  private var difference: Float = 0
  /// |c|², smoothed.
  private var power: Float = 0

  init(layout: FilterLayout, tuning: Tuning.FilterMix = .standard) {
    least = tuning.least
    hop = layout.hop
    bins = layout.bins
    memory = layout.perHop(tuning.memory)
    mixedEcho = Samples(layout.hop)
    mixedResidual = Samples(layout.hop)
    // As many as `KalmanFilter.uncertainty` has: sums by bands read beyond the last bin.
    mixedUncertainty = Samples(layout.binsAndMargin)
  }

  /// Mixes one hop of both filters. Unless the fast one `isOffered`, its share falls to 0 within
  /// the hop.
  @_noLocks @_noAllocation
  mutating func mix(fast: FilterEstimate, careful: FilterEstimate, isOffered: Bool) {
    let before = share
    share = 0
    if isOffered {
      compare(fast.residual, careful.residual)
      share = min(max(gain / (difference + 1e-12), 0), 1)
    }
    crossfade(careful.echo, fast.echo, from: before, into: mixedEcho.start)
    crossfade(careful.residual, fast.residual, from: before, into: mixedResidual.start)
    for k in stride(from: 0, to: bins, by: 8) {
      let u = load8(careful.uncertainty + k)
      store8(u + share * (load8(fast.uncertainty + k) - u), to: mixedUncertainty + k)
    }
  }

  /// Returns to the careful filter, because nothing is played.
  @_noLocks @_noAllocation
  mutating func pass() { share = 0 }

  @_noLocks @_noAllocation
  private mutating func compare(_ fast: UnsafePointer<Float>, _ careful: UnsafePointer<Float>) {
    var products = SIMD8<Float>.zero, squares = SIMD8<Float>.zero, powers = SIMD8<Float>.zero
    for i in stride(from: 0, to: hop, by: 8) {
      let c = load8(careful + i), d = c - load8(fast + i)
      products += c * d
      squares += d * d
      powers += c * c
    }
    let newest = powers.sum(), weight = 1 / (newest + least * power + 1e-10)
    power += (1 - memory) * (newest - power)
    gain += (1 - memory) * (weight * products.sum() - gain)
    difference += (1 - memory) * (weight * squares.sum() - difference)
  }

  @_noLocks @_noAllocation
  private func crossfade(
    _ careful: UnsafePointer<Float>, _ fast: UnsafePointer<Float>, from before: Float, into output: UnsafeMutablePointer<Float>
  ) {
    let step = (share - before) / Float(hop)
    for i in 0..<hop { output[i] = careful[i] + (before + step * (Float(i) + 0.5)) * (fast[i] - careful[i]) }
  }
}
