import Nearend
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("What a change of route costs", .serialized)
  struct SwitchGaps {
    /// Length of the recording, in seconds of the graph's clock; how many a switch takes depends on the machine.
    private static let seconds = 20

    @Test("R1: switching speakers interrupts the sound for 150 ms at most")
    func gap() throws {
      let live = try LiveGraph(.twoSpeakers)
      defer { live.stop() }
      let frames = Self.seconds * 48_000
      let probe = try live.probe(
        play: ["tone": [Float](repeating: 0.25, count: frames)], record: ["first", "second"], frames: frames)
      try live.link([
        (probe.playPort("tone"), "nearend.speaker:playback_FL"), ("hw.speaker:monitor_FL", probe.recordPort("first")),
        ("hw.second:monitor_FL", probe.recordPort("second")),
      ])
      try live.wait(forActive: LiveGraph.speakerLinks)
      probe.start()
      try live.session.wait(for: "some sound") { probe.elapsed > 10_000 }
      live.service.perform(.set(.speaker, "hw.second"))
      try live.wait(for: "the other speaker") { $0.route.speaker?.name == "hw.second" && $0.graph.renderLinks == 2 }
      probe.end(after: 48_000)
      let recording = try probe.finish()
      let (first, second) = (try #require(recording.samples["first"]), try #require(recording.samples["second"]))
      let from = try #require(first.lastIndex { $0 > 0.1 })
      let to = try #require(second.firstIndex { $0 > 0.1 })
      let milliseconds = Double(to - from) / 48
      print("R1: gap at a device switch \(milliseconds) ms")
      #expect(milliseconds <= 150)
      #expect(second.suffix(4_800).allSatisfy { $0 > 0.1 }, "and then it stays")
    }

    @Test("R7: receive-only and back to both: the filter is the same, and echo is cancelled as before from the beginning")
    func canceller() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      let room = try live.startRoom()
      defer { room.stop() }
      let filter = live.service.snapshot().graph.nodeId
      // The far end talks throughout; the recorder leaves after 10 s, and returns. On a slow machine that takes many seconds of the graph's
      // clock, which runs at four times real time.
      let seconds = 100
      let speech = try Signals.speech(Voice.farEnd[0], seconds: Double(seconds))
      let probe = try live.probe(play: ["far": speech], record: ["microphone", "voice"], frames: speech.count)
      let recorded = ("nearend.microphone:capture_MONO", probe.recordPort("voice"))
      try live.link([
        (probe.playPort("far"), "nearend.speaker:playback_FL"), (probe.playPort("far"), "nearend.speaker:playback_FR"),
        ("hw.mic:capture_MONO", probe.recordPort("microphone")), recorded,
      ])
      try live.wait(forActive: LiveGraph.speakerLinks + [LiveGraph.captureLink] + LiveGraph.referenceLinks)
      probe.start()
      try live.session.wait(for: "10 s of it") { probe.elapsed > 10 * 48_000 }
      _ = try live.session.run("pw-link", "-d", recorded.0, recorded.1)
      try live.wait(for: "the microphone to be closed") { $0.graph.captureLinks == 0 && $0.graph.renderLinks == 2 }
      try live.link([recorded])
      try live.wait(forActive: [LiveGraph.captureLink] + LiveGraph.referenceLinks)
      probe.end(after: 4 * 48_000)
      let recording = try probe.finish()
      let (microphone, voice) = (try #require(recording.samples["microphone"]), try #require(recording.samples["voice"]))
      let from = try #require((5 * 48_000..<voice.count).first { voice[$0..<min(voice.count, $0 + 128)].allSatisfy { $0 == 0 } })
      let to = try #require((from..<voice.count).first { voice[$0] != 0 })
      func erle(_ range: Range<Int>) throws -> Double {
        #expect(Measures.level(Array(microphone[range])) > -50, "there is echo to cancel")
        return try #require(Measures.erle(microphone: microphone, processed: voice, over: range))
      }
      let before = try erle(from - 4 * 48_000..<from)
      // A canceller that started over would have learnt little in so short a time.
      let after = try erle(to + 4_800..<min(to + 3 * 48_000, voice.count))
      print("R7: nobody records for \((to - from) / 48) ms; ERLE \(before) dB before, \(after) dB in the 3 s after")
      #expect(before >= 25)
      #expect(after >= 25)
      #expect(live.service.snapshot().graph.nodeId == filter)
    }
  }
}
