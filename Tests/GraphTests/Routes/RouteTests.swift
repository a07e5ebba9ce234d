import Nearend
import PipeWireGraph
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("Routes", .serialized)
  struct Routes {
    /// Plays and records for as long as the result lives.
    private func call(_ live: LiveGraph) throws -> (GraphProbe, GraphProbe) {
      let player = try live.probe("far", play: ["left": []], record: ["unused"], frames: 480)
      let recorder = try live.probe("near", record: ["voice"], frames: 480)
      try live.link([
        (player.playPort("left"), "nearend.speaker:playback_FL"), ("nearend.microphone:capture_MONO", recorder.recordPort("voice")),
      ])
      return (player, recorder)
    }

    private func setDefault(_ live: LiveGraph, _ direction: String, _ name: String) throws {
      _ = try live.session.run(
        "pw-metadata", "0", "default.configured.audio.\(direction)", "{ \"name\": \"\(name)\" }", "Spa:String:JSON")
    }

    /// Waits until nearend plays to this speaker, takes its reference from it, and uses no other.
    private func wait(_ live: LiveGraph, forSpeaker name: String) throws {
      try live.session.wait(for: "nearend to play to \(name)") {
        let dump = try GraphDump(live.session)
        let played = Set(dump.links(from: "nearend").filter { $0.from.contains("speaker_") }.map { $0.to.split(separator: ":")[0] })
        let heard = Set(dump.links(to: "nearend").filter { $0.to.contains(":ref_") }.map { $0.from.split(separator: ":")[0] })
        return played == [Substring(name)] && heard == [Substring(name)]
      }
      try live.wait(for: "the route to be \(name)") { $0.route.speaker?.name == name }
    }

    /// Expects no path from nearend's outputs back into nearend, except its own links.
    private func expectNoLoop(_ live: LiveGraph) throws {
      for link in try GraphDump(live.session).links(from: "nearend") {
        #expect(!link.to.hasPrefix("nearend.speaker:"), "\(link)")
        #expect(link.to.hasPrefix("nearend.microphone:") == (link.from == "nearend:voice_MONO"), "\(link)")
      }
      for link in try GraphDump(live.session).links(to: "nearend") where link.to == "nearend:mic_MONO" || link.to.contains(":ref_") {
        #expect(!link.from.hasPrefix("nearend"), "\(link)")
      }
    }

    @Test("R1: the default speaker is followed, and nearend's own devices never are")
    func followsTheDefault() throws {
      let live = try LiveGraph(.twoSpeakers)
      defer { live.stop() }
      let clients = try call(live)
      try wait(live, forSpeaker: "hw.speaker")
      try setDefault(live, "sink", "hw.second")
      try wait(live, forSpeaker: "hw.second")
      #expect(live.service.snapshot().route.speaker?.isDefault == true)

      try setDefault(live, "sink", "nearend.speaker")
      try setDefault(live, "source", "nearend.microphone")
      try live.session.wait(for: "the session manager to have our devices as its defaults") {
        try live.session.run("pactl", "get-default-sink").output == "nearend.speaker\n"
          && live.session.run("pactl", "get-default-source").output == "nearend.microphone\n"
      }
      try wait(live, forSpeaker: "hw.second")
      try live.wait(forActive: [LiveGraph.captureLink])
      try expectNoLoop(live)
      #expect(!live.service.snapshot().route.devices.contains { $0.name.hasPrefix("nearend") })

      try setDefault(live, "sink", "hw.speaker")
      try setDefault(live, "source", "hw.mic")
      try wait(live, forSpeaker: "hw.speaker")
      withExtendedLifetime(clients) {}
    }

    @Test("R1, R2: a picked device wins over the default, and gives way when it is given up")
    func picked() throws {
      let live = try LiveGraph(.twoSpeakers)
      defer { live.stop() }
      let clients = try call(live)
      try wait(live, forSpeaker: "hw.speaker")
      live.service.perform(.set(.speaker, "hw.second"))
      try wait(live, forSpeaker: "hw.second")
      try setDefault(live, "sink", "hw.speaker")
      try wait(live, forSpeaker: "hw.second")
      live.service.perform(.set(.speaker, ""))
      try wait(live, forSpeaker: "hw.speaker")
      for (setting, own) in [(Setting.speaker, "nearend.speaker"), (.microphone, "nearend.microphone"), (.speaker, "nearend")] {
        #expect(throws: SettingError.self) { try live.service.set(setting, to: .string(own)) }
        #expect(throws: SettingError.self) { try live.service.set([setting.rawValue: .string(own)]) }
      }
      live.service.perform(.set(.speaker, "nearend.speaker"))
      #expect(live.service.snapshot().route.pickedSpeaker == nil)
      #expect(live.service.snapshot().log.last?.message.contains("nearend's own would hear itself") == true)
      try wait(live, forSpeaker: "hw.speaker")
      try expectNoLoop(live)
      // A missing device may be picked, and is reported.
      try live.service.set(.speaker, to: .string("usb.gone"))
      let route = live.service.snapshot().route
      #expect(route.missingPick(.output) == "usb.gone")
      #expect(route.missingPick(.input) == nil)
      #expect(route.speaker?.name == "hw.speaker")
      #expect(
        live.service.snapshot().log.contains { $0.level == .warning && $0.message.contains("usb.gone is chosen, and will be used") })
      withExtendedLifetime(clients) {}
    }

    @Test("R1: a device whose sound comes back into nearend is never used, even as the default or picked")
    func noLoopThroughAnother() throws {
      let live = try LiveGraph(.twoSpeakers)
      defer { live.stop() }
      let clients = try call(live)
      try wait(live, forSpeaker: "hw.speaker")
      let loopback = try live.session.spawn(
        "pw-loopback",
        [
          "--capture-props", "media.class=Audio/Sink node.name=loop.sink priority.session=5000", "--playback-props",
          "node.name=loop.out target.object=nearend.speaker",
        ])
      try live.session.wait(for: "the loopback to play into Nearend Speaker") {
        try live.session.links().keys.contains { $0.from.hasPrefix("loop.out:") && $0.to.hasPrefix("nearend.speaker:") }
      }
      live.service.perform(.set(.speaker, "loop.sink"))
      try wait(live, forSpeaker: "hw.speaker")
      #expect(!live.service.snapshot().route.devices.contains { $0.name == "loop.sink" })
      loopback.end()
      live.service.perform(.set(.speaker, ""))
      try wait(live, forSpeaker: "hw.speaker")
      withExtendedLifetime(clients) {}
    }

    @Test("R1: a device that vanishes is replaced, and taken again when it comes back, by its name")
    func vanishes() throws {
      let live = try LiveGraph(.twoSpeakers)
      defer { live.stop() }
      let clients = try call(live)
      func plug() throws -> String {
        try live.session.run("pactl", "load-module", "module-null-sink", "sink_name=usb.headset").output.filter(\.isNumber)
      }
      let module = try plug()
      live.service.perform(.set(.speaker, "usb.headset"))
      try wait(live, forSpeaker: "usb.headset")
      let first = try #require(try GraphDump(live.session).node("usb.headset")).serial
      _ = try live.session.run("pactl", "unload-module", module)
      try wait(live, forSpeaker: "hw.speaker")
      // A new object takes the freed id: devices are known by name.
      let other = try live.probe("other", record: ["unused"], frames: 480)
      let again = try plug()
      try wait(live, forSpeaker: "usb.headset")
      #expect(try GraphDump(live.session).node("usb.headset")?.serial != first)
      _ = try live.session.run("pactl", "unload-module", again)
      try wait(live, forSpeaker: "hw.speaker")
      #expect(live.service.snapshot().session.interruption == nil)
      withExtendedLifetime((clients, other)) {}
    }
  }
}
