/// The linear part of the canceller: subtracts the estimated echo from the microphone, and tells how far the estimate may be wrong.
///
///     left, right ─▶ far end ─▶ fast and careful filter ─▶ echo
///     microphone ──────────────────────────────────────────── − ─▶ residual
///                                    observers ─▶ news ─▶ Supervisor ─▶ actions
///
/// A hop: feed, predict, subtract, adapt, observe, act. What is done about what the observers find is decided by `Supervisor`, and done in
/// `perform`. Own arrangement; each stage names its source. Delay: `farEndDelay`, 24 frames. Cost: some 8 transforms of `transform` samples
/// and 3 of two hops a hop, in mono; none while the far end is silent. [realtime] except `init`.
struct LinearCanceller: ~Copyable {
  let layout: FilterLayout
  /// Shared by all stages whose transforms are as long.
  let transform: FourierTransform
  let rules: Tuning.Supervisor
  /// Whether the filters were reset in this hop, because they take the echo path for another one.
  private(set) var hasBegunAnew = false
  /// Seconds from a sample of the far end to its echo; NaN while the filter does not know.
  var echoDelay = Float.nan

  var farEnd: FarEnd
  var microphone: MicrophoneWindow
  var filters: FilterPair
  /// Of an array's further microphones.
  let followers: Followers
  var subtraction: EchoSubtraction
  var bands: PathBands

  // Observers of the echo path.
  var firstWords: FirstWords
  var verification: PathVerification
  var trial: EchoTrial
  var scout: DelayScout
  var gainTracker: GainTracker
  private var gainChanges: GainChanges
  var detector: PathChangeDetector
  var tracker: DriftTracker
  var initialGuard: InitialGuard

  /// As of the last `know`; `isEchoSuspected` is set where it is decided, and holds for a hop.
  var facts = PathFacts()
  var hops = 0
  /// The share of the error that was proven to be echo when the filters were last reset, until it is used.
  private var provenShare: Float = 0
  /// Hops until the reference covers the filters' whole reach again after `resume()`; nothing is learnt meanwhile.
  var hopsUntilHistoryIsComplete = 0
  /// Turns to place the window, and their number from one estimate of where the echo begins to the next: in between, all rows of weights
  /// are constrained.
  var turns = 0
  let idlePeriod: Int
  /// Hops from one vain attempt to move the echo within the window to the next.
  private let movePeriod: Int
  /// Whether the last attempt was in vain.
  private var isAtEdge = false
  /// Hops of silence that raise the filters' variances, at most.
  private let mostSilence: Int

  /// - Parameter microphones: 1…8; those after the first follow what is found out about the first one's echo.
  init(layout: FilterLayout, tuning: Tuning = .standard, microphones: Int = 1) {
    self.layout = layout
    rules = tuning.supervisor
    let transform = FourierTransform(length: layout.transform)
    farEnd = FarEnd(layout: layout, tuning: tuning, transform: transform)
    microphone = MicrophoneWindow(layout: layout, tuning: tuning.microphone)
    subtraction = EchoSubtraction(layout: layout, tuning: tuning)
    let bands = PathBands(layout: layout), count = bands.spectrum.count
    let followers = Followers(count: microphones - 1, layout: layout, tuning: tuning, transform: transform)
    filters = FilterPair(
      layout: layout, tuning: tuning, spectrum: bands.spectrum, transform: transform, followers: followers.view)
    self.followers = followers
    self.transform = transform
    self.bands = bands
    firstWords = FirstWords(layout: layout, tuning: tuning.firstWords)
    verification = PathVerification(layout: layout, tuning: tuning, bands: count)
    trial = EchoTrial(layout: layout, tuning: tuning, bands: count)
    scout = DelayScout(layout: layout, tuning: tuning.delayScout)
    gainTracker = GainTracker(layout: layout, tuning: tuning.gainTracker, bands: count)
    gainChanges = GainChanges(hops: layout.slots, memory: layout.hops(tuning.gainChanges.memory))
    detector = PathChangeDetector(layout: layout, tuning: tuning.pathChangeDetector, bands: count)
    tracker = DriftTracker(layout: layout, tuning: tuning.driftTracker)
    initialGuard = InitialGuard(layout: layout, tuning: tuning.initialGuard)
    idlePeriod = KalmanFilter.Role.careful.constraintTurns
    movePeriod = layout.hops(tuning.window.retry)
    mostSilence = layout.hops(tuning.window.mostSilence)
  }

  /// Whether the filters were reset and have not converged: everything heard while the far end talks counts as echo.
  var isGuarded: Bool {
    @_noLocks @_noAllocation get { initialGuard.isOn }
  }

