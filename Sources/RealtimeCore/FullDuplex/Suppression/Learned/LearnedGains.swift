internal import CRealtime

/// Corrects the suppressor's gains while the far end may be heard: a small recurrent network, which has heard many devices, decides from
/// what the linear canceller and the suppressor know what more of each band is echo. The rules know each bin and this canceller's own
/// state, the network what loudspeakers and microphones do that no rule foresees. It runs for every second hop. Cost: the features', and
/// some 630,000 multiplications. [realtime] except `init` and `deinit`.
struct LearnedGains: ~Copyable {
  /// Hops from one run of the network to the next, 8 to 12 ms.
  static var period: Int {
    @_noLocks @_noAllocation get { 2 }
  }
  /// By bin: log2 of the factors that leave the near end alone, and everything but the echo.
  let voice, open: Samples
  /// What the network was told; valid after `decide`.
  var inputs: UnsafePointer<Float> { UnsafePointer(features.values.start) }
  /// A Boolean value indicating whether the network has not run since `rest()`.
  private(set) var isAtRest = true

  private let tuning: Tuning.LearnedGains
  private var features: NetworkFeatures
  private var network: SuppressorNetwork
  private let octaves: Samples
  /// The share of the factors, as logarithms, that counts: less where the filter cancels well.
  private var filterShare: Float = 1
  /// The same, but less of what is too loud for an echo, and more where nobody is near.
  private var share: Float = 1
  /// The far end's loudest of late, a mean square, and what remains of it from one run to the next.
  private var farEnd: Float = 0
  private let farEndMemory: Float
  /// The most that `filterShare` may fall from one run to the next.
  private let shareFall: Float
  /// Hops until the network runs again.
  private var hopsLeft = 0

  /// - Parameter bins: `JoinedBins.count`.
  init(layout: FilterLayout, tuning: Tuning.LearnedGains = .standard, bins: Int) {
    self.tuning = tuning
    farEndMemory = layout.perHop(tuning.farEnd, every: Self.period)
    shareFall = Float(Self.period) * layout.step(tuning.shareFall)
    features = NetworkFeatures(layout: layout)
    network = SuppressorNetwork()
    voice = Samples(bins)
    open = Samples(bins)
    octaves = Samples(NetworkBands.count)
  }

  /// A Boolean value indicating whether the next hop's spectra are wanted.
  var isDue: Bool {
    @_noLocks @_noAllocation get { hopsLeft == 0 }
  }

  /// Keeps the corrections for a hop between two runs.
  @_noLocks @_noAllocation
  mutating func keep() { hopsLeft -= 1 }

  /// Decides the corrections; see `NetworkFeatures.update`. `linearERLE` is how far the linear canceller reduces the echo, in dB; NaN if
  /// unknown. Of a beam, `whereAlone` does not count: the network learnt from single microphones, and misses a soft talker there.
  // Never inlined, so that profiles tell this stage apart.
  @inline(never) @_noLocks @_noAllocation
  mutating func decide(
    _ hop: LinearHop, residual: SplitSpectrum, residualPower: UnsafePointer<Float>, echo: SplitSpectrum, echoPower: UnsafePointer<Float>,
    powerScale: Float, formerGain: UnsafePointer<Float>, linearERLE: Float, isBeam: Bool
  ) {
    let high = tuning.highERLE
    let wanted = linearERLE.isNaN ? 1 : min(max((high - linearERLE) / (high - tuning.lowERLE), tuning.leastShare), 1)
    filterShare = max(wanted, filterShare - shareFall)
    (hopsLeft, isAtRest) = (Self.period - 1, false)
    features.update(
      hop, residual: residual, residualPower: residualPower, echo: echo, echoPower: echoPower, powerScale: powerScale,
      formerGain: formerGain)
    network.run(features.values.start)
    let outputs = network.outputs, bands = NetworkBands.count, absence = isBeam ? 0 : 1 - outputs[2 * bands]
    share = filterShare * plausibility() * (1 + tuning.whereAlone * absence * absence)
    spread(outputs, into: voice.start)
    spread(outputs + bands, into: open.start)
  }

  /// How likely what is left may be an echo at all, 0…1, by its level.
  @_noLocks @_noAllocation
  private mutating func plausibility() -> Float {
    farEnd = max(features.farEnd, farEndMemory * farEnd)
    let louder = 4.34294482 * rt_logf((features.residual + 1e-12) / (farEnd + 1e-12))
    return min(max((tuning.loudestEcho - louder) / (tuning.loudestEcho - tuning.loudEcho), 0), 1)
  }

  /// Interpolates the logarithms of factors by band. Above 8 kHz, which the network does not hear, nothing is corrected.
  @_noLocks @_noAllocation
  private mutating func spread(_ factors: UnsafePointer<Float>, into values: UnsafeMutablePointer<Float>) {
    let count = NetworkBands.count
    for band in 0..<count { octaves[band] = share * 1.44269504 * rt_logf(max(factors[band], tuning.least)) }
    features.bands.interpolate(octaves.start, into: values)
  }

  /// Corrects nothing, and forgets everything: no echo is expected.
  @_noLocks @_noAllocation
  mutating func rest() {
    if isAtRest { return }
    network.reset()
    (hopsLeft, isAtRest, filterShare, farEnd) = (0, true, 1, 0)
  }
}
