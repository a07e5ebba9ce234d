internal import FFTWLibrary
import Foundation

/// A real Fourier transform of one size, between its own two buffers. Plans and memory are made at the start; `forward` and `inverse`
/// allocate nothing.
///
/// Not Sendable: one owner at a time.
final class FourierTransform {
  let size: Int
  /// `size` samples.
  let samples: UnsafeMutablePointer<Float>
  /// `size / 2 + 1` bins.
  let spectrum: UnsafeMutablePointer<Complex>
  var bins: Int { size / 2 + 1 }

  private let forwardPlan: fftwf_plan
  private let inversePlan: fftwf_plan

  /// FFTW's planner is not thread-safe.
  private static let planner = NSLock()

  /// - Parameter size: even.
  init(size: Int) {
    self.size = size
    samples = fftwf_alloc_real(size)
    spectrum = UnsafeMutableRawPointer(fftwf_alloc_complex(size / 2 + 1)).bindMemory(to: Complex.self, capacity: size / 2 + 1)
    samples.initialize(repeating: 0, count: size)
    let bins = UnsafeMutableRawPointer(spectrum).assumingMemoryBound(to: fftwf_complex.self)
    Self.planner.lock()
    defer { Self.planner.unlock() }
    forwardPlan = fftwf_plan_dft_r2c_1d(Int32(size), samples, bins, FFTW_ESTIMATE)
    inversePlan = fftwf_plan_dft_c2r_1d(Int32(size), bins, samples, FFTW_ESTIMATE)
  }

  deinit {
    Self.planner.lock()
    fftwf_destroy_plan(forwardPlan)
    fftwf_destroy_plan(inversePlan)
    Self.planner.unlock()
    fftwf_free(samples)
    fftwf_free(spectrum)
  }

  /// Computes `spectrum` from `samples`.
  func forward() { fftwf_execute(forwardPlan) }

  /// Computes `samples` times `size` from `spectrum`, which is destroyed.
  func inverse() { fftwf_execute(inversePlan) }
}

/// One bin of a spectrum, laid out as FFTW's.
struct Complex {
  var re: Float
  var im: Float

  static let zero = Complex(re: 0, im: 0)
}
