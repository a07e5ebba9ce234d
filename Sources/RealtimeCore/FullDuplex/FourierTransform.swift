internal import CKernels
internal import CRealtime

/// A real Fourier transform of a power of two, planned once. A forward transform is not scaled, an inverse one by 1 / length. [realtime]
/// except `init` and `deinit`.
struct FourierTransform: ~Copyable {
  /// Samples.
  let length: Int
  /// Bins, length / 2 + 1.
  var bins: Int { length / 2 + 1 }
  private let plan: OpaquePointer

  /// - Parameter length: a power of two, 64…2²⁴.
  init(length: Int) {
    guard let plan = nearend_fourier_create(Int32(length)) else {
      preconditionFailure("FourierTransform: \(length) is no power of two from 64 to 2²⁴, or memory is short")
    }
    self.plan = plan
    self.length = length
  }

  /// The same transform for another stage of one canceller, which never runs at the same time. One plan stays in the caches, many do not.
  init(sharing other: borrowing FourierTransform) {
    plan = nearend_fourier_share(other.plan)
    length = other.length
  }

  deinit { nearend_fourier_destroy(plan) }

  @_noLocks @_noAllocation
  func forward(_ samples: UnsafePointer<Float>, into spectrum: SplitSpectrum) {
    nearend_fourier_forward(plan, samples, spectrum.re, spectrum.im)
  }

  @_noLocks @_noAllocation
  func inverse(_ spectrum: SplitSpectrum, into samples: UnsafeMutablePointer<Float>) {
    nearend_fourier_inverse(plan, spectrum.re, spectrum.im, samples)
  }
}

/// Real and imaginary parts in arrays of their own. Owned by whoever made it.
struct SplitSpectrum {
  let re, im: UnsafeMutablePointer<Float>

  /// Zeros. [control]
  static func silence(_ bins: Int) -> SplitSpectrum {
    // One allocation; what follows the bins keeps vectors of eight within it.
    let stride = (bins + 7) / 8 * 8
    let memory = UnsafeMutablePointer<Float>.silence(2 * stride)
    return SplitSpectrum(re: memory, im: memory + stride)
  }

  /// Only for what `silence` has made. [control]
  func deallocate() { re.deallocate() }

  @_noLocks @_noAllocation
  func power(_ bin: Int) -> Float { re[bin] * re[bin] + im[bin] * im[bin] }
}

/// A factor per hop of 256 frames at 48 kHz as a factor per hop of these.
func factorPerHop(_ factor: Float, hop: Int, rate: Int) -> Float {
  rt_powf(factor, Float(hop) / Float(rate) * 187.5)
}
