import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// nearend as a smart filter, which WirePlumber understands from 0.5 on. With an older one each test shows what happens instead.
  @Suite("Smart filters", .serialized)
  struct SmartFilters {
    /// A session with nearend, and a program that plays a tone and chooses no device.
    private struct Call {
      let live: LiveGraph
      let music: Music
      var session: PrivateSession { live.session }
      /// Whether the session manager understands smart filters, by its version.
      let isUnderstood: Bool
      static let player = "music"

      init(_ mode: DefaultDeviceMode = .smart, _ kind: LiveGraph.Kind = .hardware) throws {
        live = try LiveGraph(kind) { $0.settings.defaultDeviceMode = mode }
        music = Music(session: live.session)
        isUnderstood = try !live.session.run("wireplumber", "--version").output.contains("libwireplumber 0.4.")
        if isUnderstood, mode != .off { try live.wait(for: "a smart filter") { $0.route.defaults.effective == .smart } }
      }

      /// Waits until nearend knows that the session manager understands none.
      func waitForRefusal() throws {
        try live.wait(for: "the session manager to be known for what it is") { $0.route.defaults.reason != nil }
      }

      func play(_ properties: String = "") throws -> ChildProcess {
        let file = try music.file(Self.player, frequency: Music.frequency)
        return try session.spawn("pw-play", ["-P", "{ node.name = \(Self.player) \(properties) }", file])
      }

      /// The nodes that a node is linked with.
      func peers(of node: String) throws -> Set<String> {
        func name(_ port: String) -> String { String(port.prefix { $0 != ":" }) }
        let links = try session.links().keys.map { (from: name($0.from), to: name($0.to)) }
        return Set(links.filter { $0.from == node }.map(\.to) + links.filter { $0.to == node }.map(\.from))
      }

      func wait(for node: String, at peers: Set<String>, within seconds: Double? = nil) throws {
        var found: Set<String> = []
        try session.wait(for: "\(node) at \(peers.sorted())", timeout: seconds, detail: { "it is at \(found.sorted())" }) {
          found = try self.peers(of: node)
          return found == peers
        }
      }

      /// The session's default devices.
      var defaults: [String] { get throws { try session.defaults } }
      static let real = ["hw.speaker", "hw.mic"]

      /// Waits until the tone is heard on the real speaker.
      func hear() throws {
        try session.wait(for: "the tone on the speaker") { try music.level() > -40 }
      }
    }

    @Test(
      "R2: a program that chooses no device plays through nearend, and one that chooses goes past it; the real devices stay the defaults")
    func plays() throws {
      let call = try Call(.smart, .twoSpeakers)
      defer { call.live.stop() }
      let player = try call.play()
      defer { player.end() }
      guard call.isUnderstood else {
        try call.waitForRefusal()
        #expect(call.live.service.snapshot().route.defaults.effective == .off)
        return try call.wait(for: Call.player, at: ["hw.speaker"])
      }
      try call.wait(for: Call.player, at: ["nearend.speaker"])
      try call.live.wait(forLinks: LiveGraph.speakerLinks)
      try call.hear()
      #expect(try call.defaults == Call.real)
      #expect(try call.session.run("pactl", "info").output.contains("Default Sink: hw.speaker"))
      let chooser = try call.music.play("chooser", frequency: 700, target: "hw.second")
      defer { chooser.end() }
      try call.wait(for: "chooser", at: ["hw.second"])
      let guest = try call.music.play("guest", frequency: 900, target: "nearend.speaker")
      defer { guest.end() }
      try call.wait(for: "guest", at: ["nearend.speaker"])
      #expect(call.live.service.snapshot().graph.captureLinks == 0, "nobody records")
    }

    @Test("R2, L3: a program that chooses no device records nearend's voice; while none does, the microphone is closed")
    func records() throws {
      let call = try Call()
      defer { call.live.stop() }
      guard call.isUnderstood else { return try call.waitForRefusal() }
      #expect(call.live.service.snapshot().graph.captureLinks == 0)
      let recorder = try call.session.spawn("pw-record", ["-P", "{ node.name = recorder }", "/dev/null"])
      try call.wait(for: "recorder", at: ["nearend.microphone"])
      try call.live.wait(forActive: [LiveGraph.captureLink])
      #expect(try call.defaults == Call.real)
      recorder.end()
      try call.live.wait(for: "a closed microphone") { $0.graph.captureLinks == 0 && $0.graph.renderLinks == 0 }
    }

    @Test("R2: switched while a program plays, from each to each; off, it is on the real speaker within a second")
    func switches() throws {
      let call = try Call(.off)
      defer { call.live.stop() }
      let player = try call.play()
      defer { player.end() }
      try call.wait(for: Call.player, at: ["hw.speaker"])
      guard call.isUnderstood else {
        call.live.service.perform(.set(.defaultDevices, "smart"))
        try call.waitForRefusal()
        #expect(try call.peers(of: Call.player) == ["hw.speaker"])
        call.live.service.perform(.set(.defaultDevices, "auto"))
        try call.live.wait(for: "the default instead") { $0.route.defaults.effective == .on && $0.route.areOursDefault }
        try call.wait(for: Call.player, at: ["nearend.speaker"])
        call.live.service.perform(.set(.defaultDevices, "off"))
        return try call.wait(for: Call.player, at: ["hw.speaker"])
      }
      let serial = try #require(try GraphDump(call.session).node(Call.player)).serial
      for mode in ["smart", "off", "auto", "on", "smart", "on", "off"] {
        call.live.service.perform(.set(.defaultDevices, .string(mode)))
        try call.wait(for: Call.player, at: [mode == "off" ? "hw.speaker" : "nearend.speaker"], within: mode == "off" ? 1 : nil)
        try call.hear()
        let wanted = mode == "on" ? ["nearend.speaker", "nearend.microphone"] : Call.real
        try call.session.wait(for: "the defaults with \(mode)") { try call.defaults == wanted }
      }
      #expect(try GraphDump(call.session).node(Call.player)?.serial == serial, "the same stream")
    }

    @Test("R2: the session manager is restarted: what was a smart filter is one again")
    func restarted() throws {
      let call = try Call(.auto)
      defer { call.live.stop() }
      guard call.isUnderstood else {
        try call.waitForRefusal()
        return try call.live.wait(for: "the default instead") { $0.route.areOursDefault }
      }
      call.session.stop(.wireplumber)
      try call.session.start(.wireplumber)
      let player = try call.play()
      defer { player.end() }
      try call.wait(for: Call.player, at: ["nearend.speaker"])
      try call.session.wait(for: "the real defaults") { try call.defaults == Call.real }
    }

    /// Starts a filter with a sink, as an equalizer is; `isSource` for one with a source, as a denoiser is.
    private func filter(_ call: Call, _ name: String, isSource: Bool = false, target: String? = nil) throws -> ChildProcess {
      let target = target.map { "filter.smart.target = { node.name = \"\($0)\" }" } ?? ""
      let smart = "filter.smart = true filter.smart.name = \(name) \(target)"
      let device = "{ node.name = \(name) media.class = Audio/\(isSource ? "Source" : "Sink") \(smart) }"
      let stream = "{ node.name = \(name).stream node.passive = true }"
      let process = try call.session.spawn(
        "pw-loopback",
        ["--group", name, "--capture-props", isSource ? stream : device, "--playback-props", isSource ? device : stream])
      try call.session.wait(forPorts: ["\(name):\(isSource ? "capture" : "playback")_FL"])
      return process
    }

    @Test("R2: beside a smart equalizer sound goes through it, then nearend, whichever began first", arguments: [false, true])
    func equalizer(isFirst: Bool) throws {
      let session = try LiveGraph.session(.hardware)
      var equalizer: ChildProcess?
      if isFirst {
        let early = try Call(.off)
        equalizer = try filter(early, "eq")
        early.live.stop()
      }
      defer { equalizer?.end() }
      let call = try Call()
      defer { call.live.stop() }
      guard call.isUnderstood else { return try call.waitForRefusal() }
      if !isFirst { equalizer = try filter(call, "eq") }
      // Idle, it uses nothing.
      try call.wait(for: "eq.stream", at: ["nearend.speaker"])
      try call.live.wait(for: "idle devices") { $0.graph.renderLinks == 0 && $0.graph.captureLinks == 0 }
      let player = try call.play()
      defer { player.end() }
      try call.wait(for: Call.player, at: ["eq"])
      try call.wait(for: "eq.stream", at: ["nearend.speaker"])
      try call.live.wait(forLinks: LiveGraph.speakerLinks)
      try call.hear()
      #expect(call.live.service.snapshot().route.speaker?.name == "hw.speaker")
      #expect(call.live.service.snapshot().route.defaults.bypasses.isEmpty)
      #expect(try call.defaults == Call.real)
      player.end()
      try call.live.wait(for: "idle devices again") { $0.graph.renderLinks == 0 }
      _ = session
    }

    @Test("R2, L3: an idle smart denoiser behind Nearend Microphone keeps the microphone closed; a program that records opens it")
    func denoiser() throws {
      let call = try Call()
      defer { call.live.stop() }
      guard call.isUnderstood else { return try call.waitForRefusal() }
      let denoiser = try filter(call, "denoiser", isSource: true)
      defer { denoiser.end() }
      try call.wait(for: "denoiser.stream", at: ["nearend.microphone"])
      try call.live.wait(for: "a closed microphone") { $0.graph.captureLinks == 0 && $0.session.state == .idle }
      let recorder = try call.session.spawn("pw-record", ["-P", "{ node.name = recorder }", "/dev/null"])
      try call.wait(for: "recorder", at: ["denoiser"])
      try call.live.wait(forActive: [LiveGraph.captureLink])
      recorder.end()
      try call.live.wait(for: "a closed microphone again") { $0.graph.captureLinks == 0 }
    }

    @Test("R2: an equalizer with the default speaker as its target leads past nearend, which says so")
    func target() throws {
      let call = try Call()
      defer { call.live.stop() }
      guard call.isUnderstood else { return try call.waitForRefusal() }
      let equalizer = try filter(call, "eq", target: "hw.speaker")
      defer { equalizer.end() }
      let player = try call.play()
      defer { player.end() }
      try call.wait(for: Call.player, at: ["eq"])
      try call.wait(for: "eq.stream", at: ["hw.speaker"])
      try call.live.wait(for: "it to be named") { $0.route.defaults.bypasses == ["eq"] }
    }
  }
}
