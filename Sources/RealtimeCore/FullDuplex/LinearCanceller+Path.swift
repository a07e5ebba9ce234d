/// What the canceller observes of a hop, and of the echo path in it; what follows is decided by `Supervisor`. [realtime]
extension LinearCanceller {
  /// Whether the far end speaks.
  var isFarEnd: Bool {
    @_noLocks @_noAllocation get { farEnd.normalizedPower > rules.speaking }
  }

  @_noLocks @_noAllocation
  mutating func know() {
    facts.isFarEnd = isFarEnd
    facts.isTone = farEnd.spectra.excitation.isTone
    facts.isMicrophoneWhole = microphone.isWhole
    facts.isHistoryComplete = hopsUntilHistoryIsComplete == 0
    facts.hasConverged = detector.hasConverged
    facts.isConfident = filters.careful.isConfident
    facts.surprise = filters.careful.surprise
    facts.isEstimateTooLarge = filters.careful.isEstimateTooLarge
    facts.needsFast = subtraction.needsFast
    facts.isRelearning = verification.isPending && verification.isRefuted
    facts.isGuarded = initialGuard.isArmed
    facts.isTrialRunning = trial.isRunning
    facts.isResamplerShort = farEnd.resampler.isShort
    facts.offset = filters.offset
  }

  @_noLocks @_noAllocation
  mutating func permits(_ learner: Supervisor.Learner) -> Bool { Supervisor.permits(learner, facts, rules) }

  /// Does what `Supervisor` makes of the news, and returns it.
  @_noLocks @_noAllocation @discardableResult
  mutating func act(on news: PathNews?) -> PathAction? {
    guard let news, let action = Supervisor.reduce(news, facts, rules) else { return nil }
    perform(action)
    know()
    return action
  }

  @_noLocks @_noAllocation
  mutating func observeFarEnd() {
    act(on: verification.resume(hasConverged: detector.hasConverged))
    act(on: firstWords.observe(farEnd.spectra.excitation, isFarEnd: isFarEnd))
  }

  @_noLocks @_noAllocation
  mutating func observePath() {
    let hop = bands.hop(noise: detector.noise, isFarEnd: isFarEnd)
    act(on: verification.observe(hop))
    if hopsUntilHistoryIsComplete > 0 { return watchBeginning() }
    // Where the filters do not learn, their error is of an earlier hop.
    if !permits(.filters) { return }
    if permits(.exchange) { filters.exchange(hop) }
    observeTrial(hop)
    observeDelay()
    observeGain(hop)
    watchBeginning()
    if permits(.drift) { act(on: tracker.observe(filters.fast, rate: farEnd.resampler.rate, at: hops)) }
    noteDelay()
  }

  @_noLocks @_noAllocation
  mutating func observeTrial(_ hop: PathHop) {
    if trial.isRunning {
      bands.measure(filters.fastEstimate.echo, into: trial.echo.start)
      act(on: trial.observe(hop, concentration: filters.fast.concentration))
    } else {
      act(on: trial.wait())
    }
  }

  /// Searches for a better window until the filter has converged or has been sure for long, and at any time for an echo that the
  /// filter does not expect. A converged filter whose echo moves is first reset by `PathChangeDetector`; but it, too, gets a window that
  /// begins where its echo does, because it may have converged a moment before that was known, and lack the room's tail.
  @_noLocks @_noAllocation
  mutating func observeDelay() {
    facts.isEchoSuspected = false
    guard filters.careful.hasLearnt, farEnd.normalizedPower > rules.audible else { return }
    turns += 1
    if turns % idlePeriod == 0, let start = filters.laterStart() {
      act(on: .windowIdle(until: start))
      return
    }
    if !permits(.delay) { return }
    scout.note(
      isSure: filters.careful.isSure && !farEnd.spectra.excitation.isTone, isAtTheEnd: filters.careful.peaksAtTheEnd)
    let isSurprised = filters.careful.surprise > rules.surprising
    if scout.isAtRest, !isSurprised { return }
    let start = scout.search(farEnd.spectra, error: filters.careful.error.parts, offset: filters.offset, at: hops)
    if scout.isCertain, isSurprised {
      if case .beginAnew = act(on: .echoFound(share: scout.echoShare, gain: scout.echoGain)) { return }
    }
    if let start { act(on: .echoElsewhere(start, isBeyond: filters.careful.peaksAtTheEnd)) }
  }

  @_noLocks @_noAllocation
  mutating func observeGain(_ hop: PathHop) {
    if permits(.gain), let change = gainTracker.observe(hop, hasConverged: detector.hasConverged) {
      act(on: change)
    } else if detector.observe(hop, isFastBetter: subtraction.needsFast, isConfident: filters.careful.isConfident) {
      act(on: .estimateHarms(fall: gainTracker.fall()))
    }
  }

  @_noLocks @_noAllocation
  mutating func watchBeginning() {
    let isTrusted = detector.hasConverged || filters.careful.isConfident && farEnd.normalizedPower > rules.telling
    initialGuard.update(
      isHeard: isFarEnd && farEnd.power > EchoMeter.farEndThreshold, isTrusted: isTrusted,
      isHistoryComplete: hopsUntilHistoryIsComplete == 0)
    if initialGuard.isOn { verification.cancel() }
  }

  /// Publishes the delay of the strongest tap while the estimate exceeds its expected error; kept until the filter is reset.
  @_noLocks @_noAllocation
  mutating func noteDelay() {
    guard filters.careful.isConfident else { return }
    let peak = filters.careful.peak()
    if peak < 0 { return }
    echoDelay = Float(Double(filters.offset * layout.hop + peak - farEndDelay) + farEnd.resampler.delay) / Float(layout.rate)
  }
}
