import Nearend
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("Participants' devices", .serialized)
  struct GraphSinks {
    private static let noise = [Signals.noise(frames: 12_000, seed: 3), Signals.noise(frames: 12_000, seed: 4)]

    private func links(of id: String) -> [(String, String)] {
      ["FL", "FR"].map { ("nearend.sink.\(id):monitor_\($0)", "nearend:\(id)_\($0)") }
    }

    /// Plays into a participant's device, and expects the same sound at the speaker, at this gain.
    private func expectPassage(_ live: LiveGraph, id: String, name: String, gain: Float = 1) throws {
      let probe = try live.probe(
        name, play: ["left": Self.noise[0], "right": Self.noise[1]], record: ["left", "right"], frames: Self.noise[0].count)
      try live.link([
        (probe.playPort("left"), "nearend.sink.\(id):playback_FL"), (probe.playPort("right"), "nearend.sink.\(id):playback_FR"),
        ("nearend:speaker_FL", probe.recordPort("left")), ("nearend:speaker_FR", probe.recordPort("right")),
      ])
      try live.wait(forActive: links(of: id) + LiveGraph.speakerLinks)
      let recording = try probe.run()
      #expect(recording.isExact)
      for (port, noise) in zip(["left", "right"], Self.noise) {
        #expect(difference(recording.samples[port], noise.map { $0 * gain }) == nil, "\(name): \(port)")
      }
    }

    @Test("K9: a participant's device passes sound bit by bit with 0 frames; gain and mute are exact", arguments: [256, 480])
    func passesSound(quantum: Int) throws {
      let live = try LiveGraph(.exact, quantum: quantum)
      defer { live.stop() }
      try live.service.addGraphSink(id: "alice")
      try live.wait(forLinks: links(of: "alice"))
      #expect(try GraphDump(live.session).node("nearend.sink.alice")?.mediaClass == "Audio/Sink")
      try expectPassage(live, id: "alice", name: "plain")
      let status = try #require(live.service.snapshot().sinks.first)
      #expect(status.id == "alice")
      #expect(status.kind == .graph)

      live.service.perform(.setSinkGain(id: "alice", 0.5))
      try expectPassage(live, id: "alice", name: "half", gain: 0.5)
      live.service.perform(.setSinkMuted(id: "alice", true))
      try expectPassage(live, id: "alice", name: "muted", gain: 0)
      live.service.perform(.setSinkMuted(id: "alice", false))
      live.service.perform(.setSinkGain(id: "alice", 1))
      try expectPassage(live, id: "alice", name: "again")
    }

    @Test("K9: a stream that plays into a participant's device is receive media")
    func registers() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      try live.service.addGraphSink(id: "alice")
      try live.wait(forLinks: links(of: "alice"))
      var player: GraphProbe? = try live.probe("far", play: ["left": []], record: ["unused"], frames: 480)
      try live.link([(player!.playPort("left"), "nearend.sink.alice:playback_FL")])
      try live.wait(for: "the player") { $0.session.receiveMedia.count == 1 && $0.graph.renderLinks == 2 }
      #expect(live.service.snapshot().session.receiveMedia.first?.hasPrefix("far.play") == true)
      player = nil
      try live.wait(for: "the player to leave") { $0.session.receiveMedia.isEmpty && $0.graph.renderLinks == 0 }
    }

    @Test("K5 K9: a participant's device into which nobody plays is idle")
    func idle() throws {
      let live = try LiveGraph(.exact)
      defer { live.stop() }
      try live.service.addGraphSink(id: "alice")
      try live.wait(forLinks: [("nearend.sink.alice:monitor_FL", "nearend:alice_FL")])
      func state() -> SinkStatus.State? { live.service.snapshot().sinks.first?.state }
      #expect(state() == .idle)
      var player: GraphProbe? = try live.probe("far", play: ["left": []], record: ["unused"], frames: 480)
      try live.link([(player!.playPort("left"), "nearend.sink.alice:playback_FL")])
      try live.wait(for: "alice to play") { $0.sinks.first?.state == .playing }
      player = nil
      try live.wait(for: "alice to be idle again") { $0.sinks.first?.state == .idle }
    }

    @Test("K9: removing a participant removes device and links, the same id comes back, and others play on without a broken frame")
    func comesAndGoes() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      // Takes a quarter of that in real time, and lasts for three arrivals and departures.
      let long = Signals.noise(frames: 100 * 48_000, seed: 5)
      let before = live.service.snapshot().graph.xruns
      let recording = try others(live, hear: long)
      let missed = 256 * Int(live.service.snapshot().graph.xruns - before)
      let heard = try #require(recording.samples["left"])
      // While nodes are linked, the daemon may leave a client's node out of a cycle, the probe's or nearend's. Both count such cycles;
      // nothing else may differ.
      let broken = zip(heard, long).count { $0 != $1 }
      let difference = difference(heard, Array(long.prefix(heard.count))) ?? "exact"
      #expect(broken <= recording.lostFrames + missed, "\(difference); the probe lost \(recording.lostFrames) frames, nearend \(missed)")
      #expect(recording.driverChanges == 0 && recording.quantum == 256...256)
      // Again with sound, and with a different participant in the first one's slot.
      try live.service.addGraphSink(id: "alice")
      try live.wait(forLinks: links(of: "alice"))
      try expectPassage(live, id: "alice", name: "back")
      live.service.removeSink(id: "alice")
      try live.service.addGraphSink(id: "bob")
      try live.service.addGraphSink(id: "carol")
      for id in ["bob", "carol"] {
        try live.session.wait(for: "the links of \(id)") { try GraphDump(live.session).links(from: "nearend.sink.\(id)").count == 2 }
      }
      try expectPassage(live, id: "bob", name: "bobs")
      try expectPassage(live, id: "carol", name: "carols")
    }

    /// Records the other participants while one comes and goes three times.
    private func others(_ live: LiveGraph, hear sound: [Float]) throws -> GraphProbe.Recording {
      let other = try live.probe("other", play: ["left": sound], record: ["left"], frames: sound.count)
      try live.link([(other.playPort("left"), "nearend.speaker:playback_FL"), ("nearend:speaker_FL", other.recordPort("left"))])
      try live.wait(forActive: LiveGraph.speakerLinks)
      other.start()
      for _ in 0..<3 {
        try live.service.addGraphSink(id: "alice")
        try live.wait(forLinks: links(of: "alice"))
        var player: GraphProbe? = try live.probe(
          "far", play: ["right": Self.noise[1]], record: ["unused"], frames: 480, runsUnlinked: false)
        try live.link([(player!.playPort("right"), "nearend.sink.alice:playback_FR")])
        try live.wait(forActive: links(of: "alice"))
        live.service.removeSink(id: "alice")
        try live.session.wait(for: "alice to be gone") {
          let dump = try GraphDump(live.session)
          return dump.node("nearend.sink.alice") == nil && !dump.oursLinks.contains { $0.to.contains("alice") || $0.from.contains("alice") }
        }
        #expect(live.service.snapshot().sinks.isEmpty)
        player = nil
      }
      other.end(after: 4_800)
      return try other.finish()
    }

    @Test("K9: a participant that gets the ports of another that left is heard")
    func takesOverPorts() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      // More participants than nearend reserves ports for.
      let guests = (0..<17).map { "guest\($0)" }
      for guest in guests { try live.service.addGraphSink(id: guest) }
      try live.wait(forLinks: guests.flatMap(links))
      for guest in guests { live.service.removeSink(id: guest) }
      try live.service.addGraphSink(id: "late")
      try expectPassage(live, id: "late", name: "late")
      #expect(try live.session.ports().count { $0.hasPrefix("nearend:") } == 8 + 2 * guests.count, "no port was added")
    }
  }
}
