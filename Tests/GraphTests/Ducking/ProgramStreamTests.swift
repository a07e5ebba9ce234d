import PipeWireGraph
import SessionModel
import Testing

@testable import Nearend
@testable import SimulatedHardware

extension GraphTests.Ducking {
  @Test("D3, I1: what a program on the library plays beside it is not ducked and interrupts nobody, by ALSA, GStreamer or PulseAudio")
  func programs() throws {
    let live = try LiveGraph(.hardware)
    defer { live.stop() }
    let music = Music(session: live.session)
    // Its own streams: one of its own connection, and one for which PulseAudio's server has one.
    let (direct, other) = (try music.play(), try music.play("other", frequency: 3_000))
    let pulse = try CorkableStream(in: live.session, role: "Music", device: "hw.speaker")
    defer {
      for player in [direct, other] { player.end() }
      pulse.end()
    }
    let before = try music.wait(for: "the music", level: -12.04, within: 0.05)
    var phones: [CorkableStream] = []
    for process in [direct.pid, pulse.pid] {
      _ = live.service.programs.add(name: "player", process: Int(process), feed: try EventFeed())
    }
    try live.service.set(.duckingLevel, to: .string("max"))
    live.service.session.send(.registerMedia(id: "call", isSend: false, isReceive: true))
    try music.wait(for: "another program's music to be ducked", level: before - 24, of: 3_000)
    try live.wait(for: "only that to be ducked") { $0.ducking.streams == ["pw-play"] }
    try music.wait(for: "the program's own music, as it was", level: before, within: 0.05)

    // Another program's phone interrupts; this one's does not.
    let own = try CorkableStream(in: live.session, role: "Phone", device: "hw.speaker")
    _ = live.service.programs.add(name: "phone", process: Int(own.pid), feed: try EventFeed())
    live.service.graph.demandChanged()
    try live.wait(for: "the program's phone to interrupt nobody") { $0.session.interruption == nil && $0.session.isActive }
    phones.append(try CorkableStream(in: live.session, role: "Phone", device: "hw.speaker"))
    try live.wait(for: "another's to interrupt") { $0.session.interruption?.reason == .role }
    phones.removeAll()
    try live.wait(for: "its end") { $0.session.interruption == nil }
    own.end()
    live.service.session.send(.unregisterMedia(id: "call"))
  }
}
