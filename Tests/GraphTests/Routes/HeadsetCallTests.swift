import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import TestSupport
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("A call with a Bluetooth headset", .serialized)
  struct HeadsetCalls {
    private static let sink = "bluez_output.00_11_22_33_44_55.1"
    private static let source = "bluez_input.00_11_22_33_44_55.0"
    private static let laptopSpeaker = "alsa_output.pci-0000_00_1f.3.analog-stereo"
    private static let laptopMicrophone = "alsa_input.pci-0000_00_1f.3.analog-stereo"

    /// Waits until both directions of the headset are in use.
    private func waitForCall(_ live: LiveGraph) throws {
      try live.wait(for: "both directions") { now in
        now.graph.captureLinks == 1 && now.graph.renderLinks == 2 && now.route.microphone?.portType == .bluetoothHFP
          && now.route.speaker?.portType == .bluetoothHFP
      }
    }

    private func pass(_ live: LiveGraph, cycles count: UInt64 = 30) throws {
      let start = live.service.snapshot().graph.cycles
      try live.wait(for: "\(count) cycles") { $0.graph.cycles > start + count }
    }

    @Test(
      "R6, I5: one SCO link in a call: to both directions, muted, unmuted, in the background and back; by default the lost seat gives it up",
      arguments: [InterruptionOptions.Inactivity.goOn, .stop])
    func oneLink(whenInactive: InterruptionOptions.Inactivity) throws {
      let live = try LiveGraph(.seatedDesk([.laptop, .bluetooth])) { $0.interruptions.whenInactive = whenInactive }
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      let login = try #require(live.session.loginManager)
      let session = live.service.session
      session.send(.registerMedia(id: "ear", isSend: false, isReceive: true))
      try live.wait(for: "music") { $0.graph.renderLinks == 2 && $0.route.speaker?.portType == .bluetoothA2DP }
      try pass(live)
      #expect(desk.scoEvents.isEmpty, "who only listens needs no call")
      session.send(.registerMedia(id: "mouth", isSend: true, isReceive: false))
      try waitForCall(live)
      try live.session.wait(for: "the SCO link") { desk.isScoUp }
      // The headset would return to its music profile 3 s after the last recording.
      let graph = live.service.snapshot().graph
      let debounce = UInt64(3.3 * Double(graph.rate) / Double(graph.quantum))
      for mode in whenInactive == .goOn ? ["voiceProcessing", "restart"] : [] {
        try live.service.set(.microphoneMuteMode, to: .string(mode))
        live.service.perform(.set(.microphoneMuted, true))
        try pass(live, cycles: debounce)
        live.service.perform(.set(.microphoneMuted, false))
        try waitForCall(live)
      }
      login.setActive(false)
      try live.session.wait(for: "the background") { !session.current.isInForeground }
      if whenInactive == .goOn {
        try pass(live)
      } else {
        try live.session.wait(for: "the headset to be free") { !desk.isScoUp }
      }
      login.setActive(true)
      try waitForCall(live)
      try pass(live)
      let changes = desk.scoEvents.map(\.change)
      #expect(changes == (whenInactive == .goOn ? [.setUp] : [.setUp, .tearDown, .setUp]))
      print("R6: --when-inactive \(whenInactive.rawValue): SCO \(desk.scoEvents.map { "\($0.change.rawValue) (\($0.reason.rawValue))" })")
    }

    @Test(
      "R6, I1, I4: a headset that is the only device changes its profile in a call without an interruption: a call manager's activation stays",
      arguments: [false, true])
    func onlyDevice(isManual: Bool) throws {
      let live = try LiveGraph(.desk([.bluetooth]), isManual: isManual)
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      let session = live.service.session
      let interruptions = EventRecord(live.service, .interruptionBegan)
      session.send(.registerMedia(id: "ear", isSend: false, isReceive: true))
      if isManual { session.send(.activatedExternally) }
      try live.wait(for: "music") { $0.graph.renderLinks == 2 && $0.route.speaker?.portType == .bluetoothA2DP }
      for _ in 0..<2 {
        session.send(.registerMedia(id: "mouth", isSend: true, isReceive: false))
        try waitForCall(live)
        session.send(.unregisterMedia(id: "mouth"))
        try live.wait(for: "music again") { $0.graph.renderLinks == 2 && $0.route.speaker?.portType == .bluetoothA2DP }
      }
      #expect(interruptions.all.isEmpty)
      #expect(live.service.snapshot().session.state == .active)
      desk.unplug(.bluetooth)
      try live.wait(for: "nothing: that is an interruption") { $0.session.interruption?.reason == .noDevice }
    }

    @Test("R6: recording from the source that WirePlumber 0.5 gives a headset in music too switches it to calls, whatever the speaker is")
    func sourceInMusic() throws {
      let live = try LiveGraph(.desk([.laptop, .bluetooth]), usesVoiceProcessing: false)
      defer { live.stop() }
      let loopback = try HeadsetLoopback(wirePlumber: live.session.wirePlumberVersion()) ?? .smartFilter
      let desk = try #require(live.session.desk)
      let process = try live.session.spawn(loopback)
      func profile() -> String? { desk.card(.bluetooth)?.activeProfile.name }
      func microphones() -> [String] { live.service.snapshot().route.devices.filter { $0.direction == .input }.map(\.name).sorted() }
      let offered = [Self.laptopMicrophone, HeadsetLoopback.source]
      live.service.perform(.set(.speaker, .string(Self.laptopSpeaker)))
      try live.wait(for: "the headset's source") {
        $0.route.microphone?.name == HeadsetLoopback.source && $0.route.speaker?.name == Self.laptopSpeaker
      }
      #expect(microphones() == offered)
      #expect(live.service.snapshot().route.microphone?.portType == .bluetoothHFP)
      #expect(profile() == "a2dp-sink")
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try live.session.wait(for: "the call's profile") { profile() == "headset-head-unit" }
      try live.wait(for: "its microphone") { $0.graph.captureLinks == 1 && $0.route.microphone?.portType == .bluetoothHFP }
      #expect(live.service.snapshot().route.speaker?.name == Self.laptopSpeaker)
      try live.session.wait(forPorts: ["\(loopback.ownSource):input_MONO"])
      try pass(live)
      #expect(live.service.snapshot().route.microphone?.name == HeadsetLoopback.source)
      #expect(microphones() == offered, "the headset is one microphone, and its own source none")
      try hear(live, through: loopback)
      live.service.session.send(.unregisterMedia(id: "call"))
      try live.session.wait(for: "music") { profile() == "a2dp-sink" }
      live.service.perform(.set(.microphone, .string(Self.laptopMicrophone)))
      try live.wait(for: "the laptop's microphone") { $0.route.microphone?.name == Self.laptopMicrophone }
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try live.wait(for: "the call") { $0.graph.captureLinks > 0 && $0.graph.renderLinks == 2 }
      let graph = live.service.snapshot().graph
      try pass(live, cycles: UInt64(1.5 * Double(graph.rate) / Double(graph.quantum)))
      #expect(profile() == "a2dp-sink", "whoever picked another microphone wants music as good as it can be")
      withExtendedLifetime(process) {}
    }

    /// Shows that a voice at the headset's own source reaches the call, where WirePlumber links the loopback to it.
    private func hear(_ live: LiveGraph, through loopback: HeadsetLoopback) throws {
      guard try HeadsetLoopback(wirePlumber: live.session.wirePlumberVersion()) != nil else { return }
      try live.session.wait(for: "the headset's own source to be linked") {
        try live.session.links().keys.contains { $0.from == "\(loopback.ownSource):capture_MONO" }
      }
      let rate = live.service.snapshot().graph.rate
      let probe = try live.probe(
        play: ["near": sine(1_500, frames: 4 * rate, rate: rate, level: 0.25)], record: ["voice"], frames: 4 * rate)
      try live.link([
        (probe.playPort("near"), "\(loopback.ownSource):input_MONO"), ("nearend.microphone:capture_MONO", probe.recordPort("voice")),
      ])
      let samples = Array(try #require(probe.run().samples["voice"]).suffix(3 * rate).prefix(2 * rate))
      let share = Measures.share(ofTone: 1_500, in: samples, rate: rate)
      print("R6: \(loopback.rawValue): \(Measures.medianLevel(samples, piece: rate / 10)) dBFS, \(share) of it the tone")
      #expect(abs(Measures.medianLevel(samples, piece: rate / 10) + 15.05) < 0.5)
      #expect(share > 0.98)
    }

    @Test(
      "R6: on HFP, 16 kHz mono, sound goes both ways at its own level and pitch, whatever the graph's rate", arguments: [48_000, 16_000])
    func sound(rate: Int) throws {
      let live = try LiveGraph(.seatedDesk([.laptop, .bluetooth]), usesVoiceProcessing: false)
      defer { live.stop() }
      try live.session.force(rate: rate)
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try waitForCall(live)
      let nodes = try #require(live.session.desk?.card(.bluetooth)).activeProfile.nodes
      #expect(nodes.map(\.name) == [Self.source, Self.sink])
      #expect(nodes.allSatisfy { $0.rate == 16_000 && $0.positions == ["MONO"] })
      let seconds = 4
      func tone(_ frequency: Double) -> [Float] {
        sine(frequency, frames: seconds * rate, rate: rate, level: 0.25)
      }
      let probe = try live.probe(
        play: ["far": tone(1_000), "near": tone(1_500)], record: ["headset", "voice"], frames: seconds * rate)
      try live.link([
        (probe.playPort("far"), "nearend.speaker:playback_FL"), (probe.playPort("far"), "nearend.speaker:playback_FR"),
        ("\(Self.sink):monitor_MONO", probe.recordPort("headset")), (probe.playPort("near"), "\(Self.source):input_MONO"),
        ("nearend.microphone:capture_MONO", probe.recordPort("voice")),
      ])
      let recording = try probe.run()
      #expect(recording.rate == rate)
      #expect(live.service.snapshot().graph.rate == rate)
      for (port, frequency) in [("headset", 1_000.0), ("voice", 1_500)] {
        // Without the end: playback may begin a cycle of 0.13 s before the recording.
        let samples = Array(try #require(recording.samples[port]).suffix(3 * rate + rate / 4).prefix(3 * rate))
        let (level, share) = (
          Measures.medianLevel(samples, piece: rate / 10), Measures.share(ofTone: frequency, in: samples, rate: rate)
        )
        print("R6: graph at \(rate) Hz, \(port): \(level) dBFS, \(share) of it the tone of \(Int(frequency)) Hz")
        // A sine of 0.25 has −15.05 dBFS.
        #expect(abs(level + 15.05) < 0.5)
        #expect(share > 0.98)
      }
    }
  }
}
