internal import CRealtime

/// The weights by which an array's microphones are combined: a minimum variance distortionless response for a transfer function that is
/// found blindly.
///
///     A = Φₙ + f Φₑ + diag(load · Φₙ + talkerLoad · Φᵧ + max(0, U − f Φₑ)),   U: what the filters expect to be left of the echo,
///                                                                           f: its share in all that is not the talker
///     g ← A⁻¹ Φᵧ g,   one step a turn towards the principal generalized eigenvector (covariance whitening: Markovich-Golan and Gannot,
///                     ICASSP 2015; power iteration: Varzandeh, Taseska and Habets, HSCMA 2017)
///     h = A g / (A g)ᵣ,   the relative transfer function to the reference r
///     w = A⁻¹ h / (hᴴ A⁻¹ h) = g (A g)ᵣ* / (gᴴ A g)
///     target = κ w + (1 − κ) eᵣ,   κ = τ σ / (σ + trusted) · min(1, mostNoise / Σ |w|² Φₙ / Φₙᵣ),   σ = gᴴ Φᵧ g / (gᴴ A g) − 1,
///                                       τ: how far the noise is known
///
/// The reference is one microphone, so that the voice is heard as that one hears it; where the array knows no better, it is that one. The
/// loading bounds the white noise gain (Cox, Zeskind and Owen, IEEE Trans. ASSP-35, 1987). Eight bins are solved at once, by L D Lᴴ, and
/// each bin every `turns` hops. Cost: N³ / 3 + 4 N² complex multiplications for N microphones, a bin and turn. [realtime] except `init` and
/// `deinit`.
struct ArrayWeights: ~Copyable {
  /// Hops from one solution of a bin to the next.
  static var turns: Int {
    @_noLocks @_noAllocation get { 4 }
  }

  private let count, bins, padded: Int
  private let tuning: Tuning.Beamformer
  /// g, by microphone and bin: real parts and imaginary ones, of `bins` each.
  private let vectors: Samples
  /// The target weights likewise, of `padded` each.
  let target: Samples
  /// Of eight bins: the lower triangle of A, then of L, whose element (m, n) is at 2 (m N + n); D and its inverse; a vector.
  private let a, pivots, inverse, work: UnsafeMutablePointer<SIMD8<Float>>
  private let memory: CacheLines

  /// - Parameters:
  ///   - count: microphones, 1…8.
  ///   - bins: those that are solved, a multiple of 8.
  ///   - padded: all.
  init(count: Int, bins: Int, padded: Int, tuning: Tuning.Beamformer) {
    (self.count, self.bins, self.padded, self.tuning) = (count, bins, padded, tuning)
    vectors = Samples(2 * count * bins)
    target = Samples(2 * count * padded)
    let vectorsOfEight = 2 * count * count + 4 * count, memory = CacheLines(byteCount: vectorsOfEight * MemoryLayout<SIMD8<Float>>.stride)
    a = memory.start.bindMemory(to: SIMD8<Float>.self, capacity: vectorsOfEight)
    pivots = a + 2 * count * count
    inverse = pivots + count
    work = inverse + count
    self.memory = memory
    for k in 0..<bins { vectors[k] = 1 }
    for k in 0..<padded { target[k] = 1 }
  }

  /// Follows the main microphone and another one, which have changed places.
  @_noLocks @_noAllocation
  func exchange(_ place: Int) {
    exchangeValues(vectors.start, vectors + 2 * place * bins, frames: 2 * bins)
    exchangeValues(target.start, target + 2 * place * padded, frames: 2 * padded)
  }

  /// Sets the target to one microphone in all bins, times a gain.
  @_noLocks @_noAllocation
  func choose(_ microphone: Int, gain: Float) {
    for m in 0..<2 * count {
      let value = m == 2 * microphone ? gain : 0
      for k in 0..<padded { target[m * padded + k] = value }
    }
  }

  /// Solves the bins whose turn it is. `noiseTrust`: τ, 0…1; `uncertainties`: U, of `padded` bins for each microphone; nil if the far end
  /// is silent.
  @_noLocks @_noAllocation
  func solve(
    turn: Int, noise: borrowing SpatialCovariance, echo: borrowing SpatialCovariance, echoShare: Float, noiseTrust: Float,
    uncertainties: UnsafePointer<Float>?, talker: borrowing SpatialCovariance, health: borrowing MicrophoneHealth
  ) {
    for k in stride(from: 8 * (turn % Self.turns), to: bins, by: 8 * Self.turns) {
      collect(k, noise, echo, echoShare, talker, health)
      if let uncertainties { load(k, uncertainties, echo, echoShare) }
      factorize()
      follow(k, talker, health)
      decide(k, noise, talker, health, noiseTrust)
    }
  }

