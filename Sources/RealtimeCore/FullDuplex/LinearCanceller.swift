/// The linear part of the canceller: subtracts the estimated echo from the microphone, and tells how far the estimate may be wrong.
///
///     left, right ─▶ drift resampler ─▶ loudspeaker, + saturation ─▶ spectra ─▶ fast and careful filter ─▶ echo
///     microphone ─────────────────────────────────────────────────────────────────────────────────────── − ─▶ residual
///
/// The fast filter is processed after the careful one, which predicts the rest of its echo. Own arrangement; each stage names its source.
/// Delay: `farEndDelay`, 24 frames. Cost: some 8 transforms of `transform` samples and 3 of two hops a hop, in mono; none while the far end
/// is silent. [realtime] except `init` and `deinit`.
struct LinearCanceller: ~Copyable {
  let layout: FilterLayout
  /// The echo estimated in the newest hop, and the residual: the microphone minus it. Overwritten by the next `process`.
  private(set) var echo: UnsafePointer<Float>
  private(set) var residual: UnsafePointer<Float>
  /// A Boolean value indicating whether `residual` is the microphone: the far end is silent, or the microphone closed.
  var isPassing: Bool {
    @_noLocks @_noAllocation get { careful.isPassing }
  }
  /// A Boolean value indicating whether the filter was reset and has not converged: everything heard while the far end talks counts as
  /// echo.
  private(set) var isGuarded = false
  /// A Boolean value indicating whether the filters were reset in this hop, because they take the echo path for another one.
  private(set) var hasBegunAnew = false
  /// The delay in hops at which the filters' window starts.
  private(set) var offset = 0
  /// Seconds from a sample of the far end to its echo; NaN while the filter does not know.
  private(set) var echoDelay = Float.nan
  /// Mean square of the newest hop of the far end's louder side.
  private(set) var farEndPower: Float = 0
  /// Mean square of the newest hop of the microphone.
  private(set) var microphonePower: Float = 0

  private var resampler: DriftResampler
  private var tracker: DriftTracker
  private(set) var level: ReferenceLevel
  private(set) var loudspeaker: LoudspeakerModel
  private(set) var reference: ReferenceSpectra
  private var fast: KalmanFilter
  private var careful: KalmanFilter
  private var prior: PathPrior
  private var selector: PathSelector
  private(set) var mix: FilterMix
  private var estimateShare: EstimateShare
  private var scout: DelayScout
  private var detector: PathChangeDetector
  private(set) var spectrum: BandSpectrum
  private var verification: PathVerification
  private var trial: EchoTrial
  private var firstWords: FirstWords
  private var gainTracker: GainTracker
  private var gainChanges: GainChanges
  /// The newest hop of the reference: left, right, and what saturation adds.
  private let far: UnsafeMutablePointer<Float>
  private let otherFar, excess: UnsafeMutablePointer<Float>
  private var wasStereo = false
  private let microphone: SlidingWindows
  private(set) var repair: ClippingRepair
  /// The newest hop of the microphone, repaired where it is clipped.
  private let unclipped: UnsafeMutablePointer<Float>
  /// The newest hop of a residual that exceeds its limit.
  private let limited: UnsafeMutablePointer<Float>
  let fastBands, carefulBands, microphoneBands, echoBands: UnsafeMutablePointer<Float>
  private var hops = 0
  /// Hops of active far end for which filters that have not converged stay guarded: 1.07 s at first, 0.4 s after a reset.
  private var guardHops: Int
  /// A Boolean value indicating whether `DelayScout` has just found an echo that the filters do not expect, which a trial has to prove:
  /// speech resembles other speech by chance.
  private var isEchoSuspected = false
  /// The share of the error that was proven to be echo when the filters were last reset, until it is used.
  private var provenShare: Float = 0
  /// Hops for which the far end still counts as active, up to 0.45 s after it was.
  private var sinceFarEnd = 0
  /// Consecutive silent hops of the far end.
  private var quietHops = 0
  /// The last result of `KalmanFilter.idlePartitions`, within reach.
  private var idlePartitions = 0
  /// Consecutive hops with an open microphone, capped at a window's length.
  private var openHops = 0
  /// Hops until the reference covers the filters' whole reach again after `resume()`; nothing is learnt meanwhile.
  private var hopsUntilHistoryIsComplete = 0
  /// Turns to place the window, and their number from one estimate of `idlePartitions` to the next: in between, all rows of weights are
  /// constrained.
  private var turns = 0
  private let idlePeriod: Int
  /// Hops from one vain attempt to move the echo within the window to the next.
  private let movePeriod: Int
  /// A Boolean value indicating whether the last attempt was in vain.
  private var isAtEdge = false
  private let guardAfterChange: Int
  private let farEndHold: Int
  /// Limit of the silence that raises the filters' variances, 5 s.
  private let mostSilence: Int

