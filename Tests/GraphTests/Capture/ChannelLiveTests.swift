import Foundation
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

    /// Noise that falls from 1 kHz on: above 8 kHz an array is one microphone.
    private static func hiss(frames: Int, rate: Int, seed: UInt64) -> [Float] {
      let memory = exp(-2 * Float.pi * 1_000 / Float(rate)), scale = ((1 + memory) * (1 - memory)).squareRoot()
      var last: Float = 0
      return Signals.noise(frames: frames, seed: seed).map {
        last = memory * last + scale * $0
        return last
      }
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

    @Test(
      "V15 V9: at any rate, four microphones, of which two are noisy, give less noise than the best one, and all of the talker",
      arguments: [16_000, 44_100, 96_000])
    func rates(rate: Int) throws {
      let live = try LiveGraph(.array, quantum: 480)
      defer {
        live.stop()
        do { try live.session.force(rate: 48_000) } catch { Issue.record(error) }
      }
      try live.session.force(rate: rate)
      for setting in [Setting.noiseSuppression, .voiceProcessingEnableAGC] { try live.service.set(setting, to: false) }
      // Two seconds of noise alone at the end.
      let seconds = 8, frames = seconds * rate, pause = 2 * rate
      let speech = try Signals.speech(Voice.nearEnd, seconds: 6, rate: rate) + [Float](repeating: 0, count: pause)
      let levels: [Float] = [0.12, 0.12, 0.3, 0.3]
      let channels = levels.enumerated().map { index, level in
        zip(speech, Self.hiss(frames: frames, rate: rate, seed: UInt64(20 + index))).map { $0 + level * $1 }
      }
      let names = ["first", "second", "third", "fourth"]
      let probe = try live.probe(
        play: Dictionary(uniqueKeysWithValues: zip(names, channels)), record: ["voice"], frames: frames)
      try live.link(
        names.enumerated().map { (probe.playPort($0.element), "hw.array:input_AUX\($0.offset)") }
          + [("nearend.microphone:capture_MONO", probe.recordPort("voice"))])
      try live.wait(forActive: Self.links)
      // The talker talks to the path of that rate from the beginning on.
      try live.wait(for: "a path for \(rate) Hz") { $0.graph.rate == rate && $0.graph.captureLatency > 0 }
      let voice = try probe.run().samples["voice"] ?? []
      #expect(live.service.snapshot().route.microphoneInputs.map(\.use) == Array(repeating: .heard, count: 4))
      let talk = 3 * rate..<5 * rate, noise = frames - rate..<frames - rate / 10
      #expect(abs(Measures.level(voice[talk]) - Measures.level(channels[0][talk])) < 1.5)
      let lower = Measures.level(channels[0][noise]) - Measures.level(voice[noise])
      print("V15: at \(rate) Hz noise is \(lower) dB lower")
      #expect(lower > 2)
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

    @Test("V15, R1: a device that is replugged with another number of channels is heard by a port for each")
    func replugged() throws {
      let live = try LiveGraph(.desk([.interface]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      let recorder = try live.probe("near", record: ["voice"], frames: 480)
      try live.link([("nearend.microphone:capture_MONO", recorder.recordPort("voice"))])
      let device = "alsa_input.usb-Simulated_Interface-00.multichannel-input"
      for channels in [4, 3, 6] {
        if channels != 4 {
          desk.unplug(.interface)
          try live.wait(for: "the device to be gone") { $0.route.microphone == nil }
          desk.plug(card: .audioInterface(inputs: channels))
        }
        try live.wait(forActive: (0..<channels).map { ("\(device):capture_AUX\($0)", "nearend:mic_\($0 + 1)") })
        try live.wait(for: "\(channels) channels") {
          $0.graph.captureLinks == channels && $0.route.microphoneInputs.count == channels
        }
      }
      withExtendedLifetime(recorder) {}
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
