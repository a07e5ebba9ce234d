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
  let echo: Samples

  private let bands: Int
  private let tuning: Tuning.EchoTrial
  private var evidence: EchoEvidence
  /// Whether the last hop came near a proof.
  private var isPromising = false
  /// Hops of a trial, and at most of one that is promising.
  private let patience, longestPatience: Int
  /// Hops after a trial that proved nothing.
  private let rest: Int
  private var hops = 0
  private var hopsToRest = 0

  init(layout: FilterLayout, tuning: Tuning = .standard, bands: Int) {
    self.bands = bands
    self.tuning = tuning.echoTrial
    echo = Samples(bands)
    evidence = EchoEvidence(layout: layout, tuning: tuning.echoEvidence)
    patience = layout.hops(tuning.echoTrial.patience)
    longestPatience = layout.hops(tuning.echoTrial.longestPatience)
    rest = layout.hops(tuning.echoTrial.rest)
  }

  /// A Boolean value indicating whether the filter is to predict for the first time.
  var isNew: Bool {
    @_noLocks @_noAllocation get { isRunning && hops == 0 }
  }

  /// A Boolean value indicating whether the trial has lasted for long enough.
  var isOver: Bool {
    @_noLocks @_noAllocation get { hops >= (isPromising ? longestPatience : patience) }
  }

  /// Returns whether something is heard in enough of the bands.
  @_noLocks @_noAllocation
  func isWorthwhile(_ hop: PathHop) -> Bool {
    var heard = 0
    for band in 0..<bands where hop.microphone[band] > tuning.audible * hop.noise[band] { heard += 1 }
    return Float(heard) >= tuning.heardShare * Float(bands)
  }

  /// Starts a trial, with the filter's reset.
  @_noLocks @_noAllocation
  mutating func begin() {
    (isRunning, hops, isPromising) = (true, 0, false)
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
    for band in 0..<bands where hop.microphone[band] > tuning.audible * hop.noise[band] {
      evidence.add(microphone: hop.microphone[band], echo: echo[band], residual: hop.fastResidual[band])
    }
    isPromising = hasEvidence(tuning.promising, concentration: concentration)
    return hasEvidence(1, concentration: concentration) ? .echoProven : .echoUnproven(isOver: isOver)
  }

  /// Returns whether there is as much evidence as this share of a proof.
  @_noLocks @_noAllocation
  private func hasEvidence(_ share: Float, concentration: Float) -> Bool {
    evidence.found > share * tuning.leastEvidence * Float(bands) && evidence.found > share * tuning.leastShare * evidence.wanted
      && concentration > share * tuning.leastConcentration
  }
}
