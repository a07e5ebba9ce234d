import Foundation
import Nearend
import SessionModel
import SimulatedHardware

/// One fault with one traffic and mode: observations and failures.
struct Cell {
  let fault: Fault
  let traffic: Traffic
  let mode: Mode
  /// The session's state before, during and after.
  var states = ["", "", ""]
  /// Milliseconds without sound, by path; nil if the path has none.
  var renderGap: Double?
  var captureGap: Double?
  var filter = ""
  var devices = ""
  /// Frames of the ring that were lost.
  var lostFrames: Int?
  /// What was heard of the echo; nil unless something both plays and records.
  var echo: EchoRecord?
  /// Whether cycles were lost while the echo was measured, so that it says nothing of the canceller.
  var isDisturbed = false
  /// Whether the echo is all that is wrong, and may be measured again.
  var mayRepeat: Bool { isDisturbed && problems.count == 1 && echo?.isKept == false }
  var problems: [String] = []
  var explained: [String] = []

  init(_ fault: Fault, _ traffic: Traffic, _ mode: Mode) { (self.fault, self.traffic, self.mode) = (fault, traffic, mode) }

  var name: String { "\(fault.rawValue), \(traffic.name), \(mode.rawValue)" }

  mutating func complain(_ aspect: Fault.Aspect, _ problem: String) {
    if let why = fault.explanation(aspect, traffic) {
      if !explained.contains(why) { explained.append(why) }
    } else {
      problems.append(problem)
    }
  }
}

extension Cell {
  /// Frames by which a ring's counters may differ while it is read.
  private static let ringTolerance = 2_400

  /// Stages the fault and observes the consequences.
  static func run(_ fault: Fault, on stage: Stage) throws -> Cell {
    var cell = Cell(fault, stage.traffic, stage.mode)
    // With the laptop's own devices, whatever has to be prepared.
    if stage.traffic == .both { cell.echo = EchoRecord(before: try stage.convergedEcho()) }
    try stage.prepare(fault)
    let (ours, missing, count, recoveries) = (stage.ours, stage.missingFrames, stage.interruptions.count, stage.recoveries)
    cell.states[0] = stage.label

    let begun = monotonicSeconds()
    try stage.begin(fault)
    try stage.wait("the fault to show") { stage.isInEffect(fault, since: count) }
    cell.states[1] = stage.label
    if let microphone = stage.microphone { stage.witness.listen(toMicrophone: microphone) }
    let isPaused = stage.now.route.isPausedAfterUnplug
    // Long enough to tell later sound from earlier.
    if stage.isHeldUp { try stage.wait("silence meanwhile") { stage.isSilent(for: 0.25) } }
    try stage.end(fault)
    var ended = monotonicSeconds()
    if isPaused {
      cell.expectSilence(stage, since: ended + 0.05, stage.witness.speakers, "the room hears what was for the headphones")
      ended = monotonicSeconds()
      stage.service.perform(.resumeAfterUnplug)
    }
    let interruptions = stage.interruptions.dropFirst(count)
    let isInterrupted = !interruptions.isEmpty
    if isInterrupted {
      let words = "interrupted (\(interruptions.first ?? ""))"
      if !cell.states[1].hasPrefix("interrupted") { cell.states[1] = words }
      if stage.mode == .manual, stage.traffic != .idle { ended = try cell.activate(stage) }
    }
    try stage.wait("sound after it") { stage.isLinked && !stage.isHeldUp && stage.sounds(for: 0.15, since: begun) }
    let back = max(ended, stage.soundBegan(since: begun) ?? ended)
    if stage.traffic == .both { cell.waitUntil(back + 0.2) }
    let disturbances = stage.disturbances
    // Sound that breaks off again a moment later does not count.
    Thread.sleep(
      forTimeInterval: stage.traffic == .idle
        ? 0.1 : stage.traffic == .both ? max(0, back + EchoRecord.end + 0.1 - monotonicSeconds()) : 0.35)
    cell.isDisturbed = stage.traffic == .both && stage.disturbances != disturbances
    try stage.wait("sound that stays") { stage.isLinked && !stage.isHeldUp && stage.sounds(for: 0.3, since: begun) }

    if isInterrupted, stage.traffic != .idle { try stage.wait("didRecover") { stage.recoveries > recoveries } }
    cell.states[2] = stage.label
    if fault.endsDaemon { cell.expectOneInterruption(stage.interruptions.dropFirst(count)) }
    if cell.states[2] != cell.states[0] { cell.problems.append("it was \(cell.states[0]) and is \(cell.states[2])") }
    cell.measureGaps(stage, from: begun, ended: ended, isInterrupted: isInterrupted, isPaused: isPaused)
    cell.compare(ours, stage.ours)
    if let missing, let now = stage.missingFrames {
      cell.lostFrames = abs(now - missing) > ringTolerance ? now - missing : 0
      if cell.lostFrames != 0 { cell.complain(.ring, "the ring lost \(now - missing) frames") }
    }
    cell.measureEcho(stage, since: back)
    stage.witness.listen(toMicrophone: Stage.laptopMicrophone)
    try stage.restore(fault)
    return cell
  }

