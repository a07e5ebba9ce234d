import Nearend
import PipeWireGraph
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("Echo and reference", .serialized)
  struct Echo {
    private static let seconds = 10.0

    @Test("V4: the reference is what the real speaker plays, while somebody sends; with `mix` there is no link for it")
    func referenceLinks() throws {
      for reference in ReferenceSource.allCases {
        let live = try LiveGraph(.exact, quantum: 256) { $0.settings.reference = reference }
        defer { live.stop() }
        let player = try live.probe("far", play: ["left": []], record: ["unused"], frames: 480)
        try live.link([(player.playPort("left"), "nearend.speaker:playback_FL")])
        try live.wait(forLinks: LiveGraph.speakerLinks)
        #expect(try GraphDump(live.session).links(from: "hw.speaker").isEmpty, "nobody sends")
        var recorder: GraphProbe? = try live.probe("near", record: ["voice"], frames: 480)
        try live.link([("nearend.microphone:capture_MONO", recorder!.recordPort("voice"))])
        try live.wait(forActive: [LiveGraph.captureLink])
        if reference == .everything { try live.wait(forActive: LiveGraph.referenceLinks) }
        let found = Set(try GraphDump(live.session).links(from: "hw.speaker").map { "\($0.from) \($0.to)" })
        #expect(found == (reference == .everything ? Set(LiveGraph.referenceLinks.map { "\($0.0) \($0.1)" }) : []))
        #expect(live.service.snapshot().route.reference == reference)
        recorder = nil
        try live.session.wait(for: "the reference to be let go of") { try GraphDump(live.session).links(from: "hw.speaker").isEmpty }
        withExtendedLifetime(player) {}
      }
    }

    /// Echo return loss enhancement from the fifth second on, in a room where only the far end talks.
    private func erle(_ live: LiveGraph, others: Bool, reference: ReferenceSource = .everything) throws -> Double {
      let room = try live.startRoom()
      defer { room.stop() }
      var play = ["far": try Signals.speech(Voice.farEnd[0], seconds: Self.seconds)]
      if others { play["other"] = try Signals.speech(Voice.farEnd[1], seconds: Self.seconds) }
      let probe = try live.probe(play: play, record: ["microphone", "voice"], frames: Int(Self.seconds * 48_000))
      var links = [
        (probe.playPort("far"), "nearend.speaker:playback_FL"), (probe.playPort("far"), "nearend.speaker:playback_FR"),
        ("hw.mic:capture_MONO", probe.recordPort("microphone")), ("nearend.microphone:capture_MONO", probe.recordPort("voice")),
      ]
      if others { links += [(probe.playPort("other"), "hw.speaker:playback_FL"), (probe.playPort("other"), "hw.speaker:playback_FR")] }
      try live.link(links)
      try live.wait(
        forActive: LiveGraph.speakerLinks + [LiveGraph.captureLink] + (reference == .everything ? LiveGraph.referenceLinks : []))
      let recording = try probe.run()
      #expect(recording.isExact)
      let microphone = recording.samples["microphone"]!
      #expect(Measures.level(microphone) > -50, "there is echo to cancel")
      return try #require(
        Measures.erle(microphone: microphone, processed: recording.samples["voice"]!, over: (5 * 48_000)..<microphone.count))
    }

    @Test("V4, V6: the room's echo of the far end loses 30 dB and more after 5 s")
    func cancelsTheCall() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      let erle = try erle(live, others: false)
      print("ERLE of the call: \(erle) dB")
      #expect(erle >= 30)
    }

    @Test("V4, L7: the reference is changed while sound flows: links follow, and another application's sound is cancelled again")
    func referenceChanges() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      let room = try live.startRoom()
      defer { room.stop() }
      // Longer than needed: the test ends some seconds after the last change, whenever this machine gets there.
      let speech = try Voice.farEnd.prefix(2).map { try Signals.speech($0, seconds: 60) }
      let probe = try live.probe(
        play: ["far": speech[0], "other": speech[1]], record: ["microphone", "voice"], frames: speech[0].count)
      try live.link([
        (probe.playPort("far"), "nearend.speaker:playback_FL"), (probe.playPort("far"), "nearend.speaker:playback_FR"),
        (probe.playPort("other"), "hw.speaker:playback_FL"), (probe.playPort("other"), "hw.speaker:playback_FR"),
        ("hw.mic:capture_MONO", probe.recordPort("microphone")), ("nearend.microphone:capture_MONO", probe.recordPort("voice")),
      ])
      try live.wait(forActive: LiveGraph.speakerLinks + [LiveGraph.captureLink] + LiveGraph.referenceLinks)
      func references() throws -> Int { try GraphDump(live.session).links(from: "hw.speaker").filter { $0.to.contains("ref_") }.count }
      func pass(until frame: Int) throws { try live.session.wait(for: "\(frame) frames") { probe.elapsed > frame } }
      probe.start()
      try pass(until: 7 * 48_000)
      try live.service.set(.reference, to: .string("mix"))
      let mix = probe.elapsed
      try live.session.wait(for: "the reference to be let go of") { try references() == 0 }
      #expect(live.service.snapshot().route.reference == .mix)
      try pass(until: mix + 4 * 48_000)
      try live.service.set(.reference, to: .string("everything"))
      try live.wait(forActive: LiveGraph.referenceLinks)
      let everything = probe.elapsed
      probe.end(after: 8 * 48_000)
      let recording = try probe.finish()
      let (microphone, voice) = (try #require(recording.samples["microphone"]), try #require(recording.samples["voice"]))
      func erle(_ begin: Int, _ seconds: Range<Int>) throws -> Double {
        let range = (begin + seconds.lowerBound * 48_000)..<min(begin + seconds.upperBound * 48_000, voice.count)
        #expect(Measures.level(Array(microphone[range])) > -50, "there is echo to cancel")
        return try #require(Measures.erle(microphone: microphone, processed: voice, over: range))
      }
      let found = (try erle(0, 5..<7), try erle(mix, 1..<4), try erle(everything, 4..<8))
      print("V4: ERLE of everything \(found.0) dB, of the mix alone \(found.1) dB, of everything again \(found.2) dB")
      #expect(found.0 >= 25 && found.2 >= 25)
      #expect(found.1 < 15, "a canceller that is not told of the other application cannot cancel it")
    }

    @Test("V4: another application's sound on the real speaker is cancelled too, 25 dB and more")
    func cancelsEverything() throws {
      func erle(_ reference: ReferenceSource) throws -> Double {
        let live = try LiveGraph(.exact, quantum: 256) { $0.settings.reference = reference }
        defer { live.stop() }
        return try self.erle(live, others: true, reference: reference)
      }
      let everything = try erle(.everything)
      let mix = try erle(.mix)
      print("ERLE of everything: \(everything) dB, where the reference is the mix alone: \(mix) dB")
      #expect(everything >= 25)
      #expect(mix < 15, "a canceller that is not told of the other application cannot cancel it")
    }
  }
}
