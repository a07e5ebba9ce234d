import Foundation
import SessionModel
import TestSupport
import Testing

@testable import Nearend
@testable import SimulatedHardware

extension GraphTests {
  @Suite("History", .serialized, .timeLimit(.minutes(3)))
  struct History {
    @Test(
      "U5 L4: while somebody records, the history has the microphone's tone in its band, and the voice's; when nobody does, nothing is added"
    )
    func tone() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      try live.service.set(.useVoiceProcessingIO, to: .bool(false))
      let idle = Date() + 0.5
      try live.session.wait(for: "an idle while") { Date() > idle }
      #expect(live.service.history().points.isEmpty, "no cycle runs")

      let tone = sine(1_000, frames: 60 * 48_000, level: 0.5)
      var recorder: GraphProbe? = try live.probe("near", play: ["near": tone], record: ["voice"], frames: tone.count)
      try live.link([
        (recorder!.playPort("near"), "hw.mic:input_MONO"), ("nearend.microphone:capture_MONO", recorder!.recordPort("voice")),
      ])
      recorder!.start()
      // 1000 mel of 3817 in 48 bands.
      let band = 12
      func isHeard(_ bands: [UInt8]) -> Bool {
        guard bands.count == SpectrogramScale.bands, let loudest = bands.indices.max(by: { bands[$0] < bands[$1] }) else { return false }
        return abs(loudest - band) <= 1 && abs(SpectrogramScale.level(bands[loudest]) + 6) < 2
      }
      try live.session.wait(for: "five points with the tone") {
        live.service.history().points.count { isHeard($0.microphone) && isHeard($0.voice) } >= 5
      }
      let points = live.service.history().points
      #expect(zip(points, points.dropFirst()).allSatisfy { $0.number + 1 == $1.number && $0.time < $1.time })
      let heard = try #require(points.last { isHeard($0.microphone) })
      #expect(abs((heard.microphoneLevel ?? 0) + 6) < 1 && abs((heard.voiceLevel ?? 0) + 6) < 1)
      #expect(live.service.history(after: heard.number).points.allSatisfy { $0.number > heard.number })

      recorder = nil
      try live.wait(for: "nobody to record") { $0.session.sendMedia.isEmpty && $0.graph.captureLinks == 0 }
      try live.session.wait(for: "the last point") {
        let count = live.service.history().points.last?.number
        usleep(500_000)
        return live.service.history().points.last?.number == count
      }
    }
  }
}
