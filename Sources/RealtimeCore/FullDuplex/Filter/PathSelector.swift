internal import CRealtime

/// Exchanges weights between two filters of one path, band by band (Ochiai, Araseki and Ogihara, IEEE Trans. COM-25, 1977): where the fast
/// one leaves less, the careful one approaches its weights, the more so the less it leaves; where it leaves more, the fast one restarts
/// from the careful one's. That the careful filter approaches gradually is own: where it adopted all or nothing, inaudible noise decided in
/// double talk what it became. Compares the errors of the newest hop only, which neither filter has learnt from. Cost: two averages a band
/// and hop, and a pass over the weights of each band that is exchanged. [realtime] except `init` and `deinit`.
struct PathSelector: ~Copyable {
  private let memory: Float
  /// The filters' bins of each band: the first, and the end.
  private let bins: Buffer<(first: Int, end: Int)>
  private let fastEnergy, carefulEnergy: Samples
  private let count: Int
  private let tuning: Tuning.PathSelector

  /// - Parameter spectrum: by whose bands the filters are compared.
  init(layout: FilterLayout, tuning: Tuning.PathSelector = .standard, spectrum: borrowing BandSpectrum) {
    self.tuning = tuning
    let bands = spectrum.count
    count = bands
    bins = Buffer(repeating: (0, 0), count: bands)
    for band in 0..<bands { bins.start[band] = spectrum.filterBins(of: band, bins: layout.bins) }
    memory = layout.perHop(tuning.memory)
    fastEnergy = Samples(repeating: 1e-9, count: bands)
    carefulEnergy = Samples(repeating: 1e-9, count: bands)
  }

  /// Starts over with the path.
  @_noLocks @_noAllocation
  mutating func lose(_ loss: Loss) {
    guard case .path = loss else { return }
    for band in 0..<count { fastEnergy[band] = carefulEnergy[band] }
  }

  /// Processes one hop of both errors.
  @_noLocks @_noAllocation
  mutating func select(_ fast: inout KalmanFilter, _ careful: inout KalmanFilter, _ hop: PathHop) {
    for band in 0..<count {
      fastEnergy[band] = memory * fastEnergy[band] + (1 - memory) * hop.fastResidual[band]
      carefulEnergy[band] = memory * carefulEnergy[band] + (1 - memory) * hop.residual[band]
      let (first, end) = bins.start[band]
      let ratio = fastEnergy[band] / carefulEnergy[band]
      let step = min((tuning.better - ratio) / (tuning.better - tuning.best), 1)
      if step > tuning.leastStep {
        careful.approach(fast, bins: first..<end, step: step)
        // The error approaches the fast filter's as the weights do.
        let amplitude = 1 + step * (rt_sqrtf(ratio) - 1)
        // Swift 6.3 crashes on `*=` here under ThreadSanitizer.
        carefulEnergy[band] = carefulEnergy[band] * (amplitude * amplitude)
      } else if fastEnergy[band] > tuning.worse * carefulEnergy[band] {
        fast.adopt(careful, bins: first..<end)
        fastEnergy[band] = carefulEnergy[band]
      }
    }
  }
}
