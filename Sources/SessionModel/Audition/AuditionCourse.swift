/// What an audition depends on, as seen at one instant. [any]
package struct AuditionFacts: Sendable, Equatable {
  /// What keeps the session from running, for people; nil while it runs.
  package var obstacle: String?
  /// `node.name` of the real devices in use.
  package var microphone, speaker: String?
  /// Whether both are linked.
  package var isLinked = false
  /// Whether the voice is processed as it is to be: voice isolation is ready, if that is the mode.
  package var isProcessed = false
  /// In Hz; 0 before the first cycle.
  package var rate = 0
  package var isRecorded = false
  /// Whether the track whose turn it is has been played to its end.
  package var hasPlayed = false
  /// Whether playback is paused since headphones were unplugged.
  package var isPaused = false

  package init() {}
}

/// The order of an audition: when it records, plays back and ends. Pure, given facts and time. [any]
package struct AuditionCourse: Sendable, Equatable {
  /// What is to be done next.
  package enum Step: Sendable, Equatable {
    case record(rate: Int)
    case playMicrophone, playVoice
    /// nil if all has been heard.
    case end(reason: String?)
  }

  /// Seconds that devices and rate have to stay as they are before it records: processing settles, and the person takes breath.
  static let settling = 1.0
  /// Seconds in which the devices have to be there, a headset's call profile included.
  static let patience = 15.0
  /// Seconds that a recording or its playback may take longer than it should.
  static let slack = 3.0
  /// Seconds of silence between both tracks.
  static let pause = 0.5

  package private(set) var phase = AuditionStatus.Phase.preparing
  /// When the phase began, or, where both tracks are played, when the track's turn came.
  package private(set) var began: Double
  private let seconds: Double
  private var settled: Settled?
  private var pausedSince: Double?

  private struct Settled: Equatable {
    var since: Double
    var route: Route
  }

  private struct Route: Equatable {
    var microphone, speaker: String?
    var rate: Int
  }

  /// Begins at `time`, in seconds of a monotonic clock.
  package init(seconds: Double, at time: Double) { (self.seconds, began) = (seconds, time) }

  /// Seconds of the phase that are over.
  package func elapsed(at time: Double) -> Double { max(0, time - began) }

  /// Returns what is to be done now; nil for nothing.
  package mutating func step(_ facts: AuditionFacts, at time: Double) -> Step? {
    guard phase != .done, phase != .ended else { return nil }
    if let obstacle = facts.obstacle { return end(obstacle) }
    let route = Route(microphone: facts.microphone, speaker: facts.speaker, rate: facts.rate)
    if phase != .preparing, let old = settled?.route, old != route { return end(Self.words(from: old, to: route)) }
    if facts.isPaused { return end("playback is paused because headphones were unplugged") }
    if phase == .preparing { return prepare(facts, route, at: time) }
    switch phase {
    case .recording:
      if facts.isRecorded { return begin(.microphone, .playMicrophone, at: time) }
      return time - began > seconds + Self.slack ? end("the microphone's sound has stopped") : nil
    case .microphone:
      if facts.hasPlayed, pausedSince == nil { pausedSince = time }
      if let since = pausedSince, time - since >= Self.pause { return begin(.voice, .playVoice, at: time) }
    default:
      if facts.hasPlayed {
        phase = .done
        return .end(reason: nil)
      }
    }
    return time - began > seconds + Self.slack ? end("the speaker's sound has stopped") : nil
  }

  private mutating func prepare(_ facts: AuditionFacts, _ route: Route, at time: Double) -> Step? {
    if facts.isLinked, facts.isProcessed, facts.rate > 0 {
      if settled?.route != route { settled = Settled(since: time, route: route) }
      if let settled, time - settled.since >= Self.settling { return begin(.recording, .record(rate: facts.rate), at: time) }
    } else {
      settled = nil
    }
    guard time - began > Self.patience else { return nil }
    if facts.microphone == nil { return end("there is no microphone") }
    if facts.speaker == nil { return end("there is no speaker") }
    return end("no sound passes between \(facts.microphone ?? "") and \(facts.speaker ?? ""); see 'nearend doctor'")
  }

  private mutating func begin(_ phase: AuditionStatus.Phase, _ step: Step, at time: Double) -> Step {
    (self.phase, began, pausedSince) = (phase, time, nil)
    return step
  }

  /// Ends it early.
  private mutating func end(_ reason: String) -> Step {
    phase = .ended
    return .end(reason: reason)
  }

  private static func words(from old: Route, to new: Route) -> String {
    func change(_ what: String, _ old: String?, _ new: String?) -> String {
      new == nil ? "the \(what) \(old ?? "") is gone" : "the \(what) has changed from \(old ?? "none") to \(new ?? "none")"
    }
    if old.microphone != new.microphone { return change("microphone", old.microphone, new.microphone) }
    if old.speaker != new.speaker { return change("speaker", old.speaker, new.speaker) }
    return "the graph's rate has changed from \(old.rate) to \(new.rate) Hz"
  }
}
