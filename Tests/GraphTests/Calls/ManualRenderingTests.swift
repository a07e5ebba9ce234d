import RealtimeCore
import SessionModel
import Testing

@testable import Nearend
@testable import SimulatedHardware

extension GraphTests {
  @Suite("Manual rendering", .serialized)
  struct ManualRendering {
    private static let seconds = 4.0

    /// A far end, its echo 20 ms later in the microphone, and a near end that talks over it from the middle on.
    private func call() throws -> (far: [Float], microphone: [Float]) {
      let far = try Signals.speech(Voice.farEnd[0], seconds: Self.seconds)
      let near = try Signals.speech(.nearEnd, seconds: Self.seconds)
      let noise = Signals.noise(frames: far.count)
      return (
        far,
        far.indices.map { i in
          0.5 * (i >= 960 ? far[i - 960] : 0) - 0.2 * (i >= 1_500 ? far[i - 1_500] : 0) + (i > far.count / 2 ? near[i] : 0) + 0.003
            * noise[i]
        }
      )
    }

    @Test("S9: manual rendering equals a live session for the same blocks, within −90 dBFS", arguments: [480, 256])
    func equalsLive(quantum: Int) throws {
      let (far, microphone) = try call()
      let live = try LiveGraph(.exact, quantum: quantum) { $0.settings.reference = .mix }
      defer { live.stop() }
      // Room for the capture path's whole output: its state depends on everything that it has heard, including silence.
      let queue = SourceQueue(capacity: 4_000_000)
      live.service.core.source.attach(queue)
      defer { live.service.core.source.detach() }
      let probe = try live.probe(play: ["near": microphone, "far": far], record: ["voice"], frames: microphone.count)
      try live.link([
        (probe.playPort("far"), "nearend.speaker:playback_FL"), (probe.playPort("far"), "nearend.speaker:playback_FR"),
        (probe.playPort("near"), "hw.mic:input_MONO"), ("nearend.microphone:capture_MONO", probe.recordPort("voice")),
      ])
      try live.wait(forActive: LiveGraph.speakerLinks + [LiveGraph.captureLink])
      try live.wait(for: "cycles") { $0.graph.cycles > 0 && $0.graph.quantum == quantum }
      let recording = try probe.run()
      #expect(recording.isExact)
      let voice = try #require(recording.samples["voice"])

      var everything: [Float] = []
      while let cycle = queue.read(into: &everything) { #expect(cycle.frames == quantum) }
      #expect(queue.overruns == 0)
      let lead = try #require(start(of: voice, in: everything), "the recording is not in what the source was given")

      let renderer = try ManualRenderer()
      renderer.streamDelay = live.service.core.streamDelay
      let silence = [Float](repeating: 0, count: lead)
      let (near, away) = (silence + microphone, silence + far)
      var manual: [Float] = []
      for first in stride(from: 0, through: near.count - quantum, by: quantum) {
        let call = StereoBlock(mono: Array(away[first..<first + quantum]))
        manual += try renderer.cycle(microphone: Array(near[first..<first + quantum]), call: call).voice
      }
      let difference = zip(voice, manual[lead...]).map { $0 - $1 }
      let level = Measures.level(difference)
      print("quantum \(quantum): \(lead) frames of silence before, difference \(level) dBFS, voice \(Measures.level(voice)) dBFS")
      #expect(Measures.level(voice) > -50)
      #expect(level < -90)
    }

    /// Returns the position of a recording in a longer one that contains it bit by bit.
    private func start(of part: [Float], in whole: [Float]) -> Int? {
      guard let loud = part.indices.first(where: { abs(part[$0]) > 0.01 }), loud + 2_000 < part.count else { return nil }
      let pattern = part[loud..<loud + 2_000]
      let found = (loud..<max(loud, whole.count - 2_000)).first {
        whole[$0] == pattern.first && whole[$0..<$0 + 2_000].elementsEqual(pattern)
      }
      return found.map { $0 - loud }
    }
  }
}
