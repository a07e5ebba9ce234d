internal import CRealtime

/// Strengthens the near end's harmonics below 1 kHz, where echo is left between them: adds to the voice what the same gains leave of the
/// residual a pitch period ago, as far as both agree, and keeps the power of each group of bins (the pitch filter of RNNoise: Valin, MMSP
/// 2018). It runs while echo is expected and suppressed, on the voice of one microphone, not on `open`. Delay: none. Cost: two transforms
/// of 96 samples and the bins below 1 kHz, by the definition, and 56 products of 96 samples. [realtime] except `init` and `deinit`.
struct HarmonicComb: ~Copyable {
  private let tuning: Tuning.HarmonicComb
  private var low: LowBand
  /// Bins of a group.
  private let group: Int
  /// Windows that are late by a period of the highest voice or more.
  private let windows: Int
  /// What remains of fits and weights per hop.
  private let fitMemory, weightMemory: Float
  /// The residual's spectrum, what the gains leave of that of a period ago, and the gains.
  private let residual, former: Spectrum
  private let gains: Samples
  private let signal: Samples
  /// How well each window fits: sums of its products with the voice, and of its squares.
  private let products, squares: Samples
  /// By the first bin of a group, how much the former voice counts.
  private let weights: Samples
  private var isAtRest = true
  /// A power that keeps divisors from 0.
  private let inaudible: Float = 1e-12

  init(layout: FilterLayout, window: borrowing AsymmetricWindow, tuning: Tuning.HarmonicComb) {
    self.tuning = tuning
    let low = LowBand(layout: layout, window: window, limit: tuning.limit)
    group = max(Int((tuning.group / layout.binWidth).rounded()), 1)
    var windows = LowBand.windows
    while windows > 1, low.delay(Float(windows - 1)) < Float(layout.rate) / tuning.highest { windows -= 1 }
    self.windows = windows
    (fitMemory, weightMemory) = (layout.perHop(tuning.fit), layout.perHop(tuning.weight))
    residual = Spectrum(low.padded)
    former = Spectrum(low.padded)
    gains = Samples(low.padded)
    signal = Samples(LowBand.window)
    products = Samples(LowBand.windows)
    squares = Samples(LowBand.windows)
    weights = Samples(low.padded)
    self.low = low
  }

  /// Takes a window of the residual, and its spectrum, before it is suppressed.
  @_noLocks @_noAllocation
  mutating func take(_ window: UnsafePointer<Float>, _ spectrum: SplitSpectrum) {
    isAtRest = false
    low.push(window)
    copy(UnsafePointer(spectrum.re), to: residual.re, frames: low.padded)
    copy(UnsafePointer(spectrum.im), to: residual.im, frames: low.padded)
  }

  /// Forgets what it has taken.
  @_noLocks @_noAllocation
  mutating func rest() {
    if isAtRest { return }
    isAtRest = true
    low.forget()
    clear(products.start, frames: LowBand.windows)
    clear(squares.start, frames: LowBand.windows)
    clear(weights.start, frames: low.padded)
  }

  /// Strengthens harmonics of the voice, which is what gains have left of the spectrum that was taken.
  // Never inlined, so that profiles tell this stage apart.
  @inline(never) @_noLocks @_noAllocation
  mutating func strengthen(_ voice: SplitSpectrum) {
    findGains(voice)
    low.synthesize(former.parts, into: signal.start)
    low.correlate(signal.start, memory: fitMemory, into: products.start, squares: squares.start)
    low.analyze(delay: period(), into: former.parts)
    for k in stride(from: 0, to: low.padded, by: 8) {
      store8(load8(gains + k) * load8(former.re + k), to: former.re + k)
      store8(load8(gains + k) * load8(former.im + k), to: former.im + k)
    }
    let voicing = voicing(of: voice)
    for first in stride(from: 1, to: low.bins, by: group) {
      strengthen(voice, first..<min(first + group, low.bins), share: voicing * tuning.strength, weight: weights + first)
    }
  }

  /// Finds the gains, of which comfort noise is a part, and applies them to the voice once more, so that it fits its past better than that
  /// of the echo.
  // `mutating`, as those below: Swift 6.3 copies the structure for a method that is not.
  @_noLocks @_noAllocation
  private mutating func findGains(_ voice: SplitSpectrum) {
    for k in stride(from: 0, to: low.padded, by: 8) {
      let re = load8(residual.re + k), im = load8(residual.im + k), voiceRe = load8(voice.re + k), voiceIm = load8(voice.im + k)
      let power: SIMD8<Float> = re * re + im * im + inaudible
      let gain = clamp8((re * voiceRe + im * voiceIm) / power, 0, 1)
      store8(gain, to: gains + k)
      store8(gain * voiceRe, to: former.re + k)
      store8(gain * voiceIm, to: former.im + k)
    }
  }

  /// Returns by how many frames the window is late that fits best.
  @_noLocks @_noAllocation
  private mutating func period() -> Float {
    var best = 0, most: Float = 0
    for i in 0..<windows where products[i] > 0 {
      let fit = products[i] * products[i] / (squares[i] + inaudible)
      if fit > most { (best, most) = (i, fit) }
    }
    if best == 0 || best == windows - 1 { return low.delay(Float(best)) }
    // The vertex of a parabola through three products.
    let below = products[best - 1], above = products[best + 1], bend = 2 * products[best] - below - above
    var vertex: Float = 0
    if bend > 0 { vertex = min(max((above - below) / (2 * bend), -0.5), 0.5) }
    return low.delay(Float(best) + vertex)
  }

  /// How surely the voice has a pitch, 0…1: by its coherence with that of a period ago.
  @_noLocks @_noAllocation
  private mutating func voicing(of voice: SplitSpectrum) -> Float {
    let (product, power, formerPower) = compare(voice, 1..<low.bins)
    let coherence = product / rt_sqrtf(power) / rt_sqrtf(formerPower)
    return min(max((coherence - tuning.least) / (tuning.sure - tuning.least), 0), 1)
  }

  /// Adds as much of the former voice as agrees with the voice.
  @_noLocks @_noAllocation
  private mutating func strengthen(_ voice: SplitSpectrum, _ bins: Range<Int>, share: Float, weight: UnsafeMutablePointer<Float>) {
    let (product, power, formerPower) = compare(voice, bins)
    let agreement = min(max(product, 0) / power * (max(product, 0) / formerPower), 0.999)
    let wanted = share * min(agreement / (1 - agreement), 1)
    weight.pointee = wanted + weightMemory * (weight.pointee - wanted)
    let added = weight.pointee * rt_sqrtf(power / formerPower)
    // |X + wP|² = |X|² + 2 w Re(X P*) + w² |P|², which may vanish where phases are opposite and the strength is 1.
    let sum = max(power + 2 * added * product + added * added * formerPower, 0.01 * power)
    let scale = rt_sqrtf(power / sum)
    for k in bins {
      voice.re[k] = scale * (voice.re[k] + added * former.re[k])
      voice.im[k] = scale * (voice.im[k] + added * former.im[k])
    }
  }

  /// Returns, of some bins, Re Σ X P*, Σ |X|² and Σ |P|² of voice and former voice.
  @_noLocks @_noAllocation
  private mutating func compare(_ voice: SplitSpectrum, _ bins: Range<Int>) -> (product: Float, power: Float, formerPower: Float) {
    var product: Float = 0, power = inaudible, formerPower = inaudible
    for k in bins {
      product += voice.re[k] * former.re[k] + voice.im[k] * former.im[k]
      power += voice.power(k)
      formerPower += former.parts.power(k)
    }
    return (product, power, formerPower)
  }
}