  init(layout: FilterLayout) {
    self.layout = layout
    let resampler = DriftResampler(hop: layout.hop)
    farEndDelay = Int(resampler.delay)
    self.resampler = resampler
    tracker = DriftTracker(layout: layout)
    level = ReferenceLevel(layout: layout)
    let transform = FourierTransform(length: layout.transform)
    loudspeaker = LoudspeakerModel(layout: layout, transform: transform)
    reference = ReferenceSpectra(layout: layout, transform: transform)
    fast = KalmanFilter(layout: layout, tuning: .fast, transform: transform)
    careful = KalmanFilter(layout: layout, tuning: .careful, transform: transform)
    prior = PathPrior(layout: layout)
    let spectrum = BandSpectrum(layout: layout)
    let bands = spectrum.count
    self.spectrum = spectrum
    selector = PathSelector(layout: layout, bands: bands)
    mix = FilterMix(layout: layout)
    estimateShare = EstimateShare(layout: layout)
    scout = DelayScout(layout: layout)
    detector = PathChangeDetector(layout: layout, bands: bands)
    verification = PathVerification(layout: layout, bands: bands)
    trial = EchoTrial(layout: layout, bands: bands)
    firstWords = FirstWords(layout: layout)
    gainTracker = GainTracker(layout: layout, bands: bands)
    gainChanges = GainChanges(hops: layout.slots, memory: layout.hops(0.5))
    far = .silence(layout.hop)
    otherFar = .silence(layout.hop)
    excess = .silence(layout.hop)
    repair = ClippingRepair(highPass: .rumble(rate: layout.rate), frames: layout.hop, memory: layout.perHop(0.5))
    unclipped = .silence(layout.hop)
    limited = .silence(layout.hop)
    microphone = SlidingWindows(count: 1, length: layout.window, block: layout.hop)
    fastBands = .silence(bands)
    carefulBands = .silence(bands)
    microphoneBands = .silence(bands)
    echoBands = .silence(bands)
    guardHops = layout.hops(1.067)
    idlePeriod = KalmanFilter.Tuning.careful.constraintTurns
    movePeriod = layout.hops(0.2)
    guardAfterChange = layout.hops(0.4)
    farEndHold = layout.hops(0.453)
    mostSilence = layout.hops(5)
    (echo, residual) = (UnsafePointer(far), UnsafePointer(far))
  }

  deinit {
    for array in [far, otherFar, excess, unclipped, limited, fastBands, carefulBands, microphoneBands, echoBands] { array.deallocate() }
  }

  /// Initial delay of the far end in frames; delay the microphone equally.
  let farEndDelay: Int

  /// Mean square of that hop, normalized by `ReferenceLevel`.
  private var farEndLevel: Float {
    @_noLocks @_noAllocation get { farEndPower * level.gain * level.gain }
  }

  /// Expected power of the residual echo, by adapted bin.
  var uncertainty: UnsafePointer<Float> {
    @_noLocks @_noAllocation get {
      if verification.isPending { return UnsafePointer(verification.uncertainty) }
      return mix.uncertainty
    }
  }