  /// In manual mode, expects nothing to recover before the call manager activates; returns the time of that.
  private mutating func activate(_ stage: Stage) throws -> Double {
    try stage.wait("the end of the interruption") { !stage.isHeldUp }
    let over = monotonicSeconds()
    Thread.sleep(forTimeInterval: 0.15)
    let now = stage.now
    if now.session.state != .waiting { problems.append("it did not wait for the call manager: \(stage.label)") }
    if now.graph.renderLinks + now.graph.captureLinks > 0 { problems.append("devices were linked before the call manager's word") }
    expectSilence(stage, since: over + 0.05, stage.witness.speakers, "sound was played before the call manager's word")
    expectSilence(stage, since: over + 0.05, stage.witness.voice, "voice was given before the call manager's word")
    let activated = monotonicSeconds()
    stage.activate()
    return activated
  }

  /// Expects what appears a moment after the daemon is back not to count as missing.
  private mutating func expectOneInterruption(_ interruptions: ArraySlice<String>) {
    let others = interruptions.filter { $0 != "daemonLost" }
    if !others.isEmpty { problems.append("the daemon's return interrupted once more: \(others.joined(separator: ", "))") }
  }

  private mutating func expectSilence(_ stage: Stage, since time: Double, _ track: SoundTrack, _ problem: String) {
    let end = time + 0.1
    waitUntil(end)
    if track.sounds(from: time, to: end) { problems.append(problem) }
  }

  private func waitUntil(_ time: Double) { while monotonicSeconds() < time { usleep(5_000) } }

  private mutating func measureGaps(_ stage: Stage, from begun: Double, ended: Double, isInterrupted: Bool, isPaused: Bool) {
    func gap(_ track: SoundTrack, waits: Bool) -> Double? {
      if waits, !fault.endsByItself || mode.isManual { return track.run(since: begun - 0.1).map { max(0, $0.lowerBound - ended) } }
      return track.longestBreak(since: begun - 0.1).map { max(0, $0) }
    }
    if traffic.receives { renderGap = gap(stage.witness.speakers, waits: isInterrupted || isPaused).map { $0 * 1_000 } }
    if traffic.sends { captureGap = gap(stage.witness.voice, waits: isInterrupted).map { $0 * 1_000 } }
    for (path, gap) in [("speaker", renderGap), ("voice", captureGap)] {
      guard let gap, gap > fault.limit * 1_000 else { continue }
      complain(.gap, "\(path) silent for \(Int(gap)) ms, \(Int(fault.limit * 1_000)) ms are allowed")
    }
  }

  private mutating func compare(_ before: [String: UInt64], _ after: [String: UInt64]) {
    // A new daemon counts serials from the start.
    filter = before["nearend"] == after["nearend"] && !fault.endsDaemon ? "same" : "anew"
    if filter != "same" { complain(.filter, "the filter node was replaced") }
    let isSame = before.filter { $0.key != "nearend" } == after.filter { $0.key != "nearend" }
    devices = isSame && !fault.endsDaemon ? "same" : "anew"
    if devices != "same" { complain(.devices, "the virtual devices were replaced: \(before), \(after)") }
  }

  private mutating func measureEcho(_ stage: Stage, since back: Double) {
    guard echo != nil, stage.isHeardInTheRoom else { return }
    let middle = back + EchoRecord.begin
    echo?.first = stage.echo(from: back, to: middle)
    echo?.after = stage.echo(from: middle, to: back + EchoRecord.end)
    echo?.isHeard = true
    if echo?.after == nil {
      isDisturbed = true
      problems.append("the echo was not heard long enough to be measured")
    }
    guard let echo, !echo.isKept, let after = echo.after, let wanted = echo.wanted else { return }
    complain(
      .canceller,
      "echo return loss enhancement was \(decimal(echo.before.erle, 0)) dB and is \(decimal(after.erle, 0)) dB, \(decimal(wanted, 0)) dB are wanted"
    )
  }
}
