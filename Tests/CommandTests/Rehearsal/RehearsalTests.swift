import Foundation
import SessionModel
import TestSupport
import Testing

@testable import SimulatedHardware

/// The whole program in a simulated room, measured from outside.
@Suite("Rehearsal", .serialized)
struct RehearsalTests {
  /// The output of a rehearsal, and the files that it left behind.
  struct Run: Sendable {
    var status: Snapshot
    var log: String
    var exit: ChildProcess.Exit
    var session: String?

    /// - Parameter meanwhile: called with the folder of the rehearsal's session once it runs.
    init(_ arguments: [String], seconds: Int, meanwhile: (String, EmptyPlace) throws -> Void = { _, _ in }) throws {
      let place = try EmptyPlace()
      let running = try place.start(nearendProgram, ["rehearse", "--headless", "--seconds", "\(seconds)", "--json"] + arguments)
      if running.says("the private session"), let session = rehearsalSession(of: running) { try meanwhile(session, place) }
      let result = running.result(timeout: Double(seconds) + 30)
      (exit, log, session) = (result.exit, result.errors, rehearsalSession(of: running))
      status = try running.status()
    }
  }

  /// One rehearsal for several tests: two rounds of the conversation's far and near end.
  private static let whole = Result { try Run([], seconds: 42) }

  @Test("O3 V6: the echo is cancelled by 30 dB and more, by the room's own measurement, and what the canceller says of itself agrees")
  func echoIsCancelled() throws {
    let status = try Self.whole.get().status
    try expectCancelled(status)
    #expect(status.processing.erle ?? 0 > 10 && status.processing.echoReduction ?? 0 > 20)
    #expect(status.processing.echo == .cancelling || status.processing.echo == .nothingToCancel, "\(status.processing.echo)")
    #expect(status.processing.isInUse && !status.processing.isBypassed)
    #expect(status.processing.engine == .nearend)
    #expect(status.processing.library.isEmpty, "loaded though its engine is not in use")
  }

