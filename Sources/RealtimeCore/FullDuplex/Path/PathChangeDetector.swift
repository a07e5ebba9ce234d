/// Detects that the echo path has changed: subtracting a large estimate makes the microphone louder instead of quieter, which near-end
/// speech cannot cause. For slowly moving paths a lower threshold applies while the faster filter leaves clearly less, which near-end
/// speech cannot cause either. Own method. Cost: some 20 operations a band and hop. [realtime] except `init` and `deinit`.
struct PathChangeDetector: ~Copyable {
  /// A Boolean value indicating whether the filter has cancelled since the last change.
  private(set) var hasConverged = false

  private let tuning: Tuning.PathChangeDetector
  private let count: Int
  private let memory, longMemory, shareMemory: Float
  private let microphone, echo, residual, recent: Samples
  /// The noise: the running minimum of the microphone and of the residual, which a steady far end leaves when it is cancelled.
  private let floor: Samples
  /// Factor by which the noise may rise per hop, and the hops at first in which it follows.
  private let rise: Float
  private let settling: Int
  private var hops = 0
  /// Consecutive hops in which most loud bands were worse.
  private var evidence = 0
  /// Smoothed share of the microphone's power that remains in bands dominated by echo.
  private var residualShare: Float = 1

  /// Hops of evidence that are needed.
  private let patience: Int

  init(layout: FilterLayout, tuning: Tuning.PathChangeDetector = .standard, bands: Int) {
    self.tuning = tuning
    count = bands
    memory = layout.perHop(tuning.memory)
    longMemory = layout.perHop(tuning.longMemory)
    shareMemory = layout.perHop(tuning.shareMemory)
    patience = layout.hops(tuning.patience)
    rise = 1 / layout.perHop(tuning.noiseRise)
    settling = layout.hops(tuning.settling)
    microphone = Samples(repeating: 1e-9, count: bands)
    echo = Samples(repeating: 1e-9, count: bands)
    residual = Samples(repeating: 1e-9, count: bands)
    floor = Samples(bands)
    recent = Samples(bands)
  }

  /// The noise in which an echo would not be heard, by band: the running minimum of what is left of the microphone.
  var noise: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { UnsafePointer(floor.start) }
  }

  /// Starts over, unless only a gap was heard.
  @_noLocks @_noAllocation
  mutating func lose(_ loss: Loss) {
    if case .history = loss { return }
    (hasConverged, residualShare, evidence) = (false, 1, 0)
  }

  /// Forgets the residual that a changed gain has left: the estimate was scaled by this factor.
  @_noLocks @_noAllocation
  mutating func follow(_ gain: Float) {
    evidence = 0
    // Local copies: Swift 6.3 fails to compile direct accesses under ThreadSanitizer.
    let (estimates, errors) = (echo.start, residual.start)
    for band in 0..<count {
      estimates[band] *= gain * gain
      errors[band] = min(errors[band], microphone[band])
    }
  }

  /// Processes one hop, whether the fast filter leaves clearly less, and whether the filter trusts its estimate. Returns whether the path
  /// has changed, or a trusted estimate is absurd: a tone, for instance, teaches the filter nothing about other frequencies.
  @_noLocks @_noAllocation
  mutating func observe(_ hop: PathHop, isFastBetter: Bool, isConfident: Bool) -> Bool {
    let d = hop.microphone, y = hop.echo, e = hop.residual
    hops += 1
    let worse = isFastBetter ? tuning.remaining : tuning.worse
    var loudBands = 0, worseBands = 0
    var heard: Float = 0, left: Float = 0, estimated: Float = 0
    for band in 0..<count {
      microphone[band] = memory * microphone[band] + (1 - memory) * d[band]
      echo[band] = memory * echo[band] + (1 - memory) * y[band]
      residual[band] = memory * residual[band] + (1 - memory) * e[band]
      let quieter = min(microphone[band], residual[band])
      floor[band] = hops > settling ? min(floor[band] * rise, quieter) : quieter
      recent[band] = longMemory * recent[band] + (1 - longMemory) * d[band]
      guard echo[band] > tuning.loud * microphone[band], microphone[band] > tuning.audible * floor[band],
        microphone[band] > tuning.steady * recent[band]
      else { continue }
      loudBands += 1
      heard += microphone[band]
      left += residual[band]
      estimated += echo[band]
      if residual[band] > worse * microphone[band] { worseBands += 1 }
    }
    let isEvident = loudBands >= tuning.leastBands
    evidence = isEvident && Float(worseBands) > tuning.majority * Float(loudBands) ? evidence + 1 : 0
    if isEvident && evidence == 0 {
      residualShare += (1 - shareMemory) * (min(left / heard, 1) - residualShare)
      if residualShare < tuning.converged { hasConverged = true }
    }
    return evidence >= patience && (hasConverged || isConfident && estimated > tuning.absurd * heard)
  }
}
