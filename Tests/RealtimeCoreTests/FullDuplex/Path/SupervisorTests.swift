import Testing

@testable import RealtimeCore

@Suite("Full duplex: what follows from news of the echo path")
struct SupervisorTests {
  /// A canceller at work: it has converged, and the far end speaks.
  private static var usual: PathFacts { PathFacts(hasConverged: true, isConfident: true) }
  /// One that has never converged, in an error that startles it.
  private static var startled: PathFacts { PathFacts(surprise: 100) }

  private static func facts(_ facts: PathFacts, _ change: (inout PathFacts) -> Void) -> PathFacts {
    var facts = facts
    change(&facts)
    return facts
  }

  struct Row: CustomTestStringConvertible {
    let name: String
    let news: PathNews
    let facts: PathFacts
    let action: PathAction?
    var testDescription: String { name }
  }

  @Test("V10: of each piece of news follows one action, or none", arguments: rows)
  func reduces(row: Row) {
    let action = Supervisor.reduce(row.news, row.facts, .standard)
    #expect(action == row.action)
  }

  private static let rows: [Row] = unconditional + ofTrials + ofDelays + ofGains

  private static let unconditional = [
    Row(name: "a tone has ended before any words", news: .toneEnded, facts: usual, action: .distrust),
    Row(name: "a pause has ended", news: .pauseEnded(hops: 900), facts: usual, action: .age(hops: 900)),
    Row(name: "the path changed in a pause", news: .pathRefuted(error: 1.5), facts: usual, action: .raiseVariances(by: 1.5)),
    Row(name: "the clocks drift", news: .drift(2e-5), facts: usual, action: .followClock(rate: 2e-5)),
    Row(
      name: "the clocks drift, and the resampler is short", news: .drift(2e-5), facts: facts(usual) { $0.isResamplerShort = true },
      action: nil),
  ]

  private static let ofTrials = [
    Row(name: "an error that startles", news: .trialPossible, facts: startled, action: .tryEcho),
    Row(name: "a small error", news: .trialPossible, facts: facts(startled) { $0.surprise = 10 }, action: nil),
    Row(name: "filters that have converged", news: .trialPossible, facts: facts(usual) { $0.surprise = 100 }, action: nil),
    Row(name: "an echo is suspected", news: .trialPossible, facts: facts(usual) { $0.isEchoSuspected = true }, action: .tryEcho),
    Row(name: "guarded filters", news: .trialPossible, facts: facts(startled) { $0.isGuarded = true }, action: nil),
    Row(name: "a path that moves", news: .trialPossible, facts: facts(startled) { $0.needsFast = true }, action: nil),
    Row(name: "a silent far end", news: .trialPossible, facts: facts(startled) { $0.isFarEnd = false }, action: nil),
    Row(name: "a tone", news: .trialPossible, facts: facts(startled) { $0.isTone = true }, action: nil),
    Row(name: "the trial proves an echo", news: .echoProven, facts: startled, action: .beginAnew(echoShare: 1)),
    Row(name: "the trial goes on", news: .echoUnproven(isOver: false), facts: startled, action: nil),
    Row(name: "the trial is over", news: .echoUnproven(isOver: true), facts: startled, action: .endTrial(rests: true)),
    Row(
      name: "the error of a trial has gone", news: .echoUnproven(isOver: false), facts: facts(startled) { $0.surprise = 1 },
      action: .endTrial(rests: false)),
  ]

