import Foundation
import RTP
import SessionModel
import TestSupport
import Testing

@testable import Nearend
@testable import SimulatedHardware

extension GraphTests {
  /// PipeWire's own RTP modules, in a client of the private session.
  @Suite("RTP with PipeWire's modules", .serialized, .timeLimit(.minutes(3)))
  struct RemoteInterop {
    private func freePort() throws -> UInt16 {
      for _ in 0..<100 {
        let port = UInt16.random(in: 20_000...30_000) * 2
        if (try? DatagramSocket(at: try RTPAddress("127.0.0.1:\(port)"))) != nil { return port }
      }
      throw POSIXError(.EADDRINUSE)
    }

    /// Waits for the first port of a module's stream; releases of PipeWire name the stream differently.
    private func streamPort(in session: PrivateSession, of names: [String], while repeated: () -> Void = {}) throws -> String {
      var found: String?
      try session.wait(for: "one of \(names)") {
        repeated()
        found = try session.ports().first { port in names.contains { port.hasPrefix("\($0)_") } }
        return found != nil
      }
      return try #require(found)
    }

    @Test("K12: audio from PipeWire's rtp-sink is heard as a participant, with its SSRC, its channels and no loss")
    func receives() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let (port, announced) = (try freePort(), try freePort())
      try live.service.addRemoteSink(id: "bob", at: "127.0.0.1:\(port)", from: "127.0.0.1")
      let module = try live.session.spawn(
        module: "libpipewire-module-rtp-sink", named: "rtp-sink",
        """
        sap.ip = "127.0.0.1" sap.port = \(announced) source.ip = "127.0.0.1" destination.ip = "127.0.0.1" destination.port = \(port)
        audio.rate = 48000 audio.channels = 2 audio.position = [ FL FR ] stream.props = { media.class = "Audio/Sink" node.name = "bobs" }
        """)
      defer { module.end(grace: 0.2) }
      let tones = ["left": sine(500, frames: 30 * 48_000, level: 0.2), "right": sine(800, frames: 30 * 48_000, level: 0.2)]
      let probe = try live.probe(play: tones, record: ["left", "right"], frames: 30 * 48_000)
      let bobs = try streamPort(in: live.session, of: ["bobs:playback", "bobs:send"]).dropLast("FL".count)
      try live.link([
        (probe.playPort("left"), "\(bobs)FL"), (probe.playPort("right"), "\(bobs)FR"),
        ("nearend:speaker_FL", probe.recordPort("left")), ("nearend:speaker_FR", probe.recordPort("right")),
      ])
      probe.start()
      try live.wait(for: "bob to be heard for a while") { ($0.sinks.first?.remote?.packets ?? 0) > 1_000 && $0.sinks[0].state == .playing }
      let sink = try #require(live.service.snapshot().sinks.first)
      let remote = try #require(sink.remote)
      probe.end(after: 9_600)
      let recording = try probe.finish()
      #expect(sink.ssrc != nil && remote.channels == 2 && remote.lost == 0 && remote.refused == 0 && remote.streams == 1)
      #expect((1...20).contains(remote.packetTime) && remote.lossPercent == 0 && remote.roundTrip == nil, "\(remote)")
      for (port, tone, other) in [("left", 500.0, 800.0), ("right", 800.0, 500.0)] {
        let heard = Measures.clearestMoment(ofTone: tone, in: try #require(recording.samples[port]), rate: 48_000)
        #expect(Measures.share(ofTone: tone, in: heard, rate: 48_000) > 0.9, "\(port)")
        #expect(Measures.share(ofTone: other, in: heard, rate: 48_000) < 0.01, "\(port)")
      }
    }

    @Test("K12: the voice that nearend sends is heard from PipeWire's rtp-source")
    func sends() throws {
      let live = try LiveGraph(.hardware, usesVoiceProcessing: false)
      defer { live.stop() }
      let (port, announced) = (try freePort(), try freePort())
      let module = try live.session.spawn(
        module: "libpipewire-module-rtp-source", named: "rtp-source",
        """
        sap.ip = "127.0.0.1" sap.port = \(announced) sess.latency.msec = 50 node.always-process = true
        source.ip = "0.0.0.0" source.port = \(port) audio.rate = 48000 audio.channels = 1 audio.position = [ MONO ]
        stream.props = { media.class = "Audio/Source" node.name = "voice" }
        """)
      defer { module.end(grace: 0.2) }
      #expect(try live.service.send(to: "127.0.0.1:\(port)", packetTime: 5) == "to-127.0.0.1-\(port)")
      // The module of 0.3.65 accepts only announced streams; those of 1.x listen on the port, and accept any sender only for 0.0.0.0.
      let announcement = Announcement(port: port)
      let announcer = try DatagramSocket(to: try RTPAddress("127.0.0.1:\(announced)"))
      let heard = try streamPort(in: live.session, of: ["nearends-voice:capture", "voice:capture", "voice:receive"]) {
        _ = announcer.send(announcement.bytes)
      }
      let probe = try live.probe(play: ["near": sine(700, frames: 30 * 48_000, level: 0.2)], record: ["far"], frames: 30 * 48_000)
      try live.link([
        (probe.playPort("near"), "hw.mic:input_MONO"), (heard, probe.recordPort("far")),
      ])
      try live.wait(forActive: [LiveGraph.captureLink])
      probe.start()
      try live.wait(for: "the voice to be sent for a while") { ($0.sends.first?.packets ?? 0) > 1_000 }
      try live.session.wait(for: "so much to be recorded") { probe.elapsed > 5 * 48_000 }
      probe.end(after: 9_600)
      let recording = try #require(try probe.finish().samples["far"])
      #expect(Measures.share(ofTone: 700, in: recording, rate: 48_000) > 0.9)
      let send = try #require(live.service.snapshot().sends.first)
      #expect(send.failure == nil && send.packetTime == 5 && live.service.snapshot().session.sendMedia == [send.id])
    }

    /// A packet of RFC 2974 with a description of RFC 4566.
    private struct Announcement {
      let bytes: [UInt8]

      init(port: UInt16) {
        let lines = [
          "v=0", "o=nearend 1 0 IN IP4 127.0.0.1", "s=nearends-voice", "c=IN IP4 127.0.0.1", "t=0 0", "m=audio \(port) RTP/AVP 127",
          "a=rtpmap:127 L16/48000/1", "a=ptime:5",
        ]
        bytes = [0x20, 0, 0, 77, 127, 0, 0, 1] + Array("application/sdp\0".utf8) + Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
      }
    }
  }
}