  /// Expects an ERLE of 30 dB; less if a busy machine lost cycles, because each loss changes the room's echo path.
  private func expectCancelled(_ status: Snapshot) throws {
    let erle = try #require(status.rehearsal?.erle)
    let graph = status.graph
    #expect(
      erle >= (graph.xruns == 0 ? 30 : 15), "\(erle) dB; \(graph.xruns) of \(graph.cycles) cycles late, load \(graph.busyRatioPeak)")
  }

  @Test("O3 K9: a participant's device may have the name of a simulated participant")
  func sinkOfTheSameName() throws {
    let run = try Run(["--sink", "alice"], seconds: 2)
    #expect(run.exit == .status(0), "\(run.log)")
    #expect(Set(run.status.sinks.map(\.id)).isSuperset(of: ["alice", "bruno", "clara"]))
    #expect(run.status.sinks.count == 4)
  }

  @Test("O3 V3: a talker in the room comes out within 3 dB of the microphone's level")
  func nearEndIsKept() throws {
    let level = try #require(try Self.whole.get().status.rehearsal?.nearEndLevel)
    #expect(abs(level) <= 3)
  }

  @Test("O3 K3 K5: three participants of 16, 44.1 and 48 kHz, with drift and jitter: nothing is dropped, and only stalls underrun")
  func participants() throws {
    let status = try Self.whole.get().status
    let sinks = status.sinks
    #expect(sinks.map(\.id) == ["alice", "bruno", "clara"])
    #expect(sinks.map(\.sampleRate) == [16_000, 44_100, 48_000])
    #expect(sinks.map(\.channelCount) == [1, 1, 2])
    for sink in sinks {
      #expect(sink.kind == .ring)
      // Cycles empty a ring, so a late cycle may leave no room for a write.
      #expect(sink.totalDrops <= status.graph.xruns, "\(sink.id)")
      // A network stall of up to 120 ms empties a ring whose target is 100 ms. Each stall counts as a spike, whether the network or this
      // machine causes it; the end of the rehearsal does not.
      #expect(sink.totalUnderruns <= sink.jitterSpikes + 1, "\(sink.id): \(sink.totalUnderruns) of \(sink.jitterSpikes) spikes")
      // Audio is neither lost nor piled up: at least 24 s were written and read.
      #expect(Double(sink.framesWritten) / Double(sink.sampleRate) > 24, "\(sink.id)")
      #expect(sink.framesWritten - sink.framesRead <= UInt64(sink.sampleRate) / 5, "\(sink.id)")
    }
  }

  @Test("O3 K10 V8 V9: quantum, latencies, xruns and processor use are in the document and plausible")
  func graph() throws {
    let status = try Self.whole.get().status
    let graph = status.graph
    #expect(graph.rate == 48_000)
    #expect((32...8_192).contains(graph.quantum))
    #expect(graph.renderLatency == 0)
    #expect(graph.captureLatency > 0)
    #expect(graph.driver == "hw.speaker")
    #expect(graph.cycles > UInt64(22 * graph.rate / graph.quantum))
    #expect(graph.busyRatio > 0 && graph.busyRatio < 1)
    #expect(status.cpuPercent > 0)
    #expect(status.session.sendMedia.contains { $0.hasPrefix("room.observer") })
    #expect(status.session.receiveMedia.suffix(3) == ["alice", "bruno", "clara"])
  }

  @Test("O3: a rehearsal exits with 0, and leaves no process and no folder behind")
  func leavesNothing() throws {
    let run = try Self.whole.get()
    #expect(run.exit == .status(0))
    expectGone(try #require(run.session))
  }

  @Test(
    "O3 V9: at a quantum of 480 frames, that is no power of two, the echo is cancelled all the same and re-blocking adds what it must")
  func quantum480() throws {
    let run = try Run(["--quantum", "480"], seconds: 42)
    #expect(run.exit == .status(0))
    #expect(run.status.graph.quantum == 480)
    #expect(run.status.graph.renderLatency == 0)
    let usual = try Self.whole.get().status.graph
    // nearend's own engine has blocks of 256 frames.
    let block = 256
    func reblocking(_ quantum: Int) -> Int { block - greatestCommonDivisor(block, quantum) }
    #expect(run.status.graph.captureLatency - reblocking(480) == usual.captureLatency - reblocking(usual.quantum))
    #expect(abs(try #require(run.status.rehearsal?.nearEndLevel)) <= 3)
    try expectCancelled(run.status)
  }

  @Test("O3 V2: where the processing is switched, the room measures anew: no figure is of what was heard before")
  func switched() throws {
    let terminal = try Terminal(in: try EmptyPlace(), "rehearse")
    try terminal.expect("ACTIVE", "echo not yet")
    try terminal.expectGone("echo not yet")
    try terminal.expectGone("near end not yet")
    try terminal.type("b")
    try terminal.expect("echo not yet", "near end not yet")
    let screen = try terminal.expectGone("echo not yet")
    let reduction = try #require(screen.firstMatch(of: /echo (-?[0-9.]+) dB lower/))
    #expect(abs(try #require(Double(reduction.1))) < 3, "of the raw microphone alone: \(screen)")
    try terminal.type("q")
    try terminal.expectEnd()
  }

  @Test("V4: another application that plays straight to the real speaker is cancelled too")
  func otherApplications() throws {
    // Louder than the remote participants, from beginning to end.
    let speech = try Speech(Voice.farEnd[1], rate: 48_000)
    let rounds = 60 * 48_000 / speech.samples.count + 1
    var links = ""
    let run = try Run([], seconds: 42) { session, place in
      let file = "\(place.path)/music.wav"
      try WaveFile(samples: Array((0..<rounds).flatMap { _ in speech.samples })).write(to: file)
      let session = ["XDG_RUNTIME_DIR": session, "PIPEWIRE_RUNTIME_DIR": session]
      _ = try place.start("pw-play", ["--target", "hw.speaker", file], session)
      let isLinked = try poll {
        links = try place.start("pw-link", ["-l"], session).result().output
        return links.contains("pw-play:output_FL\n  |-> hw.speaker:playback_FL") ? true : nil
      }
      #expect(isLinked == true, "\(links)")
    }
    #expect(run.exit == .status(0))
    #expect(!run.log.contains("pw-play"), "it plays through nearend")
    #expect(run.status.route.reference == .everything)
    #expect(try #require(run.status.rehearsal?.erle) >= 25)
  }
}
