internal import CKernels
internal import CRealtime

/// A real Fourier transform of a power of two, planned once: Stockham's algorithm of radix 4, in `CKernels`. A forward transform is not
/// scaled, an inverse one by 1 / length. Cost: some 2.5 n log₂ n operations for n samples. [realtime] except `init` and `deinit`.
struct FourierTransform: ~Copyable {
  /// Samples.
  let length: Int
  /// Bins, length / 2 + 1.
  var bins: Int { length / 2 + 1 }
  private let plan: OpaquePointer

  /// - Parameter length: a power of two, 128…2²⁴.
  init(length: Int) {
    guard let plan = nearend_fourier_create(Int32(length)) else {
      preconditionFailure("FourierTransform: \(length) is no power of two from 128 to 2²⁴, or memory is short")
    }
    self.plan = plan
    self.length = length
  }

  /// Shares the plan of another stage of the same canceller, which never runs at the same time: one plan stays in the caches, many do not.
  init(sharing other: borrowing FourierTransform) {
    plan = nearend_fourier_share(other.plan)
    length = other.length
  }

  deinit { nearend_fourier_destroy(plan) }

  /// Transforms `length` samples into `bins` bins.
  @_noLocks @_noAllocation
  func forward(_ samples: UnsafePointer<Float>, into spectrum: SplitSpectrum) {
    nearend_fourier_forward(plan, samples, spectrum.re, spectrum.im)
  }

  /// Transforms `length` samples, and computes the first bins only: a multiple of 8, at least 16, or all. Nothing is written beyond
  /// them, so the imaginary parts may follow the real ones at once.
  @_noLocks @_noAllocation
  func forward(_ samples: UnsafePointer<Float>, re: UnsafeMutablePointer<Float>, im: UnsafeMutablePointer<Float>, bins: Int) {
    nearend_fourier_first_bins(plan, samples, re, im, Int32(bins))
  }

  /// Transforms `count` samples under a window, a multiple of 32, followed by silence; `power` becomes `scale` · |X|², by bin.
  @_noLocks @_noAllocation
  func analyze(
    _ samples: UnsafePointer<Float>, window: UnsafePointer<Float>, count: Int, into spectrum: SplitSpectrum,
    power: UnsafeMutablePointer<Float>, scale: Float = 1
  ) {
    nearend_fourier_analyze(plan, samples, window, Int32(count), spectrum.re, spectrum.im, power, scale)
  }

  /// Transforms `bins` bins into `length` samples.
  @_noLocks @_noAllocation
  func inverse(_ spectrum: SplitSpectrum, into samples: UnsafeMutablePointer<Float>) {
    nearend_fourier_inverse(plan, spectrum.re, spectrum.im, samples)
  }
}

/// A spectrum with separate arrays of real and imaginary parts, as a view of memory that another owns.
struct SplitSpectrum {
  let re, im: UnsafeMutablePointer<Float>

  @_noLocks @_noAllocation
  init(re: UnsafeMutablePointer<Float>, im: UnsafeMutablePointer<Float>) { (self.re, self.im) = (re, im) }

  /// The parts of a spectrum in `memory(bins)` floats.
  fileprivate init(_ start: UnsafeMutablePointer<Float>, bins: Int) { self.init(re: start, im: start + Self.memory(bins) / 2) }

  /// Floats of a spectrum, whose parts are padded to a multiple of 8, for vectors of eight.
  fileprivate static func memory(_ bins: Int) -> Int { (bins + 7) / 8 * 16 }

  /// Returns |X|² of a bin.
  @_noLocks @_noAllocation
  func power(_ bin: Int) -> Float { re[bin] * re[bin] + im[bin] * im[bin] }
}

/// A spectrum that owns its memory, zero at first. [control]
struct Spectrum: ~Copyable {
  private let memory: Samples
  /// Valid as long as the spectrum. [realtime]
  let parts: SplitSpectrum
  var re: UnsafeMutablePointer<Float> {
    @_noLocks @_noAllocation get { parts.re }
  }
  var im: UnsafeMutablePointer<Float> {
    @_noLocks @_noAllocation get { parts.im }
  }

  init(_ bins: Int) {
    let count = SplitSpectrum.memory(bins), start = UnsafeMutablePointer<Float>.allocate(capacity: count)
    start.initialize(repeating: 0, count: count)
    memory = Samples(adopting: start)
    parts = SplitSpectrum(start, bins: bins)
  }
}

/// Converts a factor per hop of 256 frames at 48 kHz to one per hop of `hop` frames at `rate` Hz.
func factorPerHop(_ factor: Float, hop: Int, rate: Int) -> Float {
  rt_powf(factor, Float(hop) / Float(rate) * 187.5)
}
