internal import CKernels

/// What the network hears: the logarithms of the powers of residual, estimated echo, microphone, expected residual echo, far end and voice,
/// in `NetworkBands`. The microphone, the sum of the first two, tells how their phases relate; the voice is what the rules' gains of the
/// hop before leave of the residual, so that the network does not hear itself. Own selection. Cost: some 10 operations a bin below 8 kHz,
/// and 240 logarithms. [realtime] except `init` and `deinit`.
struct NetworkFeatures: ~Copyable {
  /// Residual, echo, microphone, uncertainty, far end, voice.
  static var groups: Int {
    @_noLocks @_noAllocation get { 6 }
  }
  static var count: Int {
    @_noLocks @_noAllocation get { groups * NetworkBands.count }
  }
  /// By group and band, some −2…2.
  let values: Samples
  /// Mean squares of the residual and of the far end below 8 kHz.
  private(set) var residual: Float = 0, farEnd: Float = 0

  /// Bands of the suppressor's transform.
  let bands: NetworkBands
  /// Bands of the filter's bins, which are as wide.
  private let filterBands: NetworkBands
  private let filterBins: Int
  private let sums: Samples
  /// Convert sums of |E|² and of the filter's bins to shares of the mean square.
  private let scale, filterScale: Float

  init(layout: FilterLayout) {
    bands = NetworkBands(bins: layout.allBins, binWidth: layout.binWidth)
    filterBands = NetworkBands(bins: layout.bins, binWidth: layout.binWidth)
    filterBins = layout.bins
    values = Samples((Self.count + 15) / 16 * 16)
    sums = Samples(layout.allBins + 16)
    scale = 2 / (Float(layout.hop) * Float(layout.transform))
    filterScale = 1 / (Float(layout.window) * Float(layout.window))
  }

  /// Computes the values of a hop from the spectra of residual and echo, their powers |E|² and |Y|² scaled by `powerScale`, and the gains
  /// of the hop before.
  @_noLocks @_noAllocation
  mutating func update(
    _ hop: LinearHop, residual: SplitSpectrum, residualPower: UnsafePointer<Float>, echo: SplitSpectrum, echoPower: UnsafePointer<Float>,
    powerScale: Float, formerGain: UnsafePointer<Float>
  ) {
    self.residual = write(residualPower, group: 0)
    write(echoPower, group: 1)
    for k in stride(from: 0, to: bands.bins, by: 8) {
      let re = load8(residual.re + k) + load8(echo.re + k), im = load8(residual.im + k) + load8(echo.im + k)
      store8(powerScale * (re * re + im * im), to: sums + k)
    }
    write(sums.start, group: 2)
    for k in stride(from: 0, to: bands.bins, by: 8) {
      let gain = load8(formerGain + k)
      store8(gain * gain * load8(residualPower + k), to: sums + k)
    }
    write(sums.start, group: 5)
    filterBands.sum(hop.uncertainty, into: values + 3 * NetworkBands.count)
    scale(group: 3, by: filterScale)
    let left = hop.left, right = hop.right
    for k in stride(from: 0, to: filterBands.bins, by: 8) {
      let a = load8(left + k), b = load8(left + filterBins + k), c = load8(right + k), d = load8(right + filterBins + k)
      store8(a * a + b * b + c * c + d * d, to: sums + k)
    }
    filterBands.sum(sums.start, into: values + 4 * NetworkBands.count)
    // The transform is twice as long as the window, and holds two sides.
    farEnd = scale(group: 4, by: filterScale / (4 * hop.farEndGain * hop.farEndGain))
    // (log10(power) + 5) / 2.5
    nearend_logarithms(values.start, Int32(Self.count), 1e-10, 0.120411998, 2)
  }

  @discardableResult @_noLocks @_noAllocation
  private mutating func write(_ powers: UnsafePointer<Float>, group: Int) -> Float {
    bands.sum(powers, into: values + group * NetworkBands.count)
    return scale(group: group, by: scale)
  }

  /// Scales powers by band. Returns their sum.
  @discardableResult @_noLocks @_noAllocation
  private mutating func scale(group: Int, by scale: Float) -> Float {
    let group = values + group * NetworkBands.count
    var sum: Float = 0
    for band in 0..<NetworkBands.count {
      group[band] *= scale
      sum += group[band]
    }
    return sum
  }
}