  /// A Boolean value indicating whether the fast filter leaves clearly less than the careful one.
  private var needsFast: Bool {
    @_noLocks @_noAllocation get { mix.benefit > Self.needed }
  }

  /// A Boolean value indicating whether the filter learns a path that has changed in a pause of the far end.
  private var isRelearning: Bool {
    @_noLocks @_noAllocation get { verification.isPending && verification.isRefuted }
  }

  /// What the suppressor is to know of this hop. `uncertainty` is not typical while the far end is a tone, or the filter has yet to be
  /// verified.
  var state: CancellerState {
    @_noLocks @_noAllocation get {
      CancellerState(
        isGuarded: isGuarded, isFarEndSilent: reference.isSilent, isWideBand: !reference.isSilent && reference.isWideBand,
        hasConverged: detector.hasConverged, isUncertaintyTypical: !reference.excitation.isTone && !verification.isPending,
        mayBeTooSure: isRelearning || !firstWords.wereHeard)
    }
  }

  /// Processes one hop of the microphone and of each channel of the far end.
  ///
  /// - Parameter railMarks: of `RailWatch`, as late as the microphone; nil if no sample is clipped.
  @_noLocks @_noAllocation
  mutating func process(
    _ samples: UnsafePointer<Float>, left: UnsafePointer<Float>, right: UnsafePointer<Float>, railMarks: UnsafePointer<Float>? = nil
  ) {
    hasBegunAnew = false
    advance(left: left, right: right)
    // A microphone that is muted at its source gives zeros while the room's echo continues, so the weights are kept.
    microphonePower = meanSquare(samples, frames: layout.hop)
    openHops = microphonePower > Self.closed ? min(openHops + 1, layout.window / layout.hop) : 0
    let isWhole = openHops == layout.window / layout.hop
    if reference.isSilent || openHops == 0 {
      microphone.push(samples, onto: 0)
      repair.reset()
      if reference.isSilent { verification.pause() }
      careful.passThrough()
      mix.reset()
      estimateShare.reset()
      echo = careful.echo
      residual = microphone[0] + (layout.window - layout.hop)
      isGuarded = false
      return
    }
    let learns = isWhole && hopsUntilHistoryIsComplete == 0
    rememberSilence()
    let isFarEnd = farEndLevel > Self.speaking
    if firstWords.update(excitation: reference.excitation, isFarEnd: isFarEnd) { distrust() }
    careful.predict(reference, offset: offset)
    verification.expect(careful)
    fast.predict(reference, offset: offset, beyond: careful)
    if provenShare > 0 { expectProvenEcho() }
    if trial.isNew { fast.scalePrior(by: excess(of: 1, over: fast)) }
    copy(samples, to: unclipped, frames: layout.hop)
    if railMarks != nil || !repair.isAtRest { repair.process(unclipped, marks: railMarks, echo: careful.echo) }
    microphone.push(unclipped, onto: 0)
    careful.adapt(to: microphone[0], learns: learns)
    fast.adapt(to: microphone[0], learns: learns)
    if learns, careful.isDue {
      if !detector.hasConverged, !trial.isRunning, isFarEnd, !reference.excitation.isTone {
        prior.update(&fast, &careful, isStereo: reference.isStereo)
      }
      if careful.isConfident { loudspeaker.learn(from: careful, offset: offset, isStereo: reference.isStereo) }
    }
    spectrum.measure(careful.residual, into: carefulBands, plus: careful.echo, into: echoBands, sum: microphoneBands)
    spectrum.measure(fast.residual, into: fastBands)
    mix.mix(
      fast: (fast.echo, fast.residual), careful: (careful.echo, careful.residual), fastUncertainty: UnsafePointer(fast.uncertainty),
      carefulUncertainty: UnsafePointer(careful.uncertainty), isOffered: !trial.isRunning)
    (echo, residual) = (mix.echo, mix.residual)
    if estimateShare.limit(microphone: unclipped, echo: echo, residual: residual) {
      (echo, residual) = (estimateShare.echo, estimateShare.residual)
    }
    limitResidual()
    verify(isFarEnd: isFarEnd)
    if hopsUntilHistoryIsComplete > 0 { return watchBeginning(isFarEnd: isFarEnd) }
    if !isWhole { return }
    if !trial.isRunning { selector.select(&fast, &careful, fast: fastBands, careful: carefulBands, spectrum: spectrum) }
    tryEcho(isFarEnd: isFarEnd)
    place(isAudible: farEndLevel > Self.audible)
    // A tone tells nothing of other frequencies.
    if !reference.excitation.isTone,
      let gain = gainTracker.update(
        microphone: microphoneBands, echo: echoBands, residual: carefulBands, noise: detector.noise, isConverged: detector.hasConverged)
    {
      scale(by: gain)
      gainChanges.note(gain)
      detector.follow(gain)
    } else if detector.update(
      microphone: microphoneBands, echo: echoBands, residual: carefulBands, isFastBetter: needsFast,
      isConfident: careful.isConfident), careful.isEstimateTooLarge, !isRelearning
    {
      followChange()
    }
    watchBeginning(isFarEnd: isFarEnd)
    // A resampler that is short of samples does not apply `rate`: the tracker's corrections would accumulate without bound.
    if !trial.isRunning, let rate = tracker.update(fast, rate: resampler.rate, at: hops), !resampler.isShort { resampler.rate = rate }
    noteDelay()
  }