  /// Processes one hop of the microphone and of each channel of the far end.
  ///
  /// - Parameters:
  ///   - railMarks: of `RailWatch`, as late as the microphone; nil if no sample is clipped.
  ///   - others: a hop of each further microphone, one after another; silence if nil.
  @_noLocks @_noAllocation
  mutating func process(
    _ samples: UnsafePointer<Float>, left: UnsafePointer<Float>, right: UnsafePointer<Float>, railMarks: UnsafePointer<Float>? = nil,
    others: UnsafePointer<Float>? = nil
  ) {
    hasBegunAnew = false
    advance(left: left, right: right)
    microphone.measure(samples)
    if farEnd.spectra.isSilent || !microphone.isOpen {
      if let others { follow(others) }
      return pass(samples)
    }
    observeFarEnd()
    filters.predict(farEnd.spectra)
    // The condition is here, because Swift 6.3 copies the filter for the call.
    if verification.isPending { verification.expect(filters.careful) }
    expectEcho()
    if let others { follow(others) }
    microphone.push(samples, railMarks: railMarks, echo: filters.carefulEstimate.echo)
    know()
    adapt()
    subtraction.process(
      fast: filters.fastEstimate, careful: filters.carefulEstimate, newest: microphone.newest, window: microphone.samples,
      isOffered: permits(.exchange))
    bands.measure(fast: filters.fastEstimate, careful: filters.carefulEstimate)
    know()
    observePath()
  }

  /// Passes a hop in which nothing is played, or nothing heard: the room's echo may continue behind a microphone that is muted at its
  /// source, so the weights are kept.
  @_noLocks @_noAllocation
  private mutating func pass(_ samples: UnsafePointer<Float>) {
    if farEnd.spectra.isSilent { verification.pause() }
    filters.passThrough()
    subtraction.pass(microphone.pass(samples), echo: filters.carefulEstimate.echo)
    initialGuard.pass()
  }

  /// Processes a hop of the further microphones, also of those that are open while the main one is closed.
  @_noLocks @_noAllocation
  private mutating func follow(_ others: UnsafePointer<Float>) {
    let isSilent = farEnd.spectra.isSilent, isHistoryComplete = hopsUntilHistoryIsComplete == 0
    for i in 0..<followers.count {
      let samples = others + i * layout.hop, follower = followers[i]
      if isSilent {
        follower.pointee.pass(samples)
      } else {
        follower.pointee.process(samples, reference: farEnd.spectra, offset: filters.offset, learns: isHistoryComplete)
      }
    }
  }

  // MARK: Feed

  @_noLocks @_noAllocation
  private mutating func advance(left: UnsafePointer<Float>, right: UnsafePointer<Float>) {
    hops += 1
    hopsUntilHistoryIsComplete = max(hopsUntilHistoryIsComplete - 1, 0)
    if let factor = gainChanges.next() { filters.scale(by: factor) }
    farEnd.take(left: left, right: right)
    readFarEnd()
    farEnd.advance()
    filters.follow(isStereo: farEnd.spectra.isStereo)
  }

  /// Reads the far end at the microphone's clock. Whenever the delay has changed by a whole hop, reads one hop more or fewer and moves the
  /// filters' window by as much.
  @_noLocks @_noAllocation
  private mutating func readFarEnd() {
    if farEnd.resampler.isShort, filters.offset > 0 {
      farEnd.skip(hops: -1)
      return filters.followSkippedHop()
    }
    if farEnd.resampler.isShort, isMoveDue, moveEarlier() == layout.hop { return }
    if farEnd.resampler.hasHopToSpare {
      farEnd.read()
      farEnd.skip(hops: 1)
      if filters.followAddedHop() { tracker.lose(.path) }
    }
    farEnd.read()
  }

  /// Whether to try to move the echo within the window: as soon as the resampler is short; after a vain attempt rarely, and never in
  /// silence.
  private var isMoveDue: Bool {
    @_noLocks @_noAllocation get { !isAtEdge || hops % movePeriod == 0 && !farEnd.spectra.isSilent }
  }

  /// Moves the echo within the window, which is as early as possible, and delays the far end by as much. Returns the frames.
  @_noLocks @_noAllocation
  private mutating func moveEarlier() -> Int {
    let frames = filters.moveEarlier()
    isAtEdge = frames == 0
    if isAtEdge { return 0 }
    farEnd.postpone(by: frames)
    tracker.lose(.path)
    return frames
  }

  // MARK: Adapt

  /// Raises what filters expect that were reset a hop ago.
  @_noLocks @_noAllocation
  private mutating func expectEcho() {
    if provenShare > 0 { filters.expect(echo: provenShare) }
    provenShare = 0
    if trial.isNew { filters.expectEchoInTrial() }
  }

