/// Detects that the echo's path has changed: subtracting a large estimate makes the microphone louder instead of quieter, which a talker at
/// the near end cannot cause. Where the path moves slowly, less is asked for, as long as a filter that learns faster leaves clearly less:
/// nor can a talker cause that. [realtime] except `init` and `deinit`.
struct PathChangeDetector: ~Copyable {
  /// The filter has cancelled since the last change.
  private(set) var hasConverged = false

  private let layout: FilterLayout
  private let count: Int
  private let memory, longMemory: Float
  private let microphone, echo, residual, floor, recent: UnsafeMutablePointer<Float>
  private var hops = 0
  private var evidence = 0
  /// Smoothed share of the microphone's power that remains in bands dominated by echo.
  private var residualShare: Float = 1

  /// Share of the microphone that the estimate must be for its band to count, and how far the band must be over the noise.
  private let loud: Float = 0.4
  private let audible: Float = 8
  /// The residual is this many times the microphone; while the fast filter leaves clearly less, at least so much of it is left.
  private let worse: Float = 1.1
  private let remaining: Float = 0.65
  /// An estimate of so many times the microphone's power is wrong even before the filter has cancelled anything.
  private let absurd: Float = 4
  /// A band that has fallen further below what it was within the last tenth of a second does not count: there the room's tail is heard,
  /// which a filter learns last.
  private let steady: Float = 0.25
  private let patience: Int
  private let converged: Float = 0.08

  init(layout: FilterLayout, bands: Int) {
    self.layout = layout
    count = bands
    memory = layout.perHop(0.8)
    longMemory = layout.perHop(0.96)
    patience = layout.hops(0.021)
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

  /// Starts over, because the filter was reset.
  @_noLocks @_noAllocation
  mutating func forget() { (hasConverged, residualShare, evidence) = (false, 1, 0) }

  /// Takes one hop's energies by band, and whether the fast filter leaves clearly less. Returns whether the path has changed, or
  /// nothing that the filter has learnt is true: after a tone, its other frequencies may be anything.
  @_noLocks @_noAllocation
  mutating func update(
    microphone d: UnsafePointer<Float>, echo y: UnsafePointer<Float>, residual e: UnsafePointer<Float>, isFastBetter: Bool
  ) -> Bool {
    hops += 1
    let worse = isFastBetter ? remaining : worse
    var loudBands = 0, worseBands = 0
    var heard: Float = 0, left: Float = 0, estimated: Float = 0
    for band in 0..<count {
      microphone[band] = memory * microphone[band] + (1 - memory) * d[band]
      echo[band] = memory * echo[band] + (1 - memory) * y[band]
      residual[band] = memory * residual[band] + (1 - memory) * e[band]
      floor[band] = hops > 20 ? min(floor[band] * 1.002, microphone[band]) : microphone[band]
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
      residualShare = 0.98 * residualShare + 0.02 * min(left / heard, 1)
      if residualShare < converged { hasConverged = true }
    }
    return evidence >= patience && (hasConverged || estimated > absurd * heard)
  }
}
