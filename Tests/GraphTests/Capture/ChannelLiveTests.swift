import Nearend
import PipeWireGraph
import RealtimeCore
import SessionModel
import Synchronization
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("Channels of a microphone", .serialized)
  struct Channels {
    private static let links = (0..<4).map { ("hw.array:capture_AUX\($0)", "nearend:mic_\($0 + 1)") }
    private static let seconds = 4.0

    /// Records from an array of which one channel works, one is its inverse, one is empty and one is noisy. Returns what the first and the
    /// last hear, and the voice.
    private func record(_ live: LiveGraph) throws -> (good: [Float], noisy: [Float], voice: [Float]) {
      let speech = try Signals.speech(Voice.nearEnd, seconds: Self.seconds)
      let noise = Signals.noise(frames: speech.count)
      let noisy = zip(speech, noise).map { $0 + $1 }
      let probe = try live.probe(
        play: ["good": speech, "opposite": speech.map { -$0 }, "noisy": noisy], record: ["voice"], frames: speech.count)
      try live.link(
        ["good": 0, "opposite": 1, "noisy": 3].map { (probe.playPort($0.key), "hw.array:input_AUX\($0.value)") }
          + [("nearend.microphone:capture_MONO", probe.recordPort("voice"))])
      try live.wait(forActive: Self.links)
      return (speech, noisy, try probe.run().samples["voice"] ?? [])
    }

    /// The level of a recording's second half in dBFS.
    private func level(_ samples: [Float]) -> Double { Measures.level(Array(samples[(samples.count / 2)...])) }

    @Test("V15: each channel has a port of its own, what harms is left out, and the voice is as loud as in the channel that works")
    func auto() throws {
      let live = try LiveGraph(.array, quantum: 480, usesVoiceProcessing: false)
      defer { live.stop() }
      let (good, _, voice) = try record(live)
      #expect(abs(level(voice) - level(good)) < 0.5)
      let inputs = live.service.snapshot().route.microphoneInputs
      #expect(inputs.map(\.name) == ["AUX0", "AUX1", "AUX2", "AUX3"])
      #expect(inputs.map(\.use) == [.heard, .opposite, .silent, .noisy], "\(inputs.words)")
    }

    @Test("V15: the canceller of an array is there before it is opened, and the first call keeps it")
    func prepared() throws {
      let live = try LiveGraph(.array, quantum: 480)
      defer { live.stop() }
      let core = live.service.core
      try live.session.wait(for: "a canceller of four microphones") { core.capturePaths.load(ordering: .relaxed) == 2 }
      let (_, _, voice) = try record(live)
      #expect(level(voice) > -60)
      #expect(live.service.snapshot().route.microphoneInputs.first?.use == .heard)
      #expect(core.capturePaths.load(ordering: .relaxed) == 2)
    }

    @Test("V15: chosen channels are heard, whatever they hold, and so is the mean of all")
    func chosen() throws {
      let live = try LiveGraph(.array, quantum: 480, usesVoiceProcessing: false)
      defer { live.stop() }
      try live.service.set(.microphoneChannels, to: "2")
      let (good, _, second) = try record(live)
      #expect(abs(level(second) - level(good)) < 0.1)
      #expect(live.service.snapshot().route.microphoneInputs.map(\.use) == [.unchosen, .heard, .unchosen, .unchosen])
      try live.service.set(.microphoneChannels, to: "mean")
      let (_, noisy, mean) = try record(live)
      #expect(abs(level(mean) - level(noisy.map { $0 / 4 })) < 0.1, "the others cancel each other")
    }

    @Test("V15, R1: from an array to a microphone of one channel and back, each is heard by its own ports")
    func routes() throws {
      let live = try LiveGraph(.array, quantum: 480)
      defer { live.stop() }
      let recorder = try live.probe("near", record: ["voice"], frames: 480)
      try live.link([("nearend.microphone:capture_MONO", recorder.recordPort("voice"))])
      try live.wait(forActive: Self.links)
      try live.service.set(.microphone, to: "hw.mic")
      try live.wait(forActive: [LiveGraph.captureLink])
      let links = try GraphDump(live.session).links(to: "nearend").filter { $0.to.contains(":mic_") }
      #expect(links.map(\.to) == ["nearend:mic_MONO"], "\(links)")
      try live.wait(for: "no channels to be told") { $0.route.microphoneInputs.isEmpty && $0.graph.captureLinks == 1 }
      try live.service.set(.microphone, to: "")
      try live.wait(forActive: Self.links)
      try live.wait(for: "channels to be told") { $0.graph.captureLinks == 4 }
      withExtendedLifetime(recorder) {}
    }
  }
}
