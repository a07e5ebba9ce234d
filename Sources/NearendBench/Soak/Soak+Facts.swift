import Foundation
import Nearend
import SessionModel
import SimulatedHardware

extension Soak {
  /// Seconds that a session may take to run again. The requirement is stricter (2 s after a daemon's return); beyond this it is not slow
  /// because of a busy machine, but stuck.
  static let patience = 15.0

  /// Notes problems, and prints them at once.
  func expect(_ problems: [String]) {
    for problem in problems {
      failures.append("\(problem), \(number(now, 0)) s after the start")
      report(failures[failures.count - 1])
    }
  }

  private func expect(_ holds: Bool, _ what: @autoclosure () -> String) { if !holds { expect([what()]) } }

  /// Waits for a fact, and records it as a problem if it does not become true; a daemon that crashes meanwhile is handled later.
  func waitFor(_ what: String, _ isSo: (Snapshot) -> Bool) throws {
    let end = monotonicSeconds() + Self.patience
    while !isSo(service.snapshot()) {
      if try isAfterCrash() { return }
      guard monotonicSeconds() < end else {
        let now = service.snapshot()
        return expect([
          "\(number(Self.patience, 0)) s went by without \(what): \(now.session.state), \(now.session.sendMedia) record, "
            + "\(now.graph.captureLinks) links from the microphone, ducking \(now.ducking); "
            + "log: \(now.log.suffix(8).map(\.message).joined(separator: "; "))"
        ])
      }
      Thread.sleep(forTimeInterval: 0.02)
    }
  }

  /// Checks that nothing interrupts the session: it is active, the microphone is linked, and cycles run.
  func checkRecovery(from kind: String) {
    let start = monotonicSeconds()
    var first: UInt64?
    while monotonicSeconds() < start + Self.patience {
      let snapshot = service.snapshot()
      if snapshot.session.state == .active, snapshot.graph.captureLinks > 0 || isMicrophoneClosed {
        let begin = first ?? snapshot.graph.cycles
        first = begin
        if snapshot.graph.cycles > begin + 2 {
          recoveries[kind] = max(recoveries[kind] ?? 0, monotonicSeconds() - start)
          return
        }
      } else {
        first = nil
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
    let (snapshot, log) = (
      service.snapshot(), service.snapshot().log.suffix(failures.isEmpty ? 100 : 8).map(\.message).joined(separator: "; ")
    )
    expect([
      "stuck after '\(kind)': \(snapshot.session.state), interrupted by \(snapshot.session.interruption.map { "\($0.reason)" } ?? "nothing"), "
        + "\(snapshot.graph.captureLinks) links from the microphone \(snapshot.route.microphone?.name ?? "none"), "
        + "\(snapshot.graph.cycles - (first ?? snapshot.graph.cycles)) cycles in \(number(Self.patience, 0)) s; log: \(log)"
    ])
  }

  /// Checks that the daemon still does what nearend asks.
  func checkAnswers() throws {
    let start = monotonicSeconds()
    try service.addGraphSink(id: "answer")
    defer { service.removeSink(id: "answer") }
    while try !session.ports().contains("nearend:answer_FL") {
      guard monotonicSeconds() < start + Self.patience else {
        let words = service.snapshot().log.suffix(20).map(\.message).joined(separator: "; ")
        return expect(["nearend's requests are not answered; log: \(words)"])
      }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  /// Waits until the room hears itself through nearend, and far-end sound reaches the speaker.
  func waitForAudio(_ when: String, within limit: Double) throws {
    let muted = service.snapshot().session.isMicrophoneMuted
    service.perform(.set(.microphoneMuted, false))
    let sink = try service.addRingSink(id: "probe", sampleRate: 48_000, channelCount: 1, bufferSize: 96_000)
    defer {
      service.removeSink(id: "probe")
      service.perform(.set(.microphoneMuted, .bool(muted)))
    }
    let tone = (0..<960).map { Int16(6_000 * sin(Double($0) * .pi / 24)) }
    var (renders, captures) = (false, false)
    var start = monotonicSeconds()
    while monotonicSeconds() < start + limit + 30, !(renders && captures) {
      _ = tone.withUnsafeBytes { sink.write($0) }
      Thread.sleep(forTimeInterval: 0.018)
      let snapshot = service.snapshot()
      // Headphones may be gone: resume, as a person would.
      if snapshot.route.isPausedAfterUnplug { service.perform(.resumeAfterUnplug) }
      renders = renders || snapshot.processing.speakerLevel > -40
      // The room's own measure, because the script has silent phases.
      captures = captures || (room?.report?.outputLevel ?? -120) > -50
      if try restartCrashed() { (start, renders, captures) = (monotonicSeconds(), false, false) }
      // Somebody talks at least every 24 s; nearend itself is faster.
      if monotonicSeconds() - start > limit, !renders || snapshot.session.sendMedia.isEmpty { break }
    }
    expect(renders, "\(when): no sound reaches the speaker within \(limit) s")
    guard !captures else { return }
    let (snapshot, heard, graph) = (service.snapshot(), room?.report, try saveGraph())
    try expect([
      "\(when): no voice leaves the virtual microphone, and a new recorder of the microphone hears \(microphoneHeardAnew()); "
        + "microphone \(number(snapshot.processing.microphoneLevel)) dBFS, voice "
        + "\(number(snapshot.processing.voiceLevel)) dBFS, \(snapshot.graph.captureLinks) links from the microphone "
        + "\(snapshot.route.microphone?.name ?? "none"), \(snapshot.session.sendMedia) record; "
        + "the room says \(heard.map { "\($0)" } ?? "nothing"); \(graph)"
    ])
  }

  /// What another link to the microphone brings now, in words: whether it is nearend's own link, or the device, that is silent.
  private func microphoneHeardAnew() throws -> String {
    let name = service.snapshot().route.microphone?.name
    guard let port = try session.ports().first(where: { port in name.map { port.hasPrefix("\($0):capture_") } ?? false }),
      let samples = try record(port, frames: 9_600)
    else { return "nothing" }
    return "\(number(Measures.level(samples))) dBFS"
  }

  /// Checks invariants.
  func checkFigures() {
    let snapshot = service.snapshot()
    expect(snapshot.graph.cycles >= lastCycles, "the count of cycles fell from \(lastCycles) to \(snapshot.graph.cycles)")
    lastCycles = snapshot.graph.cycles
    expect(snapshot.graph.xruns <= snapshot.graph.cycles, "\(snapshot.graph.xruns) xruns in \(snapshot.graph.cycles) cycles")
    expect(snapshot.graph.busyRatio.isFinite && snapshot.graph.busyRatio >= 0, "busy ratio \(snapshot.graph.busyRatio)")
    expect(snapshot.sinks.count == guests.sinkCount, "\(snapshot.sinks.count) sinks where there should be \(guests.sinkCount)")
    for sink in snapshot.sinks {
      expect(
        (0...sink.capacityBytes).contains(sink.fillBytes) || sink.kind == .graph,
        "sink \(sink.id): \(sink.fillBytes) bytes of \(sink.capacityBytes)")
      expect(sink.framesRead <= sink.framesWritten + 64, "sink \(sink.id) read \(sink.framesRead) frames of \(sink.framesWritten)")
    }
    for level in [snapshot.processing.voiceLevel, snapshot.processing.speakerLevel, snapshot.processing.microphoneLevel] {
      expect(level.isFinite && level <= 20, "a level of \(level) dBFS")
    }
  }
}
