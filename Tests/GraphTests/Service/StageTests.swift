import Nearend
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// A program's own stages in a live graph.
  @Suite("Stages", .serialized)
  struct Stages {
    private static let noise = Signals.noise(frames: 24_000)
    private static let halving: StageCallback = { _, left, right, frames, _ in
      for i in 0..<frames {
        left[i] *= 0.5
        right?[i] *= 0.5
      }
    }

    @Test(
      "S6 O9: stages in both chains, a program's own and plug-ins, change what the real speaker plays and what Nearend Microphone gives; removed, nothing is left of them"
    )
    func live() throws {
      let live = try LiveGraph(.exact, quantum: 256, usesVoiceProcessing: false)
      defer { live.stop() }
      let half = Self.noise.map { $0 * 0.5 }
      func passage(_ name: String) throws -> GraphProbe.Recording {
        let probe = try live.probe(
          name, play: ["far": Self.noise, "near": Self.noise], record: ["speaker", "voice"], frames: Self.noise.count)
        try live.link([
          (probe.playPort("far"), "nearend.speaker:playback_FL"), (probe.playPort("near"), "hw.mic:input_MONO"),
          ("hw.speaker:monitor_FL", probe.recordPort("speaker")), ("nearend.microphone:capture_MONO", probe.recordPort("voice")),
        ])
        try live.wait(forActive: LiveGraph.speakerLinks + [LiveGraph.captureLink])
        let cycles = live.service.snapshot().graph.cycles
        // More than the 10 ms in which stages fade.
        try live.wait(for: "cycles") { $0.graph.cycles > cycles + 20 }
        return try probe.run()
      }
      let engine = AudioEngine(of: live.service)
      let (capture, render) = (
        engine.captureStages.append(AudioStage(latency: 7, callback: Self.halving)),
        engine.renderStages.append(AudioStage(latency: 5, callback: Self.halving))
      )
      let halved = try passage("halved")
      #expect(difference(halved.samples["speaker"], half) == nil)
      #expect(difference(halved.samples["voice"], half) == nil)
      let graph = live.service.snapshot().graph
      #expect(graph.captureLatency == 7 && graph.renderLatency == 5)
      engine.captureStages.remove(capture)
      engine.renderStages.remove(render)
      let whole = try passage("whole")
      #expect(difference(whole.samples["speaker"], Self.noise) == nil)
      #expect(difference(whole.samples["voice"], Self.noise) == nil)
      let after = live.service.snapshot().graph
      #expect(after.captureLatency == 0 && after.renderLatency == 0)
      // LADSPA plug-ins instead.
      try live.service.addStage(PlugInAddress("amp_1181:amp"), to: .render, settings: ["Amps gain (dB)": -20])
      try live.service.addStage(PlugInAddress("amp_1181:amp"), to: .capture, settings: ["Amps gain (dB)": -20])
      let quiet = try passage("quiet")
      for port in ["speaker", "voice"] {
        let sound = try #require(quiet.samples[port])
        let scaled = sound.map { $0 * 10 }
        #expect(zip(scaled, Self.noise).allSatisfy { abs($0 - $1) < 1e-4 } && sound.count == Self.noise.count, "\(port)")
      }
      #expect(live.service.snapshot().stages.map(\.state) == [.running, .running])
    }
  }
}