  /// Limits what is heard of the residual to twice the microphone's peak in the error's window. The echo is part of the microphone, so more
  /// than that is the estimate's own: of an echo that has ended, or of a filter that was fed garbage.
  @_noLocks @_noAllocation
  private mutating func limitResidual() {
    let highest = peak(residual, frames: layout.hop)
    // The newest hop's own peak suffices almost always.
    if highest <= 2 * peak(unclipped, frames: layout.hop) { return }
    let limit = 2 * peak(microphone[0], frames: layout.window)
    if highest <= limit { return }
    for i in 0..<layout.hop { limited[i] = min(max(residual[i], -limit), limit) }
    residual = UnsafePointer(limited)
  }

  /// Raises the variances, and begins to verify the filter, after a long pause of the far end.
  @_noLocks @_noAllocation
  private mutating func rememberSilence() {
    let silentHops = verification.resume(hasConverged: detector.hasConverged)
    if silentHops == 0 { return }
    careful.age(by: min(silentHops, mostSilence))
    fast.age(by: min(silentHops, mostSilence))
  }

  /// Verifies the filters, and raises their variances if the path has changed in the pause.
  @_noLocks @_noAllocation
  private mutating func verify(isFarEnd: Bool) {
    let error = verification.update(microphone: microphoneBands, echo: echoBands, residual: carefulBands, isFarEnd: isFarEnd)
    if error == 0 { return }
    careful.raiseVariances(by: error)
    fast.raiseVariances(by: error)
  }

  @_noLocks @_noAllocation
  private mutating func advance(left: UnsafePointer<Float>, right: UnsafePointer<Float>) {
    hops += 1
    hopsUntilHistoryIsComplete = max(hopsUntilHistoryIsComplete - 1, 0)
    if let factor = gainChanges.next() { scale(by: factor) }
    feed(left: left, right: right)
  }

