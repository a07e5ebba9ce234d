/// What an observer has found in a hop. [realtime]
enum PathNews: Equatable {
  /// `FirstWords`: a chime or a ringing tone has ended, and nobody has spoken yet.
  case toneEnded
  /// `PathVerification`: the far end is heard again after a long pause of so many hops.
  case pauseEnded(hops: Int)
  /// `PathVerification`: the path has changed in the pause; an error of so many times the estimate's power is to be expected.
  case pathRefuted(error: Float)
  /// `EchoTrial`: none runs, and one may begin.
  case trialPossible
  /// `EchoTrial`: the microphone contains what the fast filter has learnt in it; or not yet, or not within its time.
  case echoProven
  case echoUnproven(isOver: Bool)
  /// `KalmanFilter`: the filters' window could start at so many hops without losing echo.
  case windowIdle(until: Int)
  /// `DelayScout`: this share of the error is echo, and as loud at the microphone as the far end times `gain`, a ratio of powers.
  case echoFound(share: Float, gain: Float)
  /// `DelayScout`: the filters' window should start at so many hops; `isBeyond` if the echo is at its end or after it.
  case echoElsewhere(Int, isBeyond: Bool)
  /// `GainTracker`: the echo is the estimate times this factor.
  case gainChanged(Float)
  /// `PathChangeDetector`: the estimate adds echo. `fall` is the volume that would explain it, if one does.
  case estimateHarms(fall: GainFall?)
  /// `DriftTracker`: the far end's delay grows by this many frames a frame.
  case drift(Double)
}

/// A volume that was turned down: the factor, and how uncertain it is.
struct GainFall: Equatable {
  let gain: Float
  /// Relative variance of `gain`.
  let variance: Float

  @_noLocks @_noAllocation
  init(gain: Float, variance: Float) { (self.gain, self.variance) = (gain, variance) }
}

/// What the canceller does about it. [realtime]
enum PathAction: Equatable {
  /// Forget everything, because the path is another one; `echoShare` of the error is known to be echo.
  case beginAnew(echoShare: Float)
  /// Keep the weights, and trust them less: of tones, they are true at their frequencies.
  case distrust
  /// Add the change that is expected of so many hops.
  case age(hops: Int)
  /// Expect an error of so many times the estimate's power.
  case raiseVariances(by: Float)
  /// Let the fast filter try whether the error is an echo, if enough is heard to tell.
  case tryEcho
  /// End that; the next trial has to wait if it `rests`.
  case endTrial(rests: Bool)
  /// Take the next hop's error for an echo that a trial has to prove.
  case suspectEcho
  /// Let the filters' window start at so many hops.
  case moveWindow(to: Int)
  /// Scale the estimated path.
  case scale(by: Float, variance: Float)
  /// Read the far end at another rate.
  case followClock(rate: Double)
}
