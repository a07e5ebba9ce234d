/// Tries whether a surprising error is an echo that begins, when the filters have learnt that there is none: the fast filter, which nobody
/// hears meanwhile, starts anew and learns it. An echo it soon predicts; a near end it does not.
///
/// The microphone contains an estimate that is right (`EchoEvidence`), but none that only resembles what it was learnt from. Bands of noise
/// do not count. But a voice may predict another of the same pitch for a while: from all ages of the far end alike, whereas a room has an
/// onset. Own method. Cost: during a trial, one transform of two hops and some 10 operations a band a hop; otherwise none.
/// [realtime] except `init` and `deinit`.
struct EchoTrial: ~Copyable {
  private(set) var isRunning = false
  /// The energies of the fast filter's estimate, by band: to be measured before `observe`.
  let echo: UnsafeMutablePointer<Float>

  private let bands: Int
  private var evidence: EchoEvidence
  /// Hops of a trial, 0.4 s.
  private let patience: Int
  /// Hops after a trial that proved nothing, 1 s: meanwhile the fast filter follows the path, and the clocks' drift is measured.
  private let rest: Int
  private var hops = 0
  private var hopsToRest = 0

  /// Least `found`, in multiples of the number of bands, and as a share of `wanted`, and the least share of the path's power in one
  /// partition, that together prove an echo. In an hour without echo, where the others held, the first stayed below 1.5 where somebody
  /// talked, and below 1.8 where music was beside other music.
  private let leastEvidence: Float = 1.8
  private let leastShare: Float = 0.4
  private let leastConcentration: Float = 0.25
  /// A band counts if the microphone's power exceeds this multiple of the noise.
  private let audible: Float = 8

  init(layout: FilterLayout, bands: Int) {
    self.bands = bands
    echo = .silence(bands)
    evidence = EchoEvidence(layout: layout)
    patience = layout.hops(0.4)
    rest = layout.hops(1)
  }

  deinit { echo.deallocate() }

  /// A Boolean value indicating whether the filter is to predict for the first time.
  var isNew: Bool {
    @_noLocks @_noAllocation get { isRunning && hops == 0 }
  }

  /// A Boolean value indicating whether the trial has lasted for long enough.
  var isOver: Bool {
    @_noLocks @_noAllocation get { hops >= patience }
  }

  /// Returns whether something is heard in a quarter of the bands at least: in noise alone nothing would be proven.
  @_noLocks @_noAllocation
  func isWorthwhile(_ hop: PathHop) -> Bool {
    var heard = 0
    for band in 0..<bands where hop.microphone[band] > audible * hop.noise[band] { heard += 1 }
    return 4 * heard >= bands
  }

  /// Starts a trial, with the filter's reset.
  @_noLocks @_noAllocation
  mutating func begin() {
    (isRunning, hops) = (true, 0)
    evidence.begin()
  }

  /// Ends the trial, if any. Before the next one it `rests`.
  @_noLocks @_noAllocation
  mutating func end(rests: Bool = false) { (isRunning, hopsToRest) = (false, rests ? rest : 0) }

  /// Counts a hop without a trial. Returns whether one may begin.
  @_noLocks @_noAllocation
  mutating func wait() -> PathNews? {
    hopsToRest = max(hopsToRest - 1, 0)
    return hopsToRest == 0 ? .trialPossible : nil
  }

  /// Processes a hop of a trial, and the filter's `concentration`. Returns whether the microphone contains the estimated echo.
  @_noLocks @_noAllocation
  mutating func observe(_ hop: PathHop, concentration: Float) -> PathNews {
    hops += 1
    evidence.fade()
    for band in 0..<bands where hop.microphone[band] > audible * hop.noise[band] {
      evidence.add(microphone: hop.microphone[band], echo: echo[band], residual: hop.fastResidual[band])
    }
    let isProven =
      evidence.found > leastEvidence * Float(bands) && evidence.found > leastShare * evidence.wanted
      && concentration > leastConcentration
    return isProven ? .echoProven : .echoUnproven(isOver: isOver)
  }
}
