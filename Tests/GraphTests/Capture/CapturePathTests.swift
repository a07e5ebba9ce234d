import Nearend
import SessionModel
import TestSupport
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("Capture path", .serialized)
  struct CapturePath {
    private static let noise = Signals.noise(frames: 24_000)
    /// Frames by which the canceller's band split may smear speech around the latency.
    private static let smear = 8

    /// Plays a signal into the real microphone; returns what *Nearend Microphone* gives.
    private func passage(_ live: LiveGraph, name: String = "probe", _ signal: [Float]) throws -> GraphProbe.Recording {
      let probe = try live.probe(name, play: ["near": signal], record: ["voice", "microphone"], frames: signal.count)
      try live.link([
        (probe.playPort("near"), "hw.mic:input_MONO"), ("nearend.microphone:capture_MONO", probe.recordPort("voice")),
        ("hw.mic:capture_MONO", probe.recordPort("microphone")),
      ])
      try live.wait(forActive: [LiveGraph.captureLink])
      // The capture path has reported its latency, and so runs.
      try live.wait(for: "cycles") { $0.graph.cycles > 0 && $0.graph.quantum > 0 }
      return try probe.run()
    }

    @Test(
      "V1: with voice processing off nothing is added to the microphone, 0 frames and bit by bit", arguments: [128, 256, 480, 512, 1024])
    func offAdds0Frames(quantum: Int) throws {
      let live = try LiveGraph(.exact, quantum: quantum, usesVoiceProcessing: false)
      defer { live.stop() }
      let recording = try passage(live, Self.noise)
      #expect(recording.isExact)
      #expect(recording.quantum == quantum...quantum)
      #expect(difference(recording.samples["microphone"], Self.noise) == nil)
      #expect(difference(recording.samples["voice"], Self.noise) == nil)
      #expect(live.service.snapshot().graph.captureLatency == 0)
    }

    @Test(
      "V8: the microphone comes exactly as late as nearend says: its processing and block − gcd(quantum, block) frames, with either engine",
      arguments: [128, 256, 480, 512, 1024], [EchoCanceller.nearend, .webrtc])
    func saysItsLatency(quantum: Int, engine: EchoCanceller) throws {
      let live = try LiveGraph(.exact, quantum: quantum)
      defer { live.stop() }
      live.service.perform(.set(.echoCanceller, EventValue(engine)))
      live.service.perform(.set(.bypassVoiceProcessing, true))
      let raw = try passage(live, name: "raw", Self.noise)
      let latency = live.service.snapshot().graph.captureLatency
      #expect(raw.isExact)
      #expect(difference(raw.samples["voice"], Self.noise.delayed(by: latency)) == nil, "bypassed, the raw microphone at that latency")

      live.service.perform(.set(.bypassVoiceProcessing, false))
      let speech = try Signals.speech(.nearEnd, seconds: 2)
      let processed = try passage(live, name: "processed", speech)
      let lag = try #require(Measures.lag(of: processed.samples["voice"]!, after: speech, most: 4_800))
      #expect(abs(lag.frames - latency) <= Self.smear, "processed: measured \(lag), declared \(latency)")
      #expect(lag.correlation > 0.3)

      let block = engine == .nearend ? 256 : 480
      try live.session.force(quantum: block)
      let third = try passage(live, name: "third", Self.noise)
      #expect(third.quantum == block...block)
      let processing = live.service.snapshot().graph.captureLatency
      #expect(latency == processing + block - greatestCommonDivisor(quantum, block))
    }

    @Test("V8: the latency is reported to the graph")
    func tellsTheGraph() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      _ = try passage(live, Self.noise)
      let latency = live.service.snapshot().graph.captureLatency
      #expect(latency > 0)
      let id = try #require(live.service.snapshot().graph.nodeId)
      try live.session.wait(for: "the node's ProcessLatency to be \(latency)") {
        try live.session.run("pw-cli", "enum-params", "\(id)", "ProcessLatency").output.contains("Int \(latency)")
      }
    }

    @Test("V8: ports report latency: the capture path's own at both of its ends and to who records, none at the render path's")
    func tellsThroughItsPorts() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      _ = try passage(live, Self.noise)
      let latency = live.service.snapshot().graph.captureLatency
      #expect(latency > 0)
      let ports = ["nearend:voice_MONO", "nearend:mic_MONO", "nearend.microphone:capture_MONO", "nearend:speaker_FL", "nearend:call_FL"]
      var told: [String: [GraphDump.PortLatency]] = [:]
      try live.session.wait(for: "the ports' Latency", detail: { "\(told)" }) {
        let dump = try GraphDump(live.session)
        told = Dictionary(uniqueKeysWithValues: ports.map { ($0, dump.latencies(of: $0)) })
        // No other node here has a latency: the reported one is nearend's alone.
        return told["nearend:voice_MONO"]?.first { !$0.isInput }?.frames == latency
          && told["nearend:mic_MONO"]?.first { $0.isInput }?.frames == latency
          && told["nearend.microphone:capture_MONO"]?.first { !$0.isInput }?.frames == latency
      }
      #expect(told["nearend:speaker_FL"]?.first { !$0.isInput }?.frames == 0)
      #expect(told["nearend:call_FL"]?.first { $0.isInput }?.frames == 0)
    }

    @Test("V8: the latency is the same after ten restarts of either side")
    func restartsAddNothing() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      live.service.perform(.set(.bypassVoiceProcessing, true))
      func farEnd(_ round: Int) throws -> GraphProbe {
        let far = try live.probe("far\(round)", play: ["left": []], record: ["unused"], frames: 480)
        try live.link([(far.playPort("left"), "nearend.speaker:playback_FL")])
        return far
      }
      func nearEnd(_ round: Int) throws -> GraphProbe {
        let near = try live.probe("near\(round)", record: ["voice"], frames: 480)
        try live.link([("nearend.microphone:capture_MONO", near.recordPort("voice"))])
        return near
      }
      var far: GraphProbe? = try farEnd(0)
      var near: GraphProbe? = try nearEnd(0)
      for round in 0...20 {
        if round % 2 == 0 {
          near = nil
          near = try nearEnd(round + 1)
        } else {
          far = nil
          far = try farEnd(round + 1)
        }
        let recording = try passage(live, name: "probe\(round)", Array(Self.noise.prefix(9_600)))
        let latency = live.service.snapshot().graph.captureLatency
        #expect(difference(recording.samples["voice"], Array(Self.noise.prefix(9_600)).delayed(by: latency)) == nil, "round \(round)")
      }
      withExtendedLifetime((far, near)) {}
    }

    @Test("V9: at other graph rates voice passes", arguments: [44_100, 96_000])
    func otherRates(rate: Int) throws {
      let live = try LiveGraph(.exact, quantum: 512)
      defer { live.stop() }
      try live.session.force(rate: rate)
      defer { try? live.session.force(rate: 48_000) }
      let speech = try Signals.speech(.nearEnd, seconds: 2, rate: rate)
      _ = try passage(live, name: "warm", Array(speech.prefix(rate / 10)))
      try live.wait(for: "the rate \(rate)") { $0.graph.rate == rate }
      let recording = try passage(live, speech)
      #expect(recording.rate == rate)
      let latency = live.service.snapshot().graph.captureLatency
      let lag = try #require(Measures.lag(of: recording.samples["voice"]!, after: speech, most: rate / 10))
      #expect(abs(lag.frames - latency) <= Self.smear * rate / 48_000 + 1, "measured \(lag), declared \(latency)")
      let change = try #require(Measures.activeLevel(recording.samples["voice"]!, rate: rate)) - Speech.level
      #expect(abs(change) < 6, "the voice's level changes by \(change) dB")
    }

    @Test("V9: audio goes on when the quantum changes while it runs")
    func quantumChanges() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      live.service.perform(.set(.bypassVoiceProcessing, true))
      var recorder: GraphProbe? = try live.probe("near", record: ["voice"], frames: 480)
      try live.link([("nearend.microphone:capture_MONO", recorder!.recordPort("voice"))])
      for quantum in [256, 1024, 128] {
        try live.session.force(quantum: quantum)
        try live.wait(for: "the quantum \(quantum)") { $0.graph.quantum == quantum }
        let recording = try passage(live, name: "probe\(quantum)", Self.noise)
        #expect(recording.quantum == quantum...quantum)
        #expect(difference(recording.samples["voice"], Self.noise.delayed(by: live.service.snapshot().graph.captureLatency)) == nil)
      }
      recorder = nil
    }
  }
}
