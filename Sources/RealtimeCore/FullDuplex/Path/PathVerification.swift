/// Verifies the filter after a pause of the far end, in which the echo path may have changed unheard.
///
/// Until the microphone is found to contain the estimated echo (`EchoEvidence`), all of that echo, and more, may be left. Once it is found
/// to contain much less, the path has changed, and the filter has to expect an error that it learns from: for a new echo as loud as the
/// estimate, that contains the share α of it, 2 (1 − α) times the estimate's power. Own method. Cost: for less than a second after a
/// pause, some 10 operations a bin and band a hop; otherwise none. [realtime] except `init` and `deinit`.
struct PathVerification: ~Copyable {
  /// A Boolean value indicating whether the filter has yet to be verified.
  private(set) var isPending = false
  /// A Boolean value indicating whether the last verification found that the path has changed.
  private(set) var isRefuted = false
  /// The expected power of the residual echo while pending, by adapted bin.
  let uncertainty: Samples

  private let bands: Int
  private let tuning: Tuning.PathVerification
  private var evidence: EchoEvidence
  private var silentHops = 0
  /// Remaining hops of active far end, after which the filter is trusted as before.
  private var remaining = 0

  /// Hops of the least pause, and of the longest verification, as well as of a filter that learns a changed path.
  private let leastPause, patience: Int
  init(layout: FilterLayout, tuning: Tuning = .standard, bands: Int) {
    self.bands = bands
    self.tuning = tuning.pathVerification
    uncertainty = Samples(layout.binsAndMargin)
    evidence = EchoEvidence(layout: layout, tuning: tuning.echoEvidence)
    leastPause = layout.hops(tuning.pathVerification.leastPause)
    patience = layout.hops(tuning.pathVerification.patience)
  }

  /// Processes a hop in which the far end has been silent for the filters' whole reach.
  @_noLocks @_noAllocation
  mutating func pause() { silentHops += 1 }

  /// Ends a pause, if there was one. Begins to verify the filter, and tells of the pause, if it was long and the filter `hasConverged`
  /// before.
  @_noLocks @_noAllocation
  mutating func resume(hasConverged: Bool) -> PathNews? {
    defer { silentHops = 0 }
    guard hasConverged, silentHops >= leastPause else { return nil }
    isRefuted = false
    begin()
    return .pauseEnded(hops: silentHops)
  }

  /// Computes `uncertainty` while pending, right after the filter's `predict`.
  @_noLocks @_noAllocation
  func expect(_ filter: borrowing KalmanFilter) {
    if isPending { filter.addEchoPower(to: uncertainty.start, factor: isRefuted ? tuning.raised : tuning.unknown) }
  }

  @_noLocks @_noAllocation
  private mutating func begin() {
    (isPending, remaining) = (true, patience)
    evidence.begin()
  }

  /// Processes a hop. Tells if the path is found to have changed in it, which it is once a pause at most.
  @_noLocks @_noAllocation
  mutating func observe(_ hop: PathHop) -> PathNews? {
    if !isPending { return nil }
    if hop.isFarEnd { remaining -= 1 }
    evidence.fade()
    for band in 0..<bands { evidence.add(microphone: hop.microphone[band], echo: hop.echo[band], residual: hop.residual[band]) }
    let found = evidence.found, wanted = evidence.wanted
    if wanted > tuning.leastEvidence * Float(bands) {
      if found > tuning.verified * wanted { isPending = false }
      if found < tuning.refuted * wanted, !isRefuted {
        let lacking = 1 - max(found / wanted, 0)
        isRefuted = true
        begin()
        return .pathRefuted(error: 2 * lacking)
      }
    }
    if remaining <= 0 { isPending = false }
    return nil
  }

  /// Ends the verification, because the canceller is guarded: everything counts as echo anyway.
  @_noLocks @_noAllocation
  mutating func cancel() { isPending = false }
}
