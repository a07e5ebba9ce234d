import Foundation
import Nearend
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// What the session manager makes of streams that asked for one of nearend's devices, once that has been the default.
  @Suite("Stray streams", .serialized)
  struct StrayStreams {
    private func peers(_ session: PrivateSession, of stream: String) throws -> Set<String> {
      func node(_ port: String) -> String { String(port.prefix { $0 != ":" }) }
      let links = try session.links().keys.map { (from: node($0.from), to: node($0.to)) }
      return Set(links.filter { $0.from == stream }.map(\.to) + links.filter { $0.to == stream }.map(\.from))
    }

    private func wait(_ session: PrivateSession, for stream: String, at device: String) throws {
      try session.wait(for: "\(stream) at \(device) and nowhere else") { try peers(session, of: stream) == [device] }
    }

    /// Whether streams follow the default though they asked for a device: WirePlumber's mark.
    private func follow(_ session: PrivateSession) throws -> Int {
      try session.run("pw-metadata").output.split(separator: "\n").count { $0.contains("key:'target.node' value:'-1'") }
    }

    @Test("R2: who asked for nearend's devices by name stays there when those were the defaults for a while")
    func comesBack() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let session = live.session
      let player = try session.spawn("pacat", ["--playback", "--device=nearend.speaker", "--client-name=player", "/dev/zero"])
      defer { player.end() }
      let recorder = try session.spawn("pacat", ["--record", "--device=nearend.microphone", "--client-name=recorder", "/dev/null"])
      defer { recorder.end() }
      func areHome() throws {
        try wait(session, for: "player", at: "nearend.speaker")
        try wait(session, for: "recorder", at: "nearend.microphone")
      }
      try areHome()
      for _ in 0..<2 {
        live.service.perform(.setDefaultDevices(true))
        try session.wait(for: "the session manager to let both follow the defaults") { try follow(session) == 2 }
        try areHome()
        live.service.perform(.setDefaultDevices(false))
        try session.wait(for: "nobody to follow the defaults") { try follow(session) == 0 }
        try areHome()
      }
    }

    @Test("R2: whom a person moves to the default device stays there")
    func moved() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let session = live.session
      let player = try session.spawn("pacat", ["--playback", "--device=nearend.speaker", "--client-name=player", "/dev/zero"])
      defer { player.end() }
      try wait(session, for: "player", at: "nearend.speaker")
      let index = try session.run("pactl", "list", "short", "sink-inputs").output.prefix { $0.isNumber }
      _ = try session.run("pactl", "move-sink-input", String(index), "hw.speaker")
      try wait(session, for: "player", at: "hw.speaker")
      // Nearend has looked at it by then, several times.
      try live.service.addGraphSink(id: "alice")
      try session.wait(forPorts: ["nearend:alice_FL"])
      #expect(try peers(session, of: "player") == ["hw.speaker"])
    }
  }
}