  private static let ofDelays = [
    Row(name: "the window is idle", news: .windowIdle(until: 24), facts: usual, action: .moveWindow(to: 24)),
    Row(
      name: "a loud echo is found", news: .echoFound(share: 0.2, gain: 10), facts: facts(usual) { $0.surprise = 10 },
      action: .beginAnew(echoShare: 0.2)),
    Row(
      name: "an evident echo is found", news: .echoFound(share: 0.4, gain: 0.1), facts: facts(usual) { $0.surprise = 10 },
      action: .beginAnew(echoShare: 0.4)),
    Row(
      name: "a faint echo is found", news: .echoFound(share: 0.2, gain: 0.1), facts: facts(usual) { $0.surprise = 10 },
      action: .suspectEcho),
    Row(name: "an echo that is expected", news: .echoFound(share: 0.4, gain: 10), facts: usual, action: nil),
    Row(name: "what the near end reaches by chance", news: .echoFound(share: 0.15, gain: 10), facts: startled, action: nil),
    Row(
      name: "the same, in an error that baffles", news: .echoFound(share: 0.15, gain: 10), facts: facts(startled) { $0.surprise = 400 },
      action: .beginAnew(echoShare: 0.15)),
    Row(name: "a far end too soft to be heard", news: .echoFound(share: 0.4, gain: 2_000), facts: startled, action: nil),
    Row(
      name: "an echo, guarded", news: .echoFound(share: 0.4, gain: 10), facts: facts(startled) { $0.isGuarded = true }, action: nil),
    Row(
      name: "an earlier window, of filters that know nothing", news: .echoElsewhere(8, isBeyond: false),
      facts: facts(startled) { $0.offset = 24 }, action: .moveWindow(to: 8)),
    Row(
      name: "an earlier window, of confident filters", news: .echoElsewhere(8, isBeyond: true),
      facts: facts(startled) { ($0.offset, $0.isConfident) = (24, true) }, action: nil),
    Row(
      name: "a later window, of filters whose echo is at its end", news: .echoElsewhere(24, isBeyond: true),
      facts: facts(startled) { $0.isConfident = true }, action: .moveWindow(to: 24)),
    Row(
      name: "a later window, of filters whose echo is within it", news: .echoElsewhere(24, isBeyond: false),
      facts: facts(startled) { $0.isConfident = true }, action: nil),
    Row(name: "another window, of converged filters", news: .echoElsewhere(24, isBeyond: true), facts: usual, action: nil),
  ]

  private static let fall = GainFall(gain: 0.25, variance: 0.1)
  private static let ofGains = [
    Row(name: "the volume was turned", news: .gainChanged(2), facts: usual, action: .scale(by: 2, variance: 0)),
    Row(
      name: "the estimate harms, and a fall explains it", news: .estimateHarms(fall: fall),
      facts: facts(usual) { $0.isEstimateTooLarge = true }, action: .scale(by: 0.25, variance: 0.1)),
    Row(
      name: "the same of a path that moves", news: .estimateHarms(fall: fall),
      facts: facts(usual) { ($0.isEstimateTooLarge, $0.needsFast) = (true, true) }, action: .beginAnew(echoShare: 0)),
    Row(
      name: "the estimate harms, and no fall explains it", news: .estimateHarms(fall: nil),
      facts: facts(usual) { $0.isEstimateTooLarge = true }, action: .beginAnew(echoShare: 0)),
    Row(name: "the estimate harms by chance", news: .estimateHarms(fall: fall), facts: usual, action: nil),
    Row(
      name: "the estimate harms while a changed path is learnt", news: .estimateHarms(fall: fall),
      facts: facts(usual) { ($0.isEstimateTooLarge, $0.isRelearning) = (true, true) }, action: nil),
  ]

  @Test("V10: who learns from a hop")
  func permissions() {
    func learners(_ facts: PathFacts) -> [Supervisor.Learner] {
      Supervisor.Learner.allCases.filter { Supervisor.permits($0, facts, .standard) }
    }
    #expect(learners(PathFacts()) == [.filters, .prior, .exchange, .drift, .gain, .delay], "at the beginning")
    #expect(learners(Self.usual) == [.filters, .loudspeaker, .exchange, .drift, .gain], "at work")
    let surprised = Self.facts(Self.usual) { $0.surprise = 10 }
    #expect(learners(surprised) == [.filters, .loudspeaker, .exchange, .drift, .gain, .delay], "surprised")
    let tone = Self.facts(PathFacts()) { $0.isTone = true }
    #expect(learners(tone) == [.filters, .exchange, .drift, .delay], "a tone")
    let trial = Self.facts(PathFacts()) { $0.isTrialRunning = true }
    #expect(learners(trial) == [.filters, .gain, .delay], "a trial")
    for change: (inout PathFacts) -> Void in [{ $0.isMicrophoneWhole = false }, { $0.isHistoryComplete = false }] {
      #expect(!learners(Self.facts(PathFacts(), change)).contains(.filters), "a gap")
    }
  }
}
