internal import CKernels

/// The residual once more, with its echo suppressed and its noise left: what voice isolation takes, beside the voice of the suppressor itself (V12).
/// It shares what the suppressor knows of echo, noise and the near end, and costs nothing while nobody takes it. [realtime] but for `init` and `deinit`.
struct EchoOnlyPass: ~Copyable {
  private let hop: Int
  private let length: Int
  private let padded: Int
  private let spectrum: SplitSpectrum
  private let work, overlap: UnsafeMutablePointer<Float>
  private let noise, speech, clean, gain, smoothed, least, most, formerLeast: UnsafeMutablePointer<Float>

  init(hop: Int, length: Int, padded: Int) {
    (self.hop, self.length, self.padded) = (hop, length, padded)
    spectrum = .silence(padded)
    work = .silence(length)
    overlap = .silence(length)
    noise = .silence(padded)
    speech = .silence(padded)
    clean = .silence(padded)
    gain = .silence(padded)
    smoothed = .silence(padded)
    least = .silence(padded)
    most = .silence(padded)
    formerLeast = .silence(padded)
    for k in 0..<padded { (speech[k], gain[k]) = (0.5, 1) }
  }

  deinit {
    for array in [work, overlap, noise, speech, clean, gain, smoothed, least, most, formerLeast] { array.deallocate() }
    spectrum.deallocate()
  }

  /// Takes the residual's spectrum, before the suppressor replaces it.
  @_noLocks @_noAllocation
  func take(_ residual: SplitSpectrum, noise known: UnsafePointer<Float>) {
    copy(residual.re, to: spectrum.re, frames: padded)
    copy(residual.im, to: spectrum.im, frames: padded)
    copy(known, to: noise, frames: padded)
  }

  /// One hop, after `take`.
  /// - Parameter kernel: the suppressor's own for this hop: of its echo, near end and comfort noise.
  @_noLocks @_noAllocation
  func process(
    _ kernel: nearend_suppression, bins: Int, transform: borrowing FourierTransform, synthesis: UnsafePointer<Float>,
    into output: UnsafeMutablePointer<Float>
  ) {
    var kernel = kernel
    (kernel.noiseShare, kernel.noiseFloor) = (0, 1)
    (kernel.noise, kernel.speech, kernel.clean, kernel.gain) = (noise, speech, clean, gain)
    (kernel.smoothed, kernel.least, kernel.most, kernel.formerLeast) = (smoothed, least, most, formerLeast)
    nearend_suppress(&kernel, spectrum.re, spectrum.im)
    (spectrum.im[0], spectrum.im[bins - 1]) = (0, 0)
    transform.inverse(spectrum, into: work)
    copy(overlap + hop, to: overlap, frames: length - hop)
    clear(overlap + (length - hop), frames: hop)
    for i in length - 2 * hop..<length { overlap[i] += work[i] * synthesis[i] }
    copy(overlap + (length - 2 * hop), to: output, frames: hop)
  }
}
