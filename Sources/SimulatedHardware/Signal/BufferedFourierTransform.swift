internal import CKernels

/// A real Fourier transform of one size, between its own buffers. Plans and memory are made at the start; `forward` and `inverse`
/// allocate nothing.
///
/// Not Sendable: one owner at a time.
final class BufferedFourierTransform {
  let size: Int
  /// `size` samples.
  let samples: UnsafeMutablePointer<Float>
  /// Real and imaginary parts of `size / 2 + 1` bins, and zeros up to `stride`.
  let re, im: UnsafeMutablePointer<Float>
  var bins: Int { size / 2 + 1 }
  /// Floats from one spectrum to the next: the bins, padded with zeros to whole vectors of eight.
  let stride: Int

  private let plan: OpaquePointer

  /// - Parameter size: a power of two, 128…2²⁴.
  init(size: Int) {
    guard let plan = nearend_fourier_create(Int32(size)) else {
      preconditionFailure("BufferedFourierTransform: \(size) is no power of two from 128 to 2²⁴, or memory is short")
    }
    self.plan = plan
    self.size = size
    stride = (size / 2 + 8) / 8 * 8
    samples = .allocate(capacity: size)
    samples.initialize(repeating: 0, count: size)
    re = .allocate(capacity: 2 * stride)
    re.initialize(repeating: 0, count: 2 * stride)
    im = re + stride
  }

  deinit {
    nearend_fourier_destroy(plan)
    samples.deallocate()
    re.deallocate()
  }

  /// Computes the unscaled spectrum of `samples`.
  func forward() { nearend_fourier_forward(plan, samples, re, im) }

  /// Computes `samples` from the spectrum: the inverse of `forward`.
  func inverse() { nearend_fourier_inverse(plan, re, im, samples) }
}
