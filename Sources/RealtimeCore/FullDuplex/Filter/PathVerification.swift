/// Verifies the filter after a pause of the far end, in which the echo path may have changed unheard.
///
/// Until the microphone is found to contain the estimated echo, all of that echo, and more, may be left. Where it does contain it, with
/// the energies m, y and e of the microphone, the estimate and the residual, (m + y − e) / 2 is y on average, whatever the near end says;
/// where it does not, it is 0. Own method. Cost: for 0.4 s at most after a pause, some 10 operations a bin and band a hop; otherwise none.
/// [realtime] except `init` and `deinit`.
struct PathVerification: ~Copyable {
  /// A Boolean value indicating whether the filter has yet to be verified.
  private(set) var isPending = false
  /// The expected power of the residual echo while pending, by adapted bin.
  let uncertainty: UnsafeMutablePointer<Float>

  private let bands: Int
  private let memory: Float
  private var silentHops = 0
  /// Remaining hops of active far end, after which the filter is trusted as before.
  private var remaining = 0
  /// Σ (m + y − e) / 2 (m + y), and Σ y / (m + y), over bands and recent hops.
  private var found: Float = 0
  private var wanted: Float = 0

  /// Least pause, 2 s, and the longest verification, 0.4 s.
  private let leastPause, patience: Int
  /// Power of the expected residual echo, as a multiple of the estimated echo's.
  private let excess: Float = 4
  /// Least `wanted`, in multiples of the number of bands, and the share of it that must be found.
  private let leastEvidence: Float = 2
  private let verified: Float = 0.85

  init(layout: FilterLayout, bands: Int) {
    self.bands = bands
    uncertainty = .silence(layout.bins)
    memory = layout.perHop(0.9)
    leastPause = layout.hops(2)
    patience = layout.hops(0.4)
  }

  deinit { uncertainty.deallocate() }

  /// Processes a hop in which the far end has been silent for the filters' whole reach.
  @_noLocks @_noAllocation
  mutating func pause() { silentHops += 1 }

  /// Ends a pause, if there was one. Returns its hops, and begins to verify the filter, if it was long and the filter `hasConverged`
  /// before; otherwise returns 0.
  @_noLocks @_noAllocation
  mutating func resume(hasConverged: Bool) -> Int {
    defer { silentHops = 0 }
    guard hasConverged, silentHops >= leastPause else { return 0 }
    (isPending, remaining, found, wanted) = (true, patience, 0, 0)
    return silentHops
  }

  /// Computes `uncertainty` while pending, right after the filter's `predict`.
  @_noLocks @_noAllocation
  func expect(_ filter: borrowing KalmanFilter) {
    if isPending { filter.addEchoPower(to: uncertainty, factor: excess) }
  }

  /// Processes a hop's energies by band.
  @_noLocks @_noAllocation
  mutating func update(
    microphone: UnsafePointer<Float>, echo: UnsafePointer<Float>, residual: UnsafePointer<Float>, isFarEnd: Bool
  ) {
    if !isPending { return }
    if isFarEnd { remaining -= 1 }
    (found, wanted) = (memory * found, memory * wanted)
    for band in 0..<bands {
      let both = microphone[band] + echo[band], scale = 1 / (both + 1e-12)
      found += 0.5 * scale * (both - residual[band])
      wanted += scale * echo[band]
    }
    let isVerified = wanted > leastEvidence * Float(bands) && found > verified * wanted
    if isVerified || remaining <= 0 { isPending = false }
  }

  /// Ends the verification, because the canceller is guarded: everything counts as echo anyway.
  @_noLocks @_noAllocation
  mutating func cancel() { isPending = false }
}
