import PipeWireGraph
import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// Lets a person hear themselves as others do: records some seconds of microphone and voice, plays back one after the other, and forgets
/// them. Meanwhile others hear nothing. [any]
///
///     status, cancel ─▶ ticker, 20 Hz ─▶ AuditionCourse: facts ─▶ step ─▶ session (media), core (tape, gate)
///
/// The ticker exists only while one is at work.
final class Auditions: Sendable {
  private struct Work {
    var course: AuditionCourse
    var number: Int
    var seconds: Double
    var measurement = AuditionMeasurement()
    var ticker: Ticker?
    /// Why it is to end early.
    var wantsEnd: String?
    /// When what was played has faded, and it can end.
    var fadesUntil: Double?
  }

  private let core: AudioCore
  private let session: VoiceSession
  private let log: EventLog
  private let graph = Mutex<(any SessionGraph)?>(nil)
  private let clock: @Sendable () -> Double
  /// One step at a time, which never waits; never taken by whoever only asks.
  private let work = Mutex<Work?>(nil)
  /// What is told: a leaf.
  private let told = Mutex<AuditionReport?>(nil)

  /// - Parameter clock: returns seconds of a monotonic clock.
  init(core: AudioCore, session: VoiceSession, log: EventLog, clock: @escaping @Sendable () -> Double = monotonicSeconds) {
    (self.core, self.session, self.log, self.clock) = (core, session, log, clock)
  }

  func connect(to graph: any SessionGraph) { self.graph.withLock { $0 = graph } }

  /// The one at work, or the last one. Without its picture.
  var status: AuditionStatus? { told.withLock { $0?.status } }
  /// The same with the picture of its recording, which is empty until that is complete.
  var report: AuditionReport? { told.withLock { $0 } }

  /// Begins one, and returns its number.
  /// - Throws: `AuditionRefusal`; nothing has changed then.
  func begin(seconds: Double) throws(AuditionRefusal) -> Int {
    guard AuditionStatus.lengths.contains(seconds) else { throw .impossibleLength(seconds) }
    guard let graph = graph.withLock({ $0 }) else { throw .noSession }
    let route = graph.report.route
    if let obstacle = obstacle(route) { throw .impossible(obstacle) }
    let begun = work.withLock { work -> Result<Int, AuditionRefusal> in
      guard work == nil else { return .failure(.busy) }
      let number = (status?.number ?? 0) + 1
      core.controls.isAuditioned = true
      if let refusal = session.send(.registerMedia(id: SessionState.auditionMedia, isSend: true, isReceive: true)) {
        core.controls.isAuditioned = false
        return .failure(.impossible(refusal.description))
      }
      let ticker = Ticker(milliseconds: 50) { [weak self] in self?.tick() }
      work = Work(course: AuditionCourse(seconds: seconds, at: clock()), number: number, seconds: seconds, ticker: ticker)
      told.withLock { $0 = AuditionReport(status: AuditionStatus(number: number, seconds: seconds), picture: CallHistory()) }
      return .success(number)
    }
    let number = try begun.get()
    log.add(.info, "hear yourself: \(decimal(seconds, seconds == seconds.rounded() ? 0 : 1)) s; others hear nothing meanwhile")
    return number
  }

  /// Tells that one of so many seconds could not begin, for who sees no answer.
  func note(_ refusal: AuditionRefusal, seconds: Double) {
    log.add(.warning, "hear yourself: \(refusal)")
    work.withLock { work in
      guard work == nil else { return }
      told.withLock { told in
        var status = AuditionStatus(number: (told?.status.number ?? 0) + 1, seconds: seconds)
        (status.phase, status.reason) = (.ended, refusal.description)
        told = AuditionReport(status: status, picture: CallHistory())
      }
    }
  }

  /// Seconds that a sound needs to fade out: a cycle or two.
  private static let fade = 0.05

  /// Ends the one at work within some tenths of a second, or only that of a number.
  func cancel(_ number: Int? = nil, reason: String = "it was stopped") {
    work.withLock { work in
      if number == nil || work?.number == number { work?.wantsEnd = reason }
    }
  }

  /// Ends it at once, because nearend does.
  func stop() {
    let wasAtWork = work.withLock { work in
      if work != nil { fade(&work, reason: "nearend ends") }
      return work != nil
    }
    guard wasAtWork else { return }
    pause(seconds: Self.fade)
    work.withLock { finish(&$0, reason: "nearend ends") }
  }

  // MARK: At work

