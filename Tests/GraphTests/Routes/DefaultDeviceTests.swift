import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("Default devices", .serialized)
  struct DefaultDevices {
    private static let keys = ["default.configured.audio.sink", "default.configured.audio.source"]

    private func set(_ session: PrivateSession, _ key: String, _ value: String?) throws {
      if let value {
        _ = try session.run("pw-metadata", "0", key, value, "Spa:String:JSON")
      } else {
        _ = try session.run("pw-metadata", "-d", "0", key)
      }
    }

    /// The names of the configured defaults, sink first; "" for none.
    private func configured(_ session: PrivateSession) throws -> [String] { try session.deviceNames(Self.keys) }

    /// The names of the effective defaults, sink first.
    private func effective(_ session: PrivateSession) throws -> [String] { try session.defaults }

    private func wait(_ session: PrivateSession, forEffective names: [String]) throws {
      try session.wait(for: "\(names) in use, not \((try? effective(session)) ?? [])") { try effective(session) == names }
    }

    /// Leaves no configured default to the tests that use the session next. WirePlumber 0.4 goes on with the one configured last.
    private func forget(_ session: PrivateSession) throws {
      for (key, name) in zip(Self.keys, ["hw.speaker", "hw.mic"]) {
        try set(session, key, "{ \"name\": \"\(name)\" }")
        try set(session, key, nil)
      }
    }

    private func wait(_ session: PrivateSession, for names: [String]) throws {
      try session.wait(for: "the defaults \(names), which are \((try? configured(session)) ?? [])") { try configured(session) == names }
    }

    private static let ours = ["nearend.speaker", "nearend.microphone"]

    @Test("R2: nearend's devices become the defaults, and the former ones come back when it leaves", arguments: [false, true])
    func setAndRestored(hadAny: Bool) throws {
      let live = try LiveGraph(.twoSpeakers)
      let session = live.session
      let former = hadAny ? ["hw.second", "hw.mic"] : ["", ""]
      for (key, name) in zip(Self.keys, former) { try set(session, key, name.isEmpty ? nil : "{ \"name\": \"\(name)\" }") }
      defer { live.service.stop() }
      try wait(session, for: former)
      let used = [hadAny ? "hw.second" : "hw.speaker", "hw.mic"]
      try wait(session, forEffective: used)
      try live.wait(for: "nearend to follow them") { $0.route.speaker?.name == (hadAny ? "hw.second" : "hw.speaker") }
      live.service.perform(.set(.defaultDevices, true))
      try wait(session, for: Self.ours)
      try live.wait(for: "the state to tell so") { $0.route.areOursDefault }
      #expect(live.service.value(of: .defaultDevices) == "on")
      #expect(live.service.snapshot().route.speaker?.name == (hadAny ? "hw.second" : "hw.speaker"), "what was followed is followed")
      try wait(session, forEffective: Self.ours)
      live.service.perform(.set(.defaultDevices, false))
      try wait(session, for: former)
      try wait(session, forEffective: used)
      live.service.perform(.set(.defaultDevices, true))
      try wait(session, for: Self.ours)
      try wait(session, forEffective: Self.ours)
      live.stop()
      try wait(session, for: former)
      try wait(session, forEffective: used)
      #expect(!FileManager.default.fileExists(atPath: "\(session.path)/state/nearend/restore.json"))
      try forget(session)
    }

    @Test("R2: where no default was configured, another start, of nearend or of the session manager, does not make ours the default")
    func startedAgain() throws {
      let laptop = ["alsa_output.pci-0000_00_1f.3.analog-stereo", "alsa_input.pci-0000_00_1f.3.analog-stereo"]
      let first = try LiveGraph(.desk([.laptop])) { $0.settings.defaultDeviceMode = .on }
      let session = first.session
      try wait(session, forEffective: Self.ours)
      first.stop()
      try wait(session, forEffective: laptop)
      let second = try LiveGraph(.desk([.laptop]), in: session)
      defer { second.stop() }
      second.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try second.wait(for: "the real microphone") { $0.graph.captureLinks > 0 }
      #expect(try effective(session) == laptop)
      let memory = "\(session.path)/state/wireplumber/default-nodes"
      try session.wait(for: "the session manager to write down that it forgot ours") {
        guard let text = try? String(contentsOfFile: memory, encoding: .utf8) else { return false }
        return !Self.ours.contains(where: text.contains)
      }
      session.stop(.wireplumber)
      try session.start(.wireplumber)
      try second.wait(for: "its devices") { $0.graph.captureLinks > 0 && $0.route.speaker?.name == laptop[0] }
      try wait(session, forEffective: laptop)
      #expect(try configured(session) == ["", ""])
    }

    @Test("R2: whoever changes a default meanwhile wins, for that one")
    func changedMeanwhile() throws {
      let live = try LiveGraph(.twoSpeakers) { $0.settings.defaultDeviceMode = .on }
      let session = live.session
      try wait(session, for: Self.ours)
      try set(session, Self.keys[0], "{ \"name\": \"hw.second\" }")
      try live.wait(for: "that one to be followed") { $0.route.speaker?.name == "hw.second" && !$0.route.areOursDefault }
      live.stop()
      try wait(session, for: ["hw.second", ""])
      try forget(session)
    }

    @Test(
      "R1, R2: a change that the daemon reports only to another client, which is just binding the metadata, is still seen",
      arguments: [false, true])
    func toldToAnother(isUndone: Bool) throws {
      let live = try LiveGraph(.twoSpeakers)
      let session = live.session
      defer { live.stop() }
      // Both requests queue up in the session manager: nearend's, then the other client's.
      session.freeze(.wireplumber)
      defer { session.thaw(.wireplumber) }
      live.service.perform(.set(.defaultDevices, true))
      let other = try session.spawn("pw-metadata", ["-m", "0"])
      defer { other.end() }
      usleep(300_000)  // The request is invisible. Too short a pause would weaken the test, not fail it.
      session.thaw(.wireplumber)
      try wait(session, for: Self.ours)
      if isUndone {
        live.service.perform(.set(.defaultDevices, false))
        return try wait(session, for: ["", ""])
      }
      try live.wait(for: "the state to tell so") { $0.route.areOursDefault }
    }

    @Test("R2: after a crash, the next start puts the former defaults back, and leaves what somebody chose since")
    func afterCrash() throws {
      let first = try LiveGraph(.twoSpeakers)
      let session = first.session
      first.stop()
      let folder = "\(session.path)/state/nearend"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let left = ##"{"formerDefaults":{"default.configured.audio.sink":"{\"name\":\"hw.second\"}","default.configured.audio.source":""}}"##
      try left.write(toFile: "\(folder)/restore.json", atomically: true, encoding: .utf8)
      try set(session, Self.keys[0], "{ \"name\": \"nearend.speaker\" }")
      try set(session, Self.keys[1], "{ \"name\": \"hw.mic\" }")
      let live = try LiveGraph(.twoSpeakers)
      try wait(session, for: ["hw.second", "hw.mic"])
      try live.session.wait(for: "nothing to be left to do") { !FileManager.default.fileExists(atPath: "\(folder)/restore.json") }
      live.stop()
      try forget(session)
    }

    @Test("R1: an empty default, a missing one, a monitor, nearend's own devices: no loop, and a real device each time")
    func strangeDefaults() throws {
      let live = try LiveGraph(.twoSpeakers)
      defer { live.stop() }
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      let strange = [
        "{}", "", "{ \"name\": \"\" }", "not json", "{ \"name\": \"gone\" }", "{ \"name\": \"hw.speaker\" }",
        "{ \"name\": \"nearend.speaker\" }",
      ]
      for value in strange {
        for key in Self.keys { try set(live.session, key, value) }
        try live.wait(for: "both devices with '\(value)'") { $0.graph.captureLinks == 1 && $0.graph.renderLinks == 2 }
        #expect(live.service.snapshot().route.microphone?.name == "hw.mic", "'\(value)'")
        let dump = try GraphDump(live.session)
        #expect(!dump.links(from: "nearend").contains { $0.to.hasPrefix("nearend.speaker:") }, "'\(value)'")
        #expect(!dump.links(to: "nearend").contains { $0.to == "nearend:mic_MONO" && !$0.from.hasPrefix("hw.mic:") }, "'\(value)'")
      }
      try forget(live.session)
    }

    @Test(
      "R1, R2: an effect ahead of nearend that follows the default, like EasyEffects: nearend becomes the default without a loop")
    func effect() throws {
      let live = try LiveGraph(.twoSpeakers)
      defer { live.stop() }
      let effect = try live.session.spawn(
        "pw-loopback",
        [
          "--capture-props", "media.class=Audio/Sink node.name=effect.sink priority.session=5000", "--playback-props",
          "node.name=effect.out",
        ])
      try set(live.session, Self.keys[0], "{ \"name\": \"effect.sink\" }")
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try live.wait(for: "the effect") { $0.route.speaker?.name == "effect.sink" }
      live.service.perform(.set(.defaultDevices, true))
      try wait(live.session, for: Self.ours)
      try live.session.wait(for: "the effect to play into Nearend Speaker") {
        try live.session.links().keys.contains { $0.from.hasPrefix("effect.out:") && $0.to.hasPrefix("nearend.speaker:") }
      }
      try live.wait(for: "a real speaker") { $0.route.speaker?.name.hasPrefix("hw.") == true }
      try live.session.wait(for: "no link to the effect") {
        try !GraphDump(live.session).links(from: "nearend").contains { $0.to.hasPrefix("effect.sink:") }
      }
      effect.end()
      live.service.perform(.set(.defaultDevices, false))
      try forget(live.session)
    }
  }
}
