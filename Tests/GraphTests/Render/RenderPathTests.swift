import SimulatedHardware
import Testing

extension GraphTests {
  @Suite("Render path", .serialized)
  struct RenderPath {
    private static let noise = [Signals.noise(frames: 24_000, seed: 1), Signals.noise(frames: 24_000, seed: 2)]

    /// Plays into *Nearend Speaker*, and returns nearend's output.
    private func passage(_ live: LiveGraph, name: String = "probe") throws -> GraphProbe.Recording {
      let probe = try live.probe(
        name, play: ["left": Self.noise[0], "right": Self.noise[1]], record: ["left", "right", "speaker"], frames: Self.noise[0].count)
      try live.link([
        (probe.playPort("left"), "nearend.speaker:playback_FL"), (probe.playPort("right"), "nearend.speaker:playback_FR"),
        ("nearend:speaker_FL", probe.recordPort("left")), ("nearend:speaker_FR", probe.recordPort("right")),
        ("hw.speaker:monitor_FL", probe.recordPort("speaker")),
      ])
      try live.wait(forActive: LiveGraph.speakerLinks)
      return try probe.run()
    }

    @Test("K10: Nearend Speaker to the real speaker takes 0 frames, bit by bit", arguments: [128, 256, 480, 512, 1024])
    func adds0Frames(quantum: Int) throws {
      let live = try LiveGraph(.exact, quantum: quantum)
      defer { live.stop() }
      let recording = try passage(live)
      #expect(recording.isExact)
      #expect(recording.quantum == quantum...quantum)
      #expect(difference(recording.samples["left"], Self.noise[0]) == nil)
      #expect(difference(recording.samples["right"], Self.noise[1]) == nil)
      #expect(difference(recording.samples["speaker"], Self.noise[0]) == nil, "what the real speaker gets")
      #expect(live.service.snapshot().graph.renderLatency == 0)
    }

    @Test("K10: still 0 frames after the far end has stopped and started ten times while somebody records the microphone")
    func staysAt0Frames() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      let recorder = try live.probe("near", record: ["voice"], frames: 480)
      try live.link([("nearend.microphone:capture_MONO", recorder.recordPort("voice"))])
      for round in 0...10 {
        let recording = try passage(live, name: "far\(round)")
        #expect(recording.isExact, "round \(round)")
        #expect(difference(recording.samples["left"], Self.noise[0]) == nil, "round \(round)")
        #expect(difference(recording.samples["right"], Self.noise[1]) == nil, "round \(round)")
        #expect(difference(recording.samples["speaker"], Self.noise[0]) == nil, "round \(round)")
        try live.wait(for: "the far end to be gone") { $0.session.receiveMedia.isEmpty }
        #expect(live.service.snapshot().graph.captureLinks == 1)
      }
      withExtendedLifetime(recorder) {}
    }
  }
}
