/// The covariance of some microphones' spectra, by bin: a Hermitian matrix that forgets.
///
///     Φ ← Φ + rate · (x xᴴ − Φ)
///
/// Planes of bins, so that eight bins are processed at once: the real part of the element (m, n), m ≥ n, is in plane m N + n, its imaginary
/// part in n N + m. Cost: four multiplications a pair of microphones and bin. [realtime] except `init` and `deinit`.
struct SpatialCovariance: ~Copyable {
  private let count, bins: Int
  private let values: Samples

  /// - Parameters:
  ///   - count: microphones, 1…8.
  ///   - bins: a multiple of 8.
  init(count: Int, bins: Int) {
    (self.count, self.bins) = (count, bins)
    values = Samples(count * count * bins)
  }

  /// Adds a hop. `spectra`: of each microphone `stride` real parts, and as many imaginary ones.
  @_noLocks @_noAllocation
  func add(_ spectra: UnsafePointer<UnsafePointer<Float>>, stride imaginary: Int, rate: Float) {
    for m in 0..<count {
      for n in 0...m {
        let x = spectra[m], y = spectra[n], re = plane(m, n), im = plane(n, m)
        for k in stride(from: 0, to: bins, by: 8) {
          let xr = load8(x + k), xi = load8(x + imaginary + k), yr = load8(y + k), yi = load8(y + imaginary + k)
          let r = load8(re + k), product: SIMD8<Float> = xr * yr + xi * yi
          store8(r + rate * (product - r), to: re + k)
          if m == n { continue }
          let i = load8(im + k), cross: SIMD8<Float> = xi * yr - xr * yi
          store8(i + rate * (cross - i), to: im + k)
        }
      }
    }
  }

  /// The real part of an element for m ≥ n, by bin; the imaginary part of (n, m) otherwise.
  @_noLocks @_noAllocation
  func plane(_ m: Int, _ n: Int) -> UnsafeMutablePointer<Float> { values + (m * count + n) * bins }
}
