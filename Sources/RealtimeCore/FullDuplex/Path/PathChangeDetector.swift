/// Detects that the echo path has changed: subtracting a large estimate makes the microphone louder instead of quieter, which near-end
/// speech cannot cause. For slowly moving paths a lower threshold applies while the faster filter leaves clearly less, which near-end
/// speech cannot cause either. Own method. Cost: some 20 operations a band and hop. [realtime] except `init` and `deinit`.
struct PathChangeDetector: ~Copyable {
  /// A Boolean value indicating whether the filter has cancelled since the last change.
  private(set) var hasConverged = false

  private let layout: FilterLayout
  private let count: Int
  private let memory, longMemory, shareMemory: Float
  private let microphone, echo, residual, recent: UnsafeMutablePointer<Float>
  /// The noise: the running minimum of the microphone and of the residual, which a steady far end leaves when it is cancelled.
  private let floor: UnsafeMutablePointer<Float>
  /// Factor by which the noise may rise per hop, 1.6 dB/s, and the hops at first in which it follows, 0.1 s.
  private let rise: Float
  private let settling: Int
  private var hops = 0
  /// Consecutive hops in which most loud bands were worse.
  private var evidence = 0
  /// Smoothed share of the microphone's power that remains in bands dominated by echo.
  private var residualShare: Float = 1

  /// A band counts if the estimate's power exceeds this share of the microphone's, and the microphone's this multiple of the noise.
  private let loud: Float = 0.4
  private let audible: Float = 8
  /// Ratio of residual to microphone that means a changed path; the second while the fast filter leaves clearly less.
  private let worse: Float = 1.1
  private let remaining: Float = 0.65
  /// An estimate of this many times the microphone's power is wrong even before the filter has cancelled anything.
  private let absurd: Float = 4
  /// A band below this share of its power over the last tenth of a second does not count: it holds the room's tail, which a filter learns
  /// last.
  private let steady: Float = 0.25
  /// Hops of evidence that are needed, 21 ms.
  private let patience: Int
  /// Share of the microphone's power below which the residual means convergence: −11 dB.
  private let converged: Float = 0.08

  init(layout: FilterLayout, bands: Int) {
    self.layout = layout
    count = bands
    memory = layout.perHop(0.8)
    longMemory = layout.perHop(0.96)
    shareMemory = layout.perHop(0.98)
    patience = layout.hops(0.021)
    rise = 1 / layout.perHop(1 / 1.002)
    settling = layout.hops(0.107)
    microphone = .silence(bands)
    echo = .silence(bands)
    residual = .silence(bands)
    floor = .silence(bands)
    recent = .silence(bands)
    for band in 0..<bands { (microphone[band], echo[band], residual[band]) = (1e-9, 1e-9, 1e-9) }
  }

  deinit {
    microphone.deallocate()
    echo.deallocate()
    residual.deallocate()
    floor.deallocate()
    recent.deallocate()
  }

  /// The noise in which an echo would not be heard, by band: the running minimum of what is left of the microphone.
  var noise: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { UnsafePointer(floor) }
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
    let (estimates, errors) = (echo, residual)
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
    let worse = isFastBetter ? remaining : worse
    var loudBands = 0, worseBands = 0
    var heard: Float = 0, left: Float = 0, estimated: Float = 0
    for band in 0..<count {
      microphone[band] = memory * microphone[band] + (1 - memory) * d[band]
      echo[band] = memory * echo[band] + (1 - memory) * y[band]
      residual[band] = memory * residual[band] + (1 - memory) * e[band]
      let quieter = min(microphone[band], residual[band])
      floor[band] = hops > settling ? min(floor[band] * rise, quieter) : quieter
      recent[band] = longMemory * recent[band] + (1 - longMemory) * d[band]
      guard echo[band] > loud * microphone[band], microphone[band] > audible * floor[band],
        microphone[band] > steady * recent[band]
      else { continue }
      loudBands += 1
      heard += microphone[band]
      left += residual[band]
      estimated += echo[band]
      if residual[band] > worse * microphone[band] { worseBands += 1 }
    }
    let isEvident = loudBands >= 5
    evidence = isEvident && 10 * worseBands > 6 * loudBands ? evidence + 1 : 0
    if isEvident && evidence == 0 {
      residualShare += (1 - shareMemory) * (min(left / heard, 1) - residualShare)
      if residualShare < converged { hasConverged = true }
    }
    return evidence >= patience && (hasConverged || isConfident && estimated > absurd * heard)
  }
}
