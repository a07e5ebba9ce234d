internal import CKernels
internal import CRealtime

/// The residual below 1 kHz, at sixteen samples a hop, so that its spectrum under the suppressor's window, some time ago, costs less than a
/// transform. [realtime] except `init` and `deinit`.
struct LowBand: ~Copyable {
  /// Samples of a hop, and of a window.
  static var perHop: Int {
    @_noLocks @_noAllocation get { 16 }
  }
  static var window: Int {
    @_noLocks @_noAllocation get { Int(NEAREND_LOW_SAMPLES) }
  }
  /// Samples of the suppressor's transform, of which the last are silence.
  private static var transform: Int {
    @_noLocks @_noAllocation get { 128 }
  }
  /// Windows that begin one sample after another, the earliest first; the last one is the newest.
  static var windows: Int {
    @_noLocks @_noAllocation get { 56 }
  }
  /// Bins that are low enough for the filter.
  private static var mostBins: Int {
    @_noLocks @_noAllocation get { 48 }
  }
  private static var count: Int {
    @_noLocks @_noAllocation get { windows - 1 + window }
  }

  /// The suppressor's bins below a limit, from 0 on, and that rounded up to a multiple of 8.
  let bins, padded: Int

  /// Frames from one sample to the next, and of the suppressor's window.
  private let step, length: Int
  /// A low-pass filter of eight samples, which delays by half of that. It lets pass up to a quarter of the sampling rate, and ends at three
  /// quarters.
  private let taps: Samples
  /// The window of analysis, at the samples.
  private let weights: Samples
  /// cos and sin of 2πnk / 128, by bin k and sample n.
  private let cosines, sines: Samples
  private var kernel: nearend_low_band
  private let history: Samples

  /// - Parameter limit: Hz, up to 1000.
  init(layout: FilterLayout, window: borrowing AsymmetricWindow, limit: Float) {
    precondition(
      Self.perHop * layout.transform == Self.transform * layout.hop && Self.perHop * layout.suppressorWindow == Self.window * layout.hop)
    let step = layout.hop / Self.perHop, taps = 8 * step
    let wanted = Int(limit / layout.binWidth) + 1
    let bins = min(max(wanted, 2), Self.mostBins), padded = (bins + 7) / 8 * 8
    // In arrays first: Swift 6.0 crashes where an initializer reads a buffer of its own.
    let filter = (0..<taps).map { i -> Float in
      let t: Float = Float(i) - Float(taps - 1) / 2, angle: Float = .pi * t / Float(step)
      let hann: Float = 0.5 + 0.5 * rt_cosf(2 * .pi * t / Float(taps))
      return hann * rt_sinf(angle) / angle / Float(step)
    }
    let angles = (0..<Self.window * bins).map { i -> Float in
      let turn: Int = (i / Self.window) * (i % Self.window) % Self.transform
      return 2 * .pi * Float(turn) / Float(Self.transform)
    }
    (self.bins, self.padded, self.step, length) = (bins, padded, step, layout.suppressorWindow)
    self.taps = Samples(filter)
    let weights = Samples((0..<Self.window).map { window.analysis[$0 * step] })
    let cosines = Samples(angles.map { rt_cosf($0) }), sines = Samples(angles.map { rt_sinf($0) })
    kernel = nearend_low_band(cosines: cosines.start, sines: sines.start, window: weights.start, bins: Int32(bins))
    self.weights = weights
    self.cosines = cosines
    self.sines = sines
    history = Samples(Self.count)
  }

  /// Returns by how many frames a window is late; `window` may be fractional.
  @_noLocks @_noAllocation
  func delay(_ window: Float) -> Float { (Float(Self.windows - 1) - window + 3) * Float(step) + 0.5 }

  /// Appends the newest hop of a window of the residual.
  @_noLocks @_noAllocation
  func push(_ residual: UnsafePointer<Float>) {
    copy(UnsafePointer(history + Self.perHop), to: history.start, frames: Self.count - Self.perHop)
    let first = residual + length - (Self.perHop + 7) * step
    nearend_decimate(taps.start, Int32(8 * step), first, Int32(step), history + Self.count - Self.perHop, Int32(Self.perHop))
  }

  @_noLocks @_noAllocation
  func forget() { clear(history.start, frames: Self.count) }

  /// Adds how well each window fits a signal to what remains of the hop before: sums of its products with it, and of its squares.
  @_noLocks @_noAllocation
  func correlate(
    _ signal: UnsafePointer<Float>, memory: Float, into products: UnsafeMutablePointer<Float>, squares: UnsafeMutablePointer<Float>
  ) {
    nearend_low_fit(history.start, signal, memory, products, squares, Int32(Self.windows))
  }

  /// Computes the bins that the suppressor's transform would have, were the residual late by `delay` frames: up to a factor, which falls
  /// a little with the frequency.
  @_noLocks @_noAllocation
  mutating func analyze(delay: Float, into spectrum: SplitSpectrum) {
    // The spectrum of the nearest window, turned by what is missing.
    let place = (delay - 0.5) / Float(step) - 3
    let nearest = min(max(Int(place + 0.5), 0), Self.windows - 1), missing = (place - Float(nearest)) * Float(step)
    nearend_low_analyze(&kernel, history + Self.windows - 1 - nearest, spectrum.re, spectrum.im)
    let angle = 2 * .pi * missing / Float(Self.transform * step), cosine = rt_cosf(angle), sine = rt_sinf(angle)
    var turnRe: Float = 1, turnIm: Float = 0
    for k in 0..<bins {
      let re = spectrum.re[k], im = spectrum.im[k]
      (spectrum.re[k], spectrum.im[k]) = (re * turnRe - im * turnIm, re * turnIm + im * turnRe)
      (turnRe, turnIm) = (turnRe * cosine + turnIm * sine, turnIm * cosine - turnRe * sine)
    }
  }

  /// Computes the samples of a spectrum of `bins`, up to a factor, under the window.
  @_noLocks @_noAllocation
  mutating func synthesize(_ spectrum: SplitSpectrum, into signal: UnsafeMutablePointer<Float>) {
    nearend_low_synthesize(&kernel, spectrum.re, spectrum.im, signal)
  }
}
