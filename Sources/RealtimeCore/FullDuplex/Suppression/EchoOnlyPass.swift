internal import CKernels

/// Suppresses the residual's echo but not its noise, for voice isolation, beside the suppressor's own voice (V12). Shares the suppressor's
/// estimates of echo, noise and near end, and its equations (`nearend_suppress`). Delay: one hop, the suppressor's. Cost: an inverse
/// transform a hop; none without a consumer. [realtime] except `init` and `deinit`.
struct EchoOnlyPass: ~Copyable {
  private let bins: JoinedBins
  private let spectrum: Spectrum
  let memory: SuppressorMemory
  private let overlap: OverlapAdd

  init(layout: FilterLayout, bins: JoinedBins) {
    self.bins = bins
    spectrum = Spectrum(bins.covered)
    memory = SuppressorMemory(bins: bins.count)
    overlap = OverlapAdd(layout: layout)
  }

  /// Copies the residual's spectrum, before the suppressor replaces it, and the suppressor's estimate of the noise.
  @_noLocks @_noAllocation
  func take(_ residual: SplitSpectrum, noise known: UnsafePointer<Float>) {
    copy(residual.re, to: spectrum.re, frames: bins.covered)
    copy(residual.im, to: spectrum.im, frames: bins.covered)
    copy(known, to: memory.noise.start, frames: bins.count)
  }

  /// Processes one hop, after `take`.
  /// - Parameters:
  ///   - kernel: the suppressor's for this hop, whose echo, near end and comfort noise are used.
  ///   - octaves: the correction that leaves everything but the echo.
  @_noLocks @_noAllocation
  func process(
    _ kernel: nearend_suppression, octaves: UnsafePointer<Float>, transform: borrowing FourierTransform, window: UnsafePointer<Float>,
    into output: UnsafeMutablePointer<Float>
  ) {
    var kernel = kernel
    (kernel.noiseShare, kernel.noiseFloor) = (0, 1)
    kernel.octaves = octaves
    memory.use(in: &kernel)
    nearend_suppress(&kernel, spectrum.re, spectrum.im)
    overlap.add(spectrum.parts, transform: transform, window: window, into: output)
  }
}