  private func tick() {
    guard let graph = graph.withLock({ $0 }) else { return }
    let report = graph.report
    work.withLock { work in
      guard var current = work else { return }
      let now = clock()
      if let reason = current.wantsEnd {
        guard let end = current.fadesUntil else { return fade(&work, reason: reason) }
        if now >= end { finish(&work, reason: reason) }
        return
      }
      let step = current.course.step(facts(report, in: current.course.phase), at: now)
      if current.course.phase == .recording { current.measurement.note(core) }
      work = current
      switch step {
      case .record(let rate):
        let voiceGain = core.appAudio.isEnabled ? core.appAudio.micVolume : 1
        core.audition.record(seconds: current.seconds, rate: rate, stageLatency: core.captureStages.latency, voiceGain: voiceGain)
      case .playMicrophone:
        core.audition.play(.microphone)
        measure(current)
      case .playVoice: core.audition.play(.voice)
      case .end(let reason?): return fade(&work, reason: reason)
      case .end(nil): return finish(&work, reason: nil)
      case nil: break
      }
      tell(current, at: now)
    }
  }

  private func facts(_ report: GraphReport, in phase: AuditionStatus.Phase) -> AuditionFacts {
    var facts = AuditionFacts()
    facts.obstacle = obstacle(session.current)
    facts.microphone = report.route.microphone?.name
    facts.speaker = report.route.speaker?.name
    facts.isLinked = report.graph.captureLinks > 0 && report.graph.renderLinks > 0
    let isolation = core.isolation.status
    facts.isProcessed = core.controls.micMode != .voiceIsolation || isolation.isolator != nil || isolation.failure != nil
    facts.rate = report.graph.rate
    facts.isRecorded = core.audition.recorded.isComplete
    facts.hasPlayed = phase == .microphone && core.audition.hasPlayed(.microphone) || phase == .voice && core.audition.hasPlayed(.voice)
    facts.isPaused = report.route.isPausedAfterUnplug
    return facts
  }

  /// What keeps the session from running once it is needed, for people.
  private func obstacle(_ route: RouteStatus) -> String? {
    let state = session.current
    if session.hasEnded { return "nearend ends" }
    if let reason = state.interruptions.first { return "the session is interrupted: \(reason.words)" }
    if state.awaitsRecovery { return "the session waits for its user to be in the foreground" }
    if state.settings.isManual, !state.isActivatedExternally {
      return "a call manager activates this session, and has not; 'nearend activate' does"
    }
    if route.microphone == nil { return "there is no microphone" }
    if route.speaker == nil { return "there is no speaker" }
    if route.isPausedAfterUnplug { return "playback is paused because headphones were unplugged; 'nearend resume' resumes it" }
    return nil
  }

  private func obstacle(_ state: SessionState) -> String? {
    if let reason = state.interruptions.first { return "the session was interrupted: \(reason.words)" }
    if !state.isAuditioned { return "its media was removed" }
    return state.isUnitRunning ? nil : "the session does not run any more"
  }

  private func measure(_ work: Work) {
    guard var shown = core.audition.measure({ work.measurement.measure(microphone: $0, voice: $1, rate: $2) }) else { return }
    shown.findings.isMuted = session.current.settings.isMicrophoneMuted
    told.withLock { [shown] told in
      told?.status.findings = shown.findings
      told?.picture = shown.picture
    }
  }

  private func tell(_ work: Work, at time: Double) {
    told.withLock { told in
      guard told != nil else { return }
      told!.status.phase = work.course.phase
      told!.status.elapsed = min(work.course.elapsed(at: time), work.seconds)
      let peaks = work.course.phase == .recording ? core.audition.peaks : nil
      told!.status.microphoneLevel = peaks.map { decibels($0.microphone) }
      told!.status.voiceLevel = peaks.map { decibels($0.voice) }
    }
  }

  /// Begins an early end: what is played fades, and a later tick finishes.
  private func fade(_ work: inout Work?, reason: String) {
    core.audition.play(nil)
    work?.wantsEnd = reason
    work?.fadesUntil = clock() + Self.fade
  }

  /// Restores everything: the recording is freed, the session's demand ends, others hear again.
  private func finish(_ work: inout Work?, reason: String?) {
    guard let ended = work else { return }
    work = nil
    core.audition.end()
    core.controls.isAuditioned = false
    session.send(.unregisterMedia(id: SessionState.auditionMedia))
    told.withLock { told in
      guard told?.status.number == ended.number else { return }
      told!.status.phase = reason == nil ? .done : .ended
      told!.status.reason = reason
      (told!.status.microphoneLevel, told!.status.voiceLevel) = (nil, nil)
    }
    log.add(.info, reason.map { "hear yourself: ended early: \($0)" } ?? "hear yourself: done; the recording is gone")
  }
}

/// Why nobody can hear themselves now. [any]
enum AuditionRefusal: Error, Equatable, CustomStringConvertible {
  case busy, noSession
  case impossibleLength(Double)
  case impossible(String)

  var description: String {
    switch self {
    case .busy: "somebody hears themselves already; wait until it is over, or stop that"
    case .noSession: "this session has no devices"
    case .impossibleLength(let seconds):
      "\(decimal(seconds, 1)) seconds are impossible; give \(decimal(AuditionStatus.lengths.lowerBound, 0)) to "
        + "\(decimal(AuditionStatus.lengths.upperBound, 0))"
    case .impossible(let reason): "it cannot begin: \(reason)"
    }
  }
}
