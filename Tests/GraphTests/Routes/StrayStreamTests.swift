import Foundation
import Nearend
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// How the session manager treats streams that asked for one of nearend's devices, once that has been the default. Each use of
  /// `pw-metadata` is a new client, during whose arrival nearend may miss changes: it reads them again, however often clients come.
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

    /// The number of streams with WirePlumber's mark: they follow the default though they asked for a device.
    private func follow(_ session: PrivateSession) throws -> Int {
      try session.run("pw-metadata").output.split(separator: "\n").count { $0.contains("key:'target.node' value:'-1'") }
    }

    @Test("R2: streams that asked for nearend's devices by name stay there after those were the defaults for a while")
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
        live.service.perform(.set(.defaultDevices, true))
        try session.wait(
          for: "the session manager to let both follow the defaults",
          detail: { (try? session.run("pw-metadata").output) ?? "pw-metadata fails, too" }
        ) { try follow(session) == 2 }
        try areHome()
        live.service.perform(.set(.defaultDevices, false))
        try session.wait(for: "nobody to follow the defaults") { try follow(session) == 0 }
        try areHome()
      }
    }

    /// The targets of streams, set by the session manager or by a user: `target.node` and `target.object`, by the stream's id.
    private func targets(_ session: PrivateSession) throws -> [String: [String: String]] {
      var targets: [String: [String: String]] = [:]
      for line in try session.run("pw-metadata").output.split(separator: "\n") {
        guard let match = line.firstMatch(of: /id:(\d+) key:'(target\.(?:node|object))' value:'([^']*)'/) else { continue }
        targets[String(match.1), default: [:]][String(match.2)] = String(match.3)
      }
      return targets
    }

    @Test("R2: a stream that a person moves to the default device stays there")
    func moved() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let session = live.session
      let player = try session.spawn("pacat", ["--playback", "--device=nearend.speaker", "--client-name=player", "/dev/zero"])
      defer { player.end() }
      try wait(session, for: "player", at: "nearend.speaker")
      let stream = String(try #require(try GraphDump(session).node("player")).id)
      #expect(try targets(session)[stream] == nil)
      let index = try session.run("pactl", "list", "short", "sink-inputs").output.prefix { $0.isNumber }
      // Moved to the default, so that it follows that: both keys say so. pactl's request may get lost as it exits; only then is it
      // repeated, not if one of the two keys is gone.
      let told = ["target.node": "-1", "target.object": "-1"]
      try session.wait(for: "both marks of a move") {
        if try targets(session)[stream] == nil { _ = try session.run("pactl", "move-sink-input", String(index), "hw.speaker") }
        return try targets(session)[stream] == told
      }
      try wait(session, for: "player", at: "hw.speaker")
      // A stream that only follows the default is moved back meanwhile: by then nearend has observed, and the session manager has moved
      // everything else that it will move.
      let other = try session.spawn("pacat", ["--playback", "--device=nearend.speaker", "--client-name=other", "/dev/zero"])
      defer { other.end() }
      try wait(session, for: "other", at: "nearend.speaker")
      let follower = String(try #require(try GraphDump(session).node("other")).id)
      _ = try session.run("pw-metadata", follower, "target.node", "-1", "Spa:Id")
      try session.wait(for: "the follower to be given back") { try targets(session)[follower] == nil }
      try wait(session, for: "other", at: "nearend.speaker")
      #expect(try targets(session)[stream] == told)
      #expect(try peers(session, of: "player") == ["hw.speaker"])
    }

    @Test("R2: a stream that asked for a participant's device returns to it when another of nearend's is the default")
    func ownDevices() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let session = live.session
      func prefer(_ name: String) throws {
        _ = try session.run("pw-metadata", "0", "default.configured.audio.sink", "{\"name\":\"\(name)\"}", "Spa:String:JSON")
      }
      try live.service.addGraphSink(id: "zoe")
      try session.wait(forPorts: ["nearend:zoe_FL"])
      let player = try session.spawn("pacat", ["--playback", "--device=nearend.sink.zoe", "--client-name=player", "/dev/zero"])
      defer { player.end() }
      try wait(session, for: "player", at: "nearend.sink.zoe")
      defer {
        // The session manager remembers the last configured one.
        _ = try? session.run("pw-metadata", "0", "default.configured.audio.sink", "{\"name\":\"hw.speaker\"}", "Spa:String:JSON")
        _ = try? session.run("pw-metadata", "-d", "0", "default.configured.audio.sink")
      }
      for other in ["nearend.speaker", "hw.speaker"] {
        try prefer("nearend.sink.zoe")
        try session.wait(for: "the session manager to let it follow the default") { try follow(session) == 1 }
        try prefer(other)
        try session.wait(for: "nobody to follow the default \(other)") { try follow(session) == 0 }
        try wait(session, for: "player", at: "nearend.sink.zoe")
      }
    }
  }
}