  /// Writes A of eight bins, its lower triangle: of a dead microphone, the identity.
  @_noLocks @_noAllocation
  private func collect(
    _ k: Int, _ noise: borrowing SpatialCovariance, _ echo: borrowing SpatialCovariance, _ echoShare: Float,
    _ talker: borrowing SpatialCovariance, _ health: borrowing MicrophoneHealth
  ) {
    for m in 0..<count {
      for n in 0...m {
        let at = 2 * (m * count + n)
        if health.isDead(m) || health.isDead(n) {
          (a[at], a[at + 1]) = (m == n ? SIMD8(repeating: 1) : .zero, .zero)
          continue
        }
        let re: SIMD8<Float> = load8(noise.plane(m, n) + k) + echoShare * load8(echo.plane(m, n) + k)
        if m == n {
          a[at] = (1 + tuning.load) * re + tuning.talkerLoad * load8(talker.plane(m, m) + k) + tuning.nothing
          a[at + 1] = .zero
        } else {
          a[at] = re
          a[at + 1] = load8(noise.plane(n, m) + k) + echoShare * load8(echo.plane(n, m) + k)
        }
      }
    }
  }

  /// Adds what a filter expects to be left beyond what was.
  @_noLocks @_noAllocation
  private func load(_ k: Int, _ uncertainties: UnsafePointer<Float>, _ echo: borrowing SpatialCovariance, _ echoShare: Float) {
    for m in 0..<count {
      let excess: SIMD8<Float> = load8(uncertainties + m * padded + k) - echoShare * load8(echo.plane(m, m) + k)
      let diagonal = a + 2 * (m * count + m)
      diagonal.pointee += excess.replacing(with: 0, where: excess .< 0)
    }
  }

  /// Replaces A by L and D.
  @_noLocks @_noAllocation
  private func factorize() {
    for j in 0..<count {
      let diagonal = a[2 * (j * count + j)]
      var pivot = diagonal
      for p in 0..<j {
        let r = a[2 * (j * count + p)], i = a[2 * (j * count + p) + 1]
        pivot -= (r * r + i * i) * pivots[p]
      }
      // Rounding must not make it negative.
      let least: SIMD8<Float> = 1e-5 * diagonal
      pivot.replace(with: least, where: pivot .< least)
      pivots[j] = pivot
      inverse[j] = 1 / pivot
      for m in j + 1..<max(count, j + 1) {
        let at = 2 * (m * count + j)
        var re = a[at], im = a[at + 1]
        for p in 0..<j {
          let mr = a[2 * (m * count + p)], mi = a[2 * (m * count + p) + 1], jr = a[2 * (j * count + p)], ji = a[2 * (j * count + p) + 1]
          re -= (mr * jr + mi * ji) * pivots[p]
          im -= (mi * jr - mr * ji) * pivots[p]
        }
        (a[at], a[at + 1]) = (re * inverse[j], im * inverse[j])
      }
    }
  }

  /// g ← A⁻¹ Φᵧ g, normalized.
  @_noLocks @_noAllocation
  private func follow(_ k: Int, _ talker: borrowing SpatialCovariance, _ health: borrowing MicrophoneHealth) {
    let v = work
    for m in 0..<count {
      var re = SIMD8<Float>.zero, im = SIMD8<Float>.zero
      for n in 0..<count where !health.isDead(m) && !health.isDead(n) {
        let gr = load8(vectors + 2 * n * bins + k), gi = load8(vectors + (2 * n + 1) * bins + k)
        let yr = load8((m >= n ? talker.plane(m, n) : talker.plane(n, m)) + k)
        var yi = SIMD8<Float>.zero
        if m > n { yi = load8(talker.plane(n, m) + k) }
        if m < n { yi = -load8(talker.plane(m, n) + k) }
        re += yr * gr - yi * gi
        im += yr * gi + yi * gr
      }
      // Forward, at once.
      for n in 0..<m {
        let lr = a[2 * (m * count + n)], li = a[2 * (m * count + n) + 1], r = v[2 * n], i = v[2 * n + 1]
        re -= lr * r - li * i
        im -= lr * i + li * r
      }
      (v[2 * m], v[2 * m + 1]) = (re, im)
    }
    for m in 0..<count { (v[2 * m], v[2 * m + 1]) = (v[2 * m] * inverse[m], v[2 * m + 1] * inverse[m]) }
    var norm = SIMD8<Float>.zero
    for m in (0..<count).reversed() {
      var re = v[2 * m], im = v[2 * m + 1]
      for n in m + 1..<max(count, m + 1) {
        let lr = a[2 * (n * count + m)], li = a[2 * (n * count + m) + 1], r = v[2 * n], i = v[2 * n + 1]
        re -= lr * r + li * i
        im -= lr * i - li * r
      }
      (v[2 * m], v[2 * m + 1]) = (re, im)
      norm += (re * re + im * im)
    }
    // Without a talker yet, g stays.
    let isKnown = norm .> 1e-20
    var factor = SIMD8<Float>.zero
    for i in 0..<8 { factor[i] = 1 / rt_sqrtf(max(norm[i], 1e-20)) }
    for m in 0..<count {
      for part in 0..<2 {
        let g = vectors + (2 * m + part) * bins + k
        store8(load8(g).replacing(with: v[2 * m + part] * factor, where: isKnown), to: g)
      }
    }
  }