  @_noLocks @_noAllocation
  private mutating func adapt() {
    let learns = permits(.filters)
    filters.adapt(to: microphone.samples, learns: learns)
    if !learns || !filters.careful.isDue { return }
    if permits(.prior) { filters.adaptPrior() }
    if permits(.loudspeaker) { farEnd.learn(from: filters.careful, offset: filters.offset) }
  }

  // MARK: Act

  @_noLocks @_noAllocation
  mutating func perform(_ action: PathAction) {
    switch action {
    case .beginAnew(let echoShare): beginAnew(echoShare: echoShare)
    case .distrust: distrust()
    case .age(let hops): filters.age(by: min(hops, mostSilence))
    case .raiseVariances(let share): filters.raiseVariances(by: share)
    case .tryEcho: tryEcho()
    case .endTrial(let rests):
      trial.end(rests: rests)
      filters.endTrial()
    case .suspectEcho: facts.isEchoSuspected = true
    case .moveWindow(let start):
      filters.move(to: start)
      tracker.lose(.path)
    case .scale(let factor, let variance):
      filters.scale(by: factor, variance: variance)
      gainChanges.note(factor)
      detector.follow(factor)
      gainTracker.lose(.path)
    case .followClock(let rate): farEnd.follow(rate: rate)
    }
  }

  @_noLocks @_noAllocation
  private mutating func beginAnew(echoShare: Float) {
    filters.lose(.path)
    detector.lose(.path)
    scout.lose(.path)
    tracker.lose(.path)
    initialGuard.lose(.path)
    trial.end()
    (facts.isEchoSuspected, hasBegunAnew) = (false, true)
    provenShare = echoShare
    echoDelay = .nan
  }

  @_noLocks @_noAllocation
  private mutating func distrust() {
    filters.lose(.trust)
    detector.lose(.trust)
    tracker.lose(.trust)
    scout.wake()
  }

  /// Begins a trial. The fast filter returns to the careful one's weights after it.
  @_noLocks @_noAllocation
  private mutating func tryEcho() {
    let hop = bands.hop(noise: detector.noise, isFarEnd: isFarEnd)
    if !trial.isWorthwhile(hop) { return }
    facts.isEchoSuspected = false
    filters.beginTrial()
    tracker.lose(.path)
    trial.begin()
  }

  /// Returns what is handed on of the newest hop.
  // `mutating`, and without the properties of the whole: Swift 6.3 copies a structure of this size for a method that is not.
  @_noLocks @_noAllocation
  mutating func hop() -> LinearHop {
    LinearHop(
      residual: subtraction.residual, echo: subtraction.echo,
      uncertainty: verification.isPending ? UnsafePointer(verification.uncertainty.start) : subtraction.mix.uncertainty,
      left: farEnd.spectra.spectrum(age: 0, channel: 0), right: farEnd.spectra.spectrum(age: 0, channel: 1), farEndGain: farEnd.level.gain,
      repairedPower: microphone.repair.power, state: state())
  }

  // MARK: What is told from outside

  /// Resumes after a pause without a consumer of the voice. The far end of the pause is unknown, so nothing is learnt until the reference
  /// history is complete; the weights are kept.
  @_noLocks @_noAllocation
  mutating func resume() {
    farEnd.lose(.history)
    scout.lose(.history)
    microphone.interrupt()
    followers.view.interrupt()
    initialGuard.lose(.history)
    facts.isEchoSuspected = false
    hopsUntilHistoryIsComplete = filters.offset + layout.partitions * layout.partitionHops
  }

  /// Accounts for a hop that the graph lost: `silence` replaces microphone and far end.
  @_noLocks @_noAllocation
  mutating func loseHop(_ silence: UnsafePointer<Float>) {
    advance(left: silence, right: silence)
    microphone.lose(silence)
    followers.view.loseHop(silence)
  }

  /// Raises the filters' variances, because the echo path may have changed, and searches for a better window; the weights are kept.
  @_noLocks @_noAllocation
  mutating func doubt() {
    distrust()
    farEnd.lose(.trust)
    scout.lose(.trust)
    trial.end()
    facts.isEchoSuspected = false
    echoDelay = .nan
    // Adaptation starts at once, with the history that is known.
    hopsUntilHistoryIsComplete = 0
  }

  /// Follows the main microphone and a further one, which have changed places.
  @_noLocks @_noAllocation
  mutating func exchange(withFollower index: Int) {
    filters.exchange(withFollower: index)
    doubt()
  }

  /// Schedules a change of the echo's gain for when the echo of what is played now arrives: the speaker's volume was changed.
  @_noLocks @_noAllocation
  mutating func scaleEcho(by factor: Float) {
    gainChanges.add(factor, in: echoDelay.isNaN ? 0 : Int(echoDelay * Float(layout.rate)) / layout.hop)
  }
}
