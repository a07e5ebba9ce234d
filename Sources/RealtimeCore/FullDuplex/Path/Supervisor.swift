/// What the canceller knows of itself and of the hop when it decides. [any]
struct PathFacts: Equatable {
  /// The far end speaks; it plays a tone.
  var isFarEnd = true
  var isTone = false
  /// The microphone is open throughout the filters' window, and so is what is known of the far end throughout their reach.
  var isMicrophoneWhole = true
  var isHistoryComplete = true
  /// The filters have cancelled since they were last reset; they expect more echo than error.
  var hasConverged = false
  var isConfident = false
  /// `KalmanFilter.surprise`.
  var surprise: Float = 1
  /// A smaller estimate would have left less.
  var isEstimateTooLarge = false
  /// The fast filter leaves clearly less than the careful one: the path moves.
  var needsFast = false
  /// The filters learn a path that has changed in a pause of the far end.
  var isRelearning = false
  /// The filters were reset, and are not trusted yet.
  var isGuarded = false
  var isTrialRunning = false
  /// `PathAction.suspectEcho` was decided, a hop ago when it is read.
  var isEchoSuspected = false
  /// `DriftResampler.isShort`.
  var isResamplerShort = false
  /// The delay in hops at which the filters' window starts.
  var offset = 0
}

/// The canceller's policy: what follows from what its observers find, and who may learn from a hop. Pure; `SupervisorTests` has it as a
/// table. [realtime]
enum Supervisor {
  /// Returns what to do about a piece of news; nil if nothing.
  @_noLocks @_noAllocation
  static func reduce(_ news: PathNews, _ facts: PathFacts, _ tuning: Tuning.Supervisor) -> PathAction? {
    let isSurprised = facts.surprise > tuning.surprising
    switch news {
    case .toneEnded: return .distrust
    case .pauseEnded(let hops): return .age(hops: hops)
    case .pathRefuted(let error): return .raiseVariances(by: error)

    case .trialPossible:
      // A path that moves needs the fast filter, and a tone proves nothing.
      if facts.isGuarded || facts.needsFast || !facts.isFarEnd || facts.isTone { return nil }
      let isStartled = facts.surprise > tuning.startling && !facts.hasConverged
      return facts.isEchoSuspected || isStartled ? .tryEcho : nil
    case .echoProven: return .beginAnew(echoShare: 1)
    case .echoUnproven(let isOver): return isOver || facts.surprise < tuning.surprising ? .endTrial(rests: isOver) : nil

    case .windowIdle(let start): return .moveWindow(to: start)
    case .echoFound(let share, let gain):
      // Filters that have learnt the absence of an echo for long would need seconds.
      let least = facts.surprise > tuning.baffling && !facts.hasConverged ? tuning.baffledShare : tuning.usualShare
      if facts.isGuarded || !isSurprised || share <= least { return nil }
      let isEvident = gain > tuning.leastLoud || share > tuning.evidentShare
      if !isEvident { return .suspectEcho }
      return gain < tuning.mostLoud ? .beginAnew(echoShare: share) : nil
    case .echoElsewhere(let start, let isBeyond):
      // Never away from a window with echo: music correlates with its own past. An echo at the window's end may only begin there.
      return !facts.hasConverged && (!facts.isConfident || start > facts.offset && isBeyond) ? .moveWindow(to: start) : nil

    case .gainChanged(let gain): return .scale(by: gain, variance: 0)
    case .estimateHarms(let fall):
      if !facts.isEstimateTooLarge || facts.isRelearning { return nil }
      // A path that moves is the fast filter's.
      if let fall, !facts.needsFast { return .scale(by: fall.gain, variance: fall.variance) }
      return .beginAnew(echoShare: 0)
    case .drift(let rate):
      // A resampler that is short of samples does not apply the rate: corrections would accumulate without bound.
      return facts.isResamplerShort ? nil : .followClock(rate: rate)
    }
  }

  /// Returns whether an observer or a filter may learn from the hop.
  @_noLocks @_noAllocation
  static func permits(_ learner: Learner, _ facts: PathFacts, _ tuning: Tuning.Supervisor) -> Bool {
    switch learner {
    case .filters: facts.isMicrophoneWhole && facts.isHistoryComplete
    case .prior: !facts.hasConverged && !facts.isTrialRunning && facts.isFarEnd && !facts.isTone
    case .loudspeaker: facts.isConfident
    // In a trial the fast filter is on its own, and nobody hears it.
    case .exchange, .drift: !facts.isTrialRunning
    // A tone tells nothing of other frequencies.
    case .gain: !facts.isTone
    // Filters that have converged get another window only for an error that surprises them.
    case .delay: !facts.hasConverged || facts.surprise > tuning.surprising
    }
  }

  /// Who learns from a hop.
  enum Learner: CaseIterable {
    /// Both filters' weights; those below learn from filters that have learnt.
    case filters
    /// `PathPrior`, `LoudspeakerModel`.
    case prior, loudspeaker
    /// `PathSelector` and `FilterMix`; `DriftTracker`.
    case exchange, drift
    /// `GainTracker`; `DelayScout`.
    case gain, delay
  }
}