  /// h, w and the target.
  @_noLocks @_noAllocation
  private func decide(
    _ k: Int, _ noise: borrowing SpatialCovariance, _ talker: borrowing SpatialCovariance, _ health: borrowing MicrophoneHealth,
    _ noiseTrust: Float
  ) {
    let reference = health.reference, g = vectors.start
    let (whole, hr, hi) = form(k, reference), signal = power(k, talker, health)
    let noisePower: SIMD8<Float> = whole.replacing(with: 1e-20, where: whole .< 1e-20)
    let excess: SIMD8<Float> = signal / noisePower - 1, ratio: SIMD8<Float> = excess.replacing(with: 0, where: excess .< 0)
    let scale: SIMD8<Float> = 1 / noisePower
    var gain = SIMD8<Float>.zero
    let w = work
    for m in 0..<count {
      let gr = load8(g + 2 * m * bins + k), gi = load8(g + (2 * m + 1) * bins + k)
      // g · conj(h)
      let re: SIMD8<Float> = (gr * hr + gi * hi) * scale, im: SIMD8<Float> = (gi * hr - gr * hi) * scale
      (w[2 * m], w[2 * m + 1]) = (re, im)
      if !health.isDead(m) { gain += (re * re + im * im) * load8(noise.plane(m, m) + k) }
    }
    let limit: SIMD8<Float> = tuning.mostNoise * (load8(noise.plane(reference, reference) + k) + tuning.nothing)
    let bound: SIMD8<Float> = limit / gain.replacing(with: limit, where: gain .< limit)
    let trust: SIMD8<Float> = ratio / (ratio + tuning.trusted) * bound * noiseTrust
    for m in 0..<count {
      let own: SIMD8<Float> = m == reference ? 1 - trust : .zero
      store8(health.referenceGain * (trust * w[2 * m] + own), to: target + 2 * m * padded + k)
      store8(health.referenceGain * (trust * w[2 * m + 1]), to: target + (2 * m + 1) * padded + k)
    }
  }

  /// Returns gᴴ A g, and (A g) of the reference.
  @_noLocks @_noAllocation
  private func form(_ k: Int, _ reference: Int) -> (SIMD8<Float>, SIMD8<Float>, SIMD8<Float>) {
    let g = vectors.start
    var whole = SIMD8<Float>.zero, hr = SIMD8<Float>.zero, hi = SIMD8<Float>.zero
    // A = L D Lᴴ: u = Lᴴ g, gᴴ A g = Σ D |u|², (A g)ᵣ = Σ L D u.
    for m in 0..<count {
      var re = load8(g + 2 * m * bins + k), im = load8(g + (2 * m + 1) * bins + k)
      for n in m + 1..<max(count, m + 1) {
        let lr = a[2 * (n * count + m)], li = a[2 * (n * count + m) + 1]
        let gr = load8(g + 2 * n * bins + k), gi = load8(g + (2 * n + 1) * bins + k)
        re += lr * gr + li * gi
        im += lr * gi - li * gr
      }
      let pivot = pivots[m]
      whole += pivot * (re * re + im * im)
      if m > reference { continue }
      if m == reference {
        hr += pivot * re
        hi += pivot * im
      } else {
        let lr = a[2 * (reference * count + m)], li = a[2 * (reference * count + m) + 1]
        hr += pivot * (lr * re - li * im)
        hi += pivot * (lr * im + li * re)
      }
    }
    return (whole, hr, hi)
  }

  /// Returns gᴴ Φᵧ g.
  @_noLocks @_noAllocation
  private func power(_ k: Int, _ talker: borrowing SpatialCovariance, _ health: borrowing MicrophoneHealth) -> SIMD8<Float> {
    let g = vectors.start
    var sum = SIMD8<Float>.zero
    for m in 0..<count where !health.isDead(m) {
      let mr = load8(g + 2 * m * bins + k), mi = load8(g + (2 * m + 1) * bins + k)
      sum += load8(talker.plane(m, m) + k) * (mr * mr + mi * mi)
      for n in 0..<m where !health.isDead(n) {
        let nr = load8(g + 2 * n * bins + k), ni = load8(g + (2 * n + 1) * bins + k)
        let yr = load8(talker.plane(m, n) + k), yi = load8(talker.plane(n, m) + k)
        // 2 Re(conj(gₘ) Φₘₙ gₙ)
        let re: SIMD8<Float> = mr * nr + mi * ni, im: SIMD8<Float> = mr * ni - mi * nr
        sum += 2 * (yr * re - yi * im)
      }
    }
    return sum
  }
}