  /// Resamples the far end to the microphone's clock. Whenever the delay has changed by a whole hop, feeds one hop more or fewer and moves
  /// the filters' window by as much.
  @_noLocks @_noAllocation
  private mutating func feed(left: UnsafePointer<Float>, right: UnsafePointer<Float>) {
    farEndPower = max(meanSquare(left, frames: layout.hop), meanSquare(right, frames: layout.hop))
    quietHops = farEndPower > ReferenceSpectra.silence ? 0 : quietHops + 1
    if let factor = level.update(farEndPower) { loudspeaker.rescale(by: factor) }
    resampler.feed(left: left, right: right, isSilent: farEndPower == 0)
    if resampler.isShort, offset > 0 {
      resampler.skip(hops: -1)
      offset -= 1
    } else if resampler.isShort, isMoveDue, moveEarlier() == layout.hop {
      // One hop fewer is fed.
    } else {
      if resampler.hasHopToSpare {
        feedReference()
        resampler.skip(hops: 1)
        if offset < (layout.reach - layout.partitions) * layout.partitionHops {
          offset += 1
        } else {
          // The window is as late as possible: the echo moves within it.
          careful.moveLaterByHop()
          fast.adopt(careful, bins: 0..<layout.bins)
          tracker.forget()
        }
      }
      feedReference()
    }
    resampler.advance()
    if reference.isStereo != wasStereo {
      wasStereo = reference.isStereo
      if wasStereo {
        careful.split()
        fast.split()
        prior.split()
      } else {
        careful.join()
        fast.join()
        prior.join()
      }
    }
  }

  /// A Boolean value indicating whether to try to move the echo within the window: as soon as the resampler is short; after a vain attempt
  /// rarely, and never in silence.
  private var isMoveDue: Bool {
    @_noLocks @_noAllocation get { !isAtEdge || hops % movePeriod == 0 && !reference.isSilent }
  }

  /// Moves the echo within the window, which is as early as possible, and delays the reference by as much: by a hop, of which one fewer is
  /// then to be fed, or by fewer frames, by which the history is delayed, too. Returns the frames.
  @_noLocks @_noAllocation
  private mutating func moveEarlier() -> Int {
    // A filter that was reset does not know yet where the echo begins.
    let frames = careful.isConfident ? careful.moveEarlier() : 0
    isAtEdge = frames == 0
    if isAtEdge { return 0 }
    fast.adopt(careful, bins: 0..<layout.bins)
    resampler.postpone(by: frames)
    tracker.forget()
    if frames < layout.hop {
      reference.delay(by: frames)
      loudspeaker.restart()
    }
    return frames
  }

  @_noLocks @_noAllocation
  private mutating func feedReference() {
    if reference.isSilent, quietHops > Self.resamplerHops {
      loudspeaker.restart()
      return reference.feedSilence()
    }
    resampler.read(into: far, channel: 0)
    if resampler.isMono {
      loudspeaker.distort(far, nil, saturation: excess)
      copy(far, to: otherFar, frames: layout.hop)
    } else {
      resampler.read(into: otherFar, channel: 1)
      loudspeaker.distort(far, otherFar, saturation: excess)
    }
    reference.feed(left: far, right: otherFar, excess: excess)
  }

  /// Searches for a better window until the filter has converged or has been sure for long, and at any time for an echo that the
  /// filter does not expect. A converged filter whose echo moves is first reset by `PathChangeDetector`; but it, too, gets a window that
  /// begins where its echo does, because it may have converged a moment before that was known, and lack the room's tail.
  ///
  /// - Parameter isAudible: whether the far end is above `audible`.
  @_noLocks @_noAllocation
  private mutating func place(isAudible: Bool) {
    let isSurprised = careful.surprise > Self.surprising
    isEchoSuspected = false
    guard careful.hasLearnt, isAudible else { return }
    turns += 1
    if turns % idlePeriod == 0 {
      // Two consecutive estimates must agree: right after a path change the weights are still in transition.
      let former = idlePartitions
      idlePartitions = min(careful.idlePartitions(), layout.reach - layout.partitions - offset / layout.partitionHops)
      if idlePartitions > 0, idlePartitions == former { return moveWindow(to: offset + idlePartitions * layout.partitionHops) }
    }
    guard !detector.hasConverged || isSurprised else { return }
    scout.note(isSure: careful.isSure && !reference.excitation.isTone, isAtTheEnd: careful.peaksAtTheEnd)
    if scout.isAtRest, !isSurprised { return }
    let wanted = scout.search(reference, error: careful.error, offset: offset, at: hops)
    if guardHops == 0, isSurprised, echoBegins {
      let share = scout.echoShare, gain = scout.echoGain
      let isEvident = gain > Self.loud.least || share > Self.evident
      isEchoSuspected = !isEvident
      if isEvident, gain < Self.loud.most {
        beginAnew()
        provenShare = share
        return
      }
    }
    // Never move away from a window with echo: music correlates with its own past. An echo in the last partition may only begin there.
    if let wanted, !detector.hasConverged, !careful.isConfident || wanted > offset && careful.peaksAtTheEnd { moveWindow(to: wanted) }
  }

