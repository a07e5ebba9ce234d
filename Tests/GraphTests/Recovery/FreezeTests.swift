import Foundation
import Nearend
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("Frozen graph", .serialized)
  struct Freeze {
    private func rebuilds(_ live: LiveGraph) -> Int { live.service.snapshot().log.count { $0.message == "the filter is rebuilt" } }

    /// Returns the seconds until the freeze is reported.
    private func detect(_ live: LiveGraph) throws -> Double {
      let began = SimulatedHardware.monotonicSeconds()
      try live.wait(for: "the freeze to be noticed") { $0.session.interruption?.reason == .frozen }
      let seconds = SimulatedHardware.monotonicSeconds() - began
      print("I5: frozen for \(Int(seconds * 1_000)) ms when it was noticed")
      return seconds
    }

    @Test("I5, I4: a daemon that stands still is detected within 2 s; when it goes on, so does the same filter", arguments: [false, true])
    func daemonStandsStill(isManual: Bool) throws {
      let live = try LiveGraph(.login, isManual: isManual)
      defer { live.stop() }
      let call = try InterruptedCall(live, isManual: isManual)
      let serials = try live.serials()
      live.session.freeze(.pipewire)
      defer { live.session.thaw(.pipewire) }
      #expect(try detect(live) < 2)
      let seconds = try call.recovery(.frozen) { live.session.thaw(.pipewire) }
      #expect(seconds < 2)
      let after = try live.serials()
      #expect(after["nearend.speaker"] == serials["nearend.speaker"] && after["nearend.microphone"] == serials["nearend.microphone"])
      if !isManual { #expect(after == serials) }
    }

    @Test("I5: a driver that stops is detected within 2 s, and the filter is rebuilt with its ports; the devices stay")
    func driverStops() throws {
      let live = try LiveGraph(.login)
      defer { live.stop() }
      try live.service.addGraphSink(id: "alice")
      try live.session.wait(for: "alice") { try live.serials()["nearend.sink.alice"] != nil }
      let call = try InterruptedCall(live)
      let (serials, ports) = try (live.serials(), live.session.ports().filter { $0.hasPrefix("nearend:") })
      let driver = live.service.snapshot().graph.driver
      try live.session.stopDriver(driver)
      #expect(try detect(live) < 2)
      try live.session.wait(for: "the filter to be rebuilt") { rebuilds(live) == 1 }
      try live.session.wait(for: "the new filter") { try live.serials()["nearend"].map { $0 != serials["nearend"] } ?? false }
      try live.session.wait(for: "its ports") { try live.session.ports().filter { $0.hasPrefix("nearend:") } == ports }
      try live.session.startDriver(driver)
      try call.waitUntilUp()
      try call.waitUntilUp(recoveries: 1)
      var after = try live.serials()
      #expect(after.removeValue(forKey: "nearend") != serials["nearend"])
      #expect(after == serials.filter { $0.key != "nearend" })
      try live.wait(forActive: LiveGraph.speakerLinks + LiveGraph.referenceLinks + [LiveGraph.captureLink] + LiveGraph.fixedLinks)
    }

    @Test("I5: a graph that is idle because nobody plays or records is not frozen")
    func rest() throws {
      let live = try LiveGraph(.login)
      defer { live.stop() }
      let recorder = try live.session.spawn("parec", ["--device=nearend.microphone", "--client-name=recorder"])
      try live.wait(for: "cycles") { $0.graph.captureLinks == 1 && $0.graph.cycles > 10 }
      recorder.end()
      try live.wait(for: "rest") { $0.graph.captureLinks == 0 }
      let player = try live.session.spawn("pacat", ["--playback", "--device=nearend.speaker", "--client-name=player", "/dev/zero"])
      defer { player.end() }
      try live.wait(for: "the player") { $0.graph.renderLinks == 2 }
      // The player keeps its stream, like a paused video: the media stays, and no cycle runs.
      _ = try live.session.run("pactl", "suspend-sink", "nearend.speaker", "1")
      let clock = try live.probe("clock", record: ["monitor"], frames: 48_000 * 3)
      try live.link([("hw.speaker:monitor_FL", clock.recordPort("monitor"))])
      _ = try clock.run()
      #expect(live.service.snapshot().session.interruptions.isEmpty)
      #expect(rebuilds(live) == 0)
    }

    @Test("I5: an idle graph whose speaker and latency change twice is not frozen")
    func restThroughSwitches() throws {
      let live = try LiveGraph(.twoSpeakers)
      defer { live.stop() }
      let player = try live.session.spawn("pacat", ["--playback", "--device=nearend.speaker", "--client-name=player", "/dev/zero"])
      defer { player.end() }
      try live.wait(for: "the player") { $0.graph.renderLinks == 2 && $0.graph.cycles > 10 }
      _ = try live.session.run("pactl", "suspend-sink", "nearend.speaker", "1")
      for name in ["hw.second", "hw.speaker"] {
        try live.service.set(.speaker, to: .string(name))
        try live.wait(for: name) { $0.route.speaker?.name == name }
        // The device reports a new latency, like one whose buffer size has changed.
        for latency in [480, 960] {
          _ = try live.session.run(
            "pw-cli", "set-param", name, "ProcessLatency", "{ quantum: 0.0, rate: \(latency), ns: 0 }")
        }
      }
      let clock = try live.probe("clock", record: ["monitor"], frames: 48_000 * 3)
      try live.link([("hw.speaker:monitor_FL", clock.recordPort("monitor"))])
      _ = try clock.run()
      #expect(live.service.snapshot().session.interruptions.isEmpty)
      #expect(rebuilds(live) == 0)
    }
  }
}
