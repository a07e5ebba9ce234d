import Foundation
import Nearend
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("Switches", .serialized)
  struct Switches {
    private static let seconds = 4.0
    /// The largest step that does not count as a click: −40 dBFS.
    private static let jump: Float = 0.01

    /// Returns the voice while `during` runs, with these switches.
    private func voice(_ change: (NearendService) -> Void, during: (LiveGraph) throws -> Void = { _ in }) throws -> [Float] {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      change(live.service)
      let speech = try Signals.speech(.nearEnd, seconds: Self.seconds)
      let probe = try live.probe(play: ["near": speech], record: ["voice"], frames: speech.count)
      try live.link([(probe.playPort("near"), "hw.mic:input_MONO"), ("nearend.microphone:capture_MONO", probe.recordPort("voice"))])
      try live.wait(forActive: [LiveGraph.captureLink])
      probe.start()
      try during(live)
      let recording = try probe.finish()
      #expect(recording.isExact)
      return recording.samples["voice"]!
    }

    @Test(
      "L7: a switch turned ten times while somebody talks makes no jump that the voice itself does not have",
      arguments: ["bypass", "AGC", "NS"])
    func noClick(name: String) throws {
      func turn(_ isOn: Bool) -> Command {
        switch name {
        case "bypass": .set(.bypassVoiceProcessing, .bool(isOn))
        case "AGC": .set(.voiceProcessingEnableAGC, .bool(isOn))
        default: .set(.noiseSuppression, .bool(isOn))
        }
      }
      let steady = try [true, false].map { isOn in try voice { $0.perform(turn(isOn)) } }
      let natural = steady.map(Signals.largestStep).max()!
      let frames = Self.seconds * 48_000
      var turns = 0
      let turned = try voice {
        $0.perform(turn(true))
      } during: { live in
        // Spread evenly over the recording, by the graph's own clock; the first change is within the probe's lead.
        let start = live.service.snapshot().graph.cycles
        for index in 1...20 {
          let due = start + UInt64((8_192 + frames * Double(index) / 22) / 256)
          try live.wait(for: "cycle \(due)") { $0.graph.cycles >= due }
          live.service.perform(turn(index % 2 == 0))
          turns += 1
        }
      }
      #expect(turns == 20)
      let largest = Signals.largestStep(turned)
      print("L7 \(name): largest step \(largest), of the voice itself \(natural)")
      #expect(Measures.level(turned) > -45, "there is a voice")
      #expect(largest <= natural + Self.jump)
    }
  }
}