  /// Begins a trial when an error startles filters that have never converged, or `DelayScout` suspects an echo that they do not expect, and
  /// starts anew if it proves an echo: the loudspeaker was switched on. The fast filter returns to the careful one's weights otherwise.
  @_noLocks @_noAllocation
  private mutating func tryEcho(isFarEnd: Bool) {
    if trial.isRunning {
      spectrum.measure(fast.echo, into: trial.echo)
      let isProven = trial.update(
        microphone: microphoneBands, residual: fastBands, noise: detector.noise, concentration: fast.concentration)
      if isProven {
        beginAnew()
        provenShare = 1
      } else if trial.isOver || careful.surprise < Self.surprising {
        trial.end(rests: trial.isOver)
        fast.restore(careful)
      }
    } else if trial.isRested(), isEchoSuspected || careful.surprise > Self.startling && !detector.hasConverged, guardHops == 0,
      !needsFast, isFarEnd, !reference.excitation.isTone,
      trial.isWorthwhile(microphone: microphoneBands, noise: detector.noise)
    {
      isEchoSuspected = false
      fast.forget()
      tracker.forget()
      trial.begin()
    }
  }

  /// A Boolean value indicating whether the scout finds an echo that the filters do not expect: the loudspeaker or the microphone was
  /// switched on, or speech follows the far end's first tone. Filters that have learnt the absence of an echo for long would need seconds.
  /// The threshold is a share of the error that the near end does not reach by chance.
  private var echoBegins: Bool {
    @_noLocks @_noAllocation get { scout.isCertain && scout.echoShare > (careful.surprise > 300 && !detector.hasConverged ? 0.1 : 0.18) }
  }

  /// Moves the filters' window to start at a delay of `wanted` hops, and shifts their weights with it.
  @_noLocks @_noAllocation
  private mutating func moveWindow(to wanted: Int) {
    let partitions = (wanted - offset) / layout.partitionHops
    fast.move(by: partitions)
    careful.move(by: partitions)
    prior.move(by: partitions, scale: careful.priorScale)
    offset = wanted
    tracker.forget()
  }

  /// Resumes after a pause without a consumer of the voice. The far end of the pause is unknown, so nothing is learnt until the reference
  /// history is complete; the weights are kept.
  @_noLocks @_noAllocation
  mutating func resume() {
    reference.restart()
    loudspeaker.restart()
    scout.forget()
    repair.reset()
    (quietHops, openHops, sinceFarEnd, isEchoSuspected) = (Self.resamplerHops + 1, 0, 0, false)
    hopsUntilHistoryIsComplete = offset + layout.partitions * layout.partitionHops
  }

  /// Accounts for a hop that the graph lost: `silence` replaces microphone and far end.
  @_noLocks @_noAllocation
  mutating func loseHop(_ silence: UnsafePointer<Float>) {
    advance(left: silence, right: silence)
    microphone.push(silence, onto: 0)
    repair.reset()
    openHops = 0
  }

  /// Raises the filters' variances, because the echo path may have changed, and searches for a better window; the weights are kept.
  @_noLocks @_noAllocation
  mutating func doubt() {
    distrust()
    loudspeaker.doubt()
    isEchoSuspected = false
    scout.forget(isDoubt: true)
    trial.end()
    echoDelay = .nan
    // Adaptation starts at once, with the history that is known.
    hopsUntilHistoryIsComplete = 0
  }

