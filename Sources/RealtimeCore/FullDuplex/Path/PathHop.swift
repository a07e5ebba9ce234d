/// What the observers of the echo path are told of one hop: energies by band of `BandSpectrum`. Valid until the next hop. [realtime]
struct PathHop {
  /// Of the microphone, and of the careful filter's estimate and residual.
  let microphone, echo, residual: UnsafePointer<Float>
  /// What the fast filter leaves.
  let fastResidual: UnsafePointer<Float>
  /// The noise in which an echo would not be heard.
  let noise: UnsafePointer<Float>
  /// Whether the far end speaks.
  let isFarEnd: Bool

  @_noLocks @_noAllocation
  init(
    microphone: UnsafePointer<Float>, echo: UnsafePointer<Float>, residual: UnsafePointer<Float>, fastResidual: UnsafePointer<Float>,
    noise: UnsafePointer<Float>, isFarEnd: Bool
  ) {
    (self.microphone, self.echo, self.residual, self.fastResidual) = (microphone, echo, residual, fastResidual)
    (self.noise, self.isFarEnd) = (noise, isFarEnd)
  }
}

/// Measures what a `PathHop` holds. Cost: three transforms of two hops a hop. [realtime] except `init` and `deinit`.
struct PathBands: ~Copyable {
  private(set) var spectrum: BandSpectrum

  private let microphone, echo, residual, fastResidual: Samples

  init(layout: FilterLayout) {
    let spectrum = BandSpectrum(layout: layout)
    microphone = Samples(spectrum.count)
    echo = Samples(spectrum.count)
    residual = Samples(spectrum.count)
    fastResidual = Samples(spectrum.count)
    self.spectrum = spectrum
  }

  /// Measures what both filters estimate and leave of the newest hop.
  @_noLocks @_noAllocation
  mutating func measure(fast: FilterEstimate, careful: FilterEstimate) {
    spectrum.measure(careful.residual, into: residual.start, plus: careful.echo, into: echo.start, sum: microphone.start)
    spectrum.measure(fast.residual, into: fastResidual.start)
  }

  /// Measures another signal.
  @_noLocks @_noAllocation
  mutating func measure(_ samples: UnsafePointer<Float>, into energies: UnsafeMutablePointer<Float>) {
    spectrum.measure(samples, into: energies)
  }

  @_noLocks @_noAllocation
  func hop(noise: UnsafePointer<Float>, isFarEnd: Bool) -> PathHop {
    PathHop(
      microphone: UnsafePointer(microphone.start), echo: UnsafePointer(echo.start), residual: UnsafePointer(residual.start),
      fastResidual: UnsafePointer(fastResidual.start), noise: noise, isFarEnd: isFarEnd)
  }

  /// Returns the microphone's power over the residual's in the newest hop below some 9 kHz, where the fast filter's share of the residual
  /// is `share`: above, the filter is short, and the far end may be louder there than speech is.
  @_noLocks @_noAllocation
  func enhancement(share: Float) -> Float {
    var before: Float = 0, after: Float = 0
    for band in 0..<spectrum.count - 1 {
      before += microphone[band]
      after += residual[band] + share * (fastResidual[band] - residual[band])
    }
    return before / max(after, 1e-12)
  }
}
