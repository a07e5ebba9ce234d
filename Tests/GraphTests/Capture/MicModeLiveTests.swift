import Nearend
import RealtimeCore
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// The mic modes in a live graph, with a test isolator of known effect on the worker's own thread.
  @Suite("Mic modes", .serialized)
  struct MicModes {
    private func passage(_ live: LiveGraph, name: String, _ signal: [Float]) throws -> GraphProbe.Recording {
      let probe = try live.probe(name, play: ["near": signal], record: ["voice"], frames: signal.count)
      try live.link([
        (probe.playPort("near"), "hw.mic:input_MONO"), ("nearend.microphone:capture_MONO", probe.recordPort("voice")),
      ])
      return try probe.run()
    }

    private func set(_ live: LiveGraph, _ mode: MicMode) throws {
      let props = "{ params = [ \"micMode\" \"\(mode.rawValue)\" ] }"
      let result = try live.session.run("pw-cli", "set-param", "nearend", "Props", props)
      #expect(result.succeeded && !result.errors.contains("Error"), "\(result.errors)")
      try live.wait(for: "\(mode) to be heard") { $0.processing.micMode.effective == mode }
    }

    /// Returns the delay of the voice after the talker, in frames, and its gain in dB.
    private func effect(_ recording: GraphProbe.Recording, _ talker: [Float]) throws -> (lag: Int, gain: Double) {
      let voice = try #require(recording.samples["voice"])
      let lag = try #require(Measures.lag(of: voice, after: talker, most: 9_600)).frames
      let (said, heard) = (Array(talker.dropLast(lag)), Array(voice.dropFirst(lag)))
      return (lag, Measures.level(heard) - Measures.level(said))
    }

    @Test("V12, V8, O2: set by Props, isolation's voice is heard as late as the graph is told, and standard as before after it")
    func isolates() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      live.service.core.isolation.use { () throws(IsolationError) in HalvingIsolator() }
      for setting in [Setting.voiceProcessingEnableAGC, .noiseSuppression, .highPassFilter] { live.service.perform(.set(setting, false)) }
      live.service.perform(.set(.echoCanceller, "off"))
      // Keeps the microphone in use between passages.
      let keeper = try live.probe("keeper", record: ["voice"], frames: 480)
      try live.link([("nearend.microphone:capture_MONO", keeper.recordPort("voice"))])
      try live.wait(forActive: [LiveGraph.captureLink])
      let talker = try Signals.speech(.nearEnd, seconds: 2)
      func check(_ mode: MicMode, _ name: String, gain: Double) throws -> Int {
        // On a busy machine the worker's thread may be late, and the standard voice is heard for that moment: try again.
        for attempt in 1...10 {
          try live.wait(for: "\(mode) to be heard") { $0.processing.micMode.effective == mode }
          let late = live.service.snapshot().processing.micMode.lateBlocks
          let recording = try passage(live, name: "\(name)\(attempt)", talker)
          let snapshot = live.service.snapshot()
          guard recording.isExact, snapshot.processing.micMode.lateBlocks == late else { continue }
          let effect = try effect(recording, talker)
          #expect(effect.lag == snapshot.graph.captureLatency, "\(mode)")
          #expect(abs(effect.gain - gain) < 0.3, "\(mode): \(effect.gain) dB")
          return snapshot.graph.captureLatency
        }
        Issue.record("\(mode): the worker's thread does not keep up")
        return 0
      }
      let standard = try check(.standard, "before", gain: 0)
      try set(live, .voiceIsolation)
      let isolated = try check(.voiceIsolation, "isolated", gain: -6.02)
      let status = live.service.snapshot().processing.micMode
      #expect(status.isolator == "halving" && status.latency == isolated - standard && status.latency > 1_440)
      let id = try #require(live.service.snapshot().graph.nodeId)
      try live.session.wait(for: "the node's ProcessLatency to be \(isolated)") {
        try live.session.run("pw-cli", "enum-params", "\(id)", "ProcessLatency").output.contains("Int \(isolated)")
      }
      try set(live, .standard)
      try live.wait(for: "the latency to fall") { $0.graph.captureLatency == standard }
      #expect(try check(.standard, "after", gain: 0) == standard)
      withExtendedLifetime(keeper) {}
    }
  }
}

/// Halves the voice, and delays it by exactly `delay` frames.
// `@unchecked Sendable`: only the worker calls `isolate`.
private final class HalvingIsolator: VoiceIsolator, @unchecked Sendable {
  let name = "halving"
  let delay = 1_440
  private var line = [Float](repeating: 0, count: 1_440)

  func isolate(_ block: UnsafePointer<Float>, into voice: UnsafeMutablePointer<Float>) {
    line += UnsafeBufferPointer(start: block, count: 480)
    for i in 0..<480 { voice[i] = 0.5 * line[i] }
    line.removeFirst(480)
  }
}