  /// Publishes the delay of the strongest tap while the estimate exceeds its expected error; kept until the filter is reset.
  @_noLocks @_noAllocation
  private mutating func noteDelay() {
    guard careful.isConfident else { return }
    let peak = careful.peak()
    if peak < 0 { return }
    echoDelay = Float(Double(offset * layout.hop + peak - farEndDelay) + resampler.delay) / Float(layout.rate)
  }

  /// Schedules a change of the echo's gain for when the echo of what is played now arrives: the speaker's volume was changed.
  @_noLocks @_noAllocation
  mutating func scaleEcho(by factor: Float) {
    gainChanges.add(factor, in: echoDelay.isNaN ? 0 : Int(echoDelay * Float(layout.rate)) / layout.hop)
  }

  /// Scales both filters' estimated paths by a factor with this relative variance.
  @_noLocks @_noAllocation
  private mutating func scale(by factor: Float, variance: Float = 0) {
    fast.scale(by: factor, variance: variance)
    careful.scale(by: factor, variance: variance)
  }

  /// Follows a change after which the estimate adds echo: a turned volume, or another path. A path that moves is the fast filter's.
  @_noLocks @_noAllocation
  private mutating func followChange() {
    guard !needsFast, let fall = gainTracker.fall() else { return beginAnew() }
    scale(by: fall.gain, variance: fall.variance)
    gainChanges.note(fall.gain)
    detector.follow(fall.gain)
  }

  /// Resets the filters, because nothing that they have learnt holds.
  @_noLocks @_noAllocation
  private mutating func beginAnew() {
    fast.forget()
    careful.forget()
    prior.forget()
    detector.forget()
    selector.forget()
    scout.forget()
    tracker.forget()
    trial.end()
    guardHops = guardAfterChange
    isEchoSuspected = false
    hasBegunAnew = true
    echoDelay = .nan
  }

  /// Raises the filters' variances; the weights are kept: of tones, they are true at their frequencies.
  @_noLocks @_noAllocation
  private mutating func distrust() {
    fast.doubt()
    careful.doubt()
    prior.doubt()
    detector.forget()
    scout.wake()
    tracker.forget()
  }

  /// Raises the prior of filters that were reset a hop ago, and have predicted since, if the echo that was proven is far louder than they
  /// expect: the far end is soft and the loudspeaker turned up. Otherwise they would take the echo for a near end, and not learn from it.
  @_noLocks @_noAllocation
  private mutating func expectProvenEcho() {
    let factor = excess(of: provenShare, over: careful)
    provenShare = 0
    if factor == 1 { return }
    careful.scalePrior(by: factor)
    fast.scalePrior(by: factor)
    prior.scale(by: factor)
  }

  /// Returns the factor by which a share of the error exceeds all that a filter expects, right after its `predict`; 1 if it hardly does.
  @_noLocks @_noAllocation
  private func excess(of share: Float, over filter: borrowing KalmanFilter) -> Float {
    let factor = share * careful.errorPower / filter.expectedNow
    return factor < 2 ? 1 : min(factor, Self.loudest)
  }

  /// Updates `isGuarded`. Comfort noise, which `ReferenceLevel` amplifies like a soft talker, needs no guard, and would use it up.
  @_noLocks @_noAllocation
  private mutating func watchBeginning(isFarEnd: Bool) {
    sinceFarEnd = isFarEnd && farEndPower > EchoMeter.farEndThreshold ? farEndHold : sinceFarEnd - 1
    if hopsUntilHistoryIsComplete == 0, sinceFarEnd > 0, guardHops > 0 {
      let trusts = careful.isConfident && farEndLevel > Self.telling
      guardHops = detector.hasConverged || trusts ? 0 : guardHops - 1
    }
    isGuarded = (hopsUntilHistoryIsComplete > 0 || guardHops > 0) && sinceFarEnd > 0
    if isGuarded { verification.cancel() }
  }
}
