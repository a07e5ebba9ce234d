import Nearend
import PipeWireGraph
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("Stereo", .serialized)
  struct Stereo {
    private static let links = (0..<4).map { ("hw.array:capture_AUX\($0)", "nearend:mic_\($0 + 1)") }
    private static let recorded = [("nearend.microphone:capture_FL", "left"), ("nearend.microphone:capture_FR", "right")]
    private static let seconds = 3.0

    /// Plays a voice into the first channel of an array, and the same, softer and later, into the third, and records the voice. Also
    /// returns the state of gain control at the end.
    private func record(_ live: LiveGraph) throws -> (
      first: [Float], third: [Float], left: [Float], right: [Float], gainControl: ComponentStatus?
    ) {
      let first = try Signals.speech(Voice.nearEnd, seconds: Self.seconds)
      let third = [Float](repeating: 0, count: 12) + first.dropLast(12).map { 0.5 * $0 }
      let probe = try live.probe(play: ["first": first, "third": third], record: ["left", "right"], frames: first.count)
      try live.link(
        [(probe.playPort("first"), "hw.array:input_AUX0"), (probe.playPort("third"), "hw.array:input_AUX2")]
          + Self.recorded.map { ($0.0, probe.recordPort($0.1)) })
      try live.wait(forActive: Self.links + LiveGraph.stereoVoiceLinks)
      let samples = try probe.run().samples
      let gainControl = live.service.snapshot().processing.components.first { $0.component == .gainControl }
      withExtendedLifetime(probe) {}
      return (first, third, samples["left"] ?? [], samples["right"] ?? [], gainControl)
    }

    /// The level of a recording's second half in dBFS.
    private func level(_ samples: [Float]) -> Double { Measures.level(Array(samples[(samples.count / 2)...])) }

    @Test("V16: with two capture channels, and no voice processing, Nearend Microphone has FL and FR, each one channel of the microphone")
    func device() throws {
      let live = try LiveGraph(.array, quantum: 480, usesVoiceProcessing: false, captureChannels: 2)
      defer { live.stop() }
      let (first, third, left, right, _) = try record(live)
      #expect(abs(level(left) - level(first)) < 0.1 && abs(level(right) - level(third)) < 0.1)
      #expect(live.service.snapshot().route.microphoneInputs.map(\.use) == [.heard, .silent, .heard, .silent])
    }

    @Test("V16: wide spectrum carries both sides to the device, and the mode standard one voice on both")
    func modes() throws {
      let live = try LiveGraph(.array, quantum: 480, captureChannels: 2)
      defer { live.stop() }
      try live.service.set(.micMode, to: "wideSpectrum")
      let (first, third, left, right, gain) = try record(live)
      #expect(abs(level(left) - level(first)) < 1 && abs(level(right) - level(third)) < 1)
      #expect(gain?.isEffective == false && gain?.reason == "in stereo it would move what is heard")
      try live.service.set(.micMode, to: "standard")
      let mono = try record(live)
      let isSame = mono.left == mono.right
      #expect(isSame && level(mono.left) > -60 && mono.gainControl?.isEffective == true)
    }

    @Test("V16: who chooses each has Nearend Microphone made anew, with two channels, and with one again")
    func chosen() throws {
      let live = try LiveGraph(.array, quantum: 480, usesVoiceProcessing: false)
      defer { live.stop() }
      try live.service.set(.microphoneChannels, to: "each")
      try live.wait(forLinks: LiveGraph.stereoVoiceLinks)
      let (first, third, left, right, _) = try record(live)
      #expect(abs(level(left) - level(first)) < 0.1 && abs(level(right) - level(third)) < 0.1)
      try live.service.set(.microphoneChannels, to: "auto")
      try live.wait(forLinks: LiveGraph.fixedLinks)
      let devices = try GraphDump(live.session).ourNodes.filter { $0.name == "nearend.microphone" }
      #expect(devices.count == 1)
    }

    @Test("V16, R2: the session manager links a recorder that asked for Nearend Microphone by name with the one that was made anew")
    func recorder() throws {
      let live = try LiveGraph(.hardware, usesVoiceProcessing: false)
      defer { live.stop() }
      let session = live.session
      let recorder = try session.spawn(
        "pacat", ["--record", "--device=nearend.microphone", "--channels=2", "--client-name=recorder", "/dev/null"])
      defer { recorder.end() }
      func wait(for links: Set<String>) throws {
        var found: [String] = []
        try session.wait(for: "the links \(links)", detail: { "\(found)" }) {
          found = try session.links().keys.filter { $0.to.hasPrefix("recorder:") }.map { "\($0.from) > \($0.to)" }
          return Set(found) == links
        }
      }
      let mono: Set = ["nearend.microphone:capture_MONO > recorder:input_MONO"]
      try wait(for: mono)
      for _ in 0..<2 {
        try live.service.set(.microphoneChannels, to: "each")
        try wait(for: ["nearend.microphone:capture_FL > recorder:input_FL", "nearend.microphone:capture_FR > recorder:input_FR"])
        try live.service.set(.microphoneChannels, to: "auto")
        try wait(for: mono)
      }
    }
  }
}
