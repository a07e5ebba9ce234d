/// The covariance of some microphones' spectra, by bin: a Hermitian matrix that forgets.
///
///     Φ ← Φ + rate · s · (x xᴴ − Φ),   s = 1, or of noise 1 / (1 + max(0, |x|² / tr Φ − 1) / burst)
///
/// By s, what is far louder than Φ counts less, as in an M-estimator of scatter (Maronna, Annals of Statistics 4, 1976): a word that was
/// taken for noise.
///
/// Planes of bins, so that eight bins are processed at once: the real part of the element (m, n), m ≥ n, is in plane m N + n, its imaginary
/// part in n N + m. Cost: four multiplications a pair of microphones and bin. [realtime] except `init` and `deinit`.
struct SpatialCovariance: ~Copyable {
  private let count, bins: Int
  private let values: Samples
  /// `rate` · s, by bin.
  private let rates: Samples

  /// - Parameters:
  ///   - count: microphones, 1…8.
  ///   - bins: a multiple of 8.
  init(count: Int, bins: Int) {
    (self.count, self.bins) = (count, bins)
    values = Samples(count * count * bins)
    rates = Samples(bins)
  }

  /// Follows the first microphone and another one, which have changed places.
  @_noLocks @_noAllocation
  func exchange(_ place: Int) {
    exchangeValues(plane(0, 0), plane(place, place), frames: bins)
    for m in 1..<count where m != place {
      exchangeValues(plane(m, 0), m > place ? plane(m, place) : plane(place, m), frames: bins)
      exchangeValues(plane(0, m), m > place ? plane(place, m) : plane(m, place), frames: bins)
      // The conjugate of what is told the other way round.
      if m < place {
        scale(plane(0, m), by: -1, frames: bins)
        scale(plane(m, place), by: -1, frames: bins)
      }
    }
    scale(plane(0, place), by: -1, frames: bins)
  }

  /// Adds a hop.
  ///
  /// - Parameters:
  ///   - spectra: of each microphone `stride` real parts, and as many imaginary ones.
  ///   - burst: infinity where nothing is too loud.
  @_noLocks @_noAllocation
  func add(_ spectra: UnsafePointer<UnsafePointer<Float>>, stride imaginary: Int, rate: Float, burst: Float = .infinity) {
    weigh(spectra, stride: imaginary, rate: rate, burst: burst)
    for m in 0..<count {
      for n in 0...m {
        let x = spectra[m], y = spectra[n], re = plane(m, n), im = plane(n, m)
        for k in stride(from: 0, to: bins, by: 8) {
          let xr = load8(x + k), xi = load8(x + imaginary + k), yr = load8(y + k), yi = load8(y + imaginary + k)
          let rate = load8(rates + k), r = load8(re + k), product: SIMD8<Float> = xr * yr + xi * yi
          store8(r + rate * (product - r), to: re + k)
          if m == n { continue }
          let i = load8(im + k), cross: SIMD8<Float> = xi * yr - xr * yi
          store8(i + rate * (cross - i), to: im + k)
        }
      }
    }
  }

  @_noLocks @_noAllocation
  private func weigh(_ spectra: UnsafePointer<UnsafePointer<Float>>, stride imaginary: Int, rate: Float, burst: Float) {
    if burst == .infinity {
      for k in stride(from: 0, to: bins, by: 8) { store8(SIMD8(repeating: rate), to: rates + k) }
      return
    }
    let share = 1 / burst
    for k in stride(from: 0, to: bins, by: 8) {
      var power = SIMD8<Float>.zero, trace = SIMD8<Float>(repeating: 1e-12)
      for m in 0..<count {
        let re = load8(spectra[m] + k), im = load8(spectra[m] + imaginary + k)
        power += re * re + im * im
        trace += load8(plane(m, m) + k)
      }
      let excess: SIMD8<Float> = power / trace - 1, beyond = excess.replacing(with: 0, where: excess .< 0)
      store8(rate / (1 + share * beyond), to: rates + k)
    }
  }

  /// The real part of an element for m ≥ n, by bin; the imaginary part of (n, m) otherwise.
  @_noLocks @_noAllocation
  func plane(_ m: Int, _ n: Int) -> UnsafeMutablePointer<Float> { values + (m * count + n) * bins }
}
