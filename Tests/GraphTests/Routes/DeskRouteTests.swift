import Nearend
import PipeWireGraph
import SessionModel
import Synchronization
import Testing

@testable import SimulatedHardware

/// Records every event of a kind, in order.
final class EventRecord: Sendable {
  private let events = Mutex<[AudioEvent]>([])
  private let subscription = Mutex<EventBus.Subscription?>(nil)

  init(_ service: NearendService, _ kind: AudioEvent.Kind) {
    let subscription = service.events.subscribe { [weak self] news in
      if case .event(let event) = news, event.kind == kind { self?.events.withLock { $0.append(event) } }
    }
    self.subscription.withLock { $0 = subscription }
  }

  var all: [AudioEvent] { events.withLock { $0 } }
  func texts(_ key: String) -> [String] {
    all.compactMap { if case .string(let text)? = $0.detail[key] { text } else { nil } }
  }
}

extension GraphTests {
  @Suite("Routes on a desk", .serialized)
  struct DeskRoutes {
    private static let laptopSpeaker = "alsa_output.pci-0000_00_1f.3.analog-stereo"
    private static let usb = "alsa_output.usb-Simulated_USB_Headset-00.analog-stereo"
    private static let screen = "alsa_output.pci-0000_01_00.1.hdmi-stereo"

    private func types(_ live: LiveGraph) -> [PortType] {
      let route = live.service.snapshot().route.current
      return (route.inputs + route.outputs).map(\.portType)
    }

    private func wait(_ live: LiveGraph, for types: [PortType]) throws {
      try live.session.wait(
        for: "the route \(types)",
        detail: { "it is \(self.types(live)); \(live.service.snapshot().log.suffix(5).map(\.message))" }
      ) { self.types(live) == types }
    }

    /// Registers media that receives, and by default sends.
    private func call(_ live: LiveGraph, isSend: Bool = true) throws {
      live.service.session.send(.registerMedia(id: "call", isSend: isSend, isReceive: true))
      try live.wait(for: "the speaker's links") { $0.graph.renderLinks == 2 }
    }

    @Test("R3, R4: headphones in the jack and out of it: ports, reasons and previous routes, in events and in the log")
    func jack() throws {
      let live = try LiveGraph(.desk([.laptop]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      let changes = EventRecord(live.service, .routeChange)
      let devices = EventRecord(live.service, .deviceChange)
      try wait(live, for: [.builtInMic, .builtInSpeaker])
      desk.set(.headphones, isPlugged: true)
      try wait(live, for: [.builtInMic, .headphones])
      try live.session.wait(for: "the event") { changes.all.count == 1 }
      desk.set(.headphones, isPlugged: false)
      try wait(live, for: [.builtInMic, .builtInSpeaker])
      try live.session.wait(for: "the event") { changes.all.count == 2 }
      #expect(changes.texts("reason") == ["newDeviceAvailable", "oldDeviceUnavailable"])
      #expect(changes.texts("outputs") == ["headphones \(Self.laptopSpeaker)", "builtInSpeaker \(Self.laptopSpeaker)"])
      #expect(changes.texts("previousOutputs") == ["builtInSpeaker \(Self.laptopSpeaker)", "headphones \(Self.laptopSpeaker)"])
      let change = try #require(changes.all.last?.routeChange)
      #expect(change.reason == .oldDeviceUnavailable)
      #expect(change.previousRoute.outputs.map(\.portType) == [.headphones] && change.route.outputs.map(\.portType) == [.builtInSpeaker])
      #expect(change.previousRoute.outputs.first?.isPrivate == true)
      #expect(devices.all.isEmpty, "the same devices all along")
      let log = live.service.snapshot().log.map(\.message)
      #expect(log.contains("route builtInMic > nearend > headphones, was builtInMic > nearend > builtInSpeaker: newDeviceAvailable"))
      let port = try #require(live.service.snapshot().route.current.outputs.first)
      #expect(port.port == "analog-output-speaker")
      #expect(port.device == "alsa_card.pci-0000_00_1f.3")
    }

    @Test("R3: a device with nothing plugged in is a candidate marked so, and not chosen by default")
    func availability() throws {
      let live = try LiveGraph(.desk([.laptop, .usb, .hdmi]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      try call(live)
      desk.set(.television, isPlugged: true)
      try live.wait(for: "the television") { $0.route.devices.contains { $0.name == Self.screen && $0.availability == .yes } }
      let devices = live.service.snapshot().route.devices
      #expect(devices.first { $0.name == Self.usb }?.portType == .usbAudio)
      #expect(devices.first { $0.name == Self.screen }?.portType == .hdmi)
      live.service.perform(.set(.speaker, .string(Self.screen)))
      try live.wait(for: "the television to be used") { $0.route.speaker?.name == Self.screen }
      live.service.perform(.set(.speaker, ""))
      desk.set(.television, isPlugged: false)
      try live.wait(for: "another speaker") { $0.route.speaker.map { $0.name != Self.screen } ?? false }
    }

    @Test("R4: a USB headset that comes and goes, a device that is picked, the last device that goes")
    func reasons() throws {
      let live = try LiveGraph(.desk([.laptop]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      try wait(live, for: [.builtInMic, .builtInSpeaker])
      let changes = EventRecord(live.service, .routeChange)
      desk.plug(.usb)
      try live.wait(for: "the headset") { $0.route.devices.contains { $0.name == Self.usb } }
      live.service.perform(.set(.speaker, .string(Self.usb)))
      try live.session.wait(for: "the pick") { changes.texts("reason").last == "override" }
      desk.unplug(.usb)
      try live.session.wait(for: "its end") { changes.texts("reason").last == "oldDeviceUnavailable" }
      desk.plug(.usb)
      try live.session.wait(for: "its return") { changes.texts("reason").last == "newDeviceAvailable" }
      desk.unplug(.usb)
      desk.unplug(.laptop)
      try live.session.wait(for: "nothing") { changes.texts("reason").last == "noSuitableRoute" }
      #expect(changes.texts("outputs").last == "")
      desk.plug(.laptop)
      try live.session.wait(for: "a route again") { changes.texts("reason").last == "newDeviceAvailable" }
    }

    // MARK: R5

    @Test("R5: headphones gone: nothing is heard, no underrun is counted, and the ring's content is played on resuming")
    func pause() throws {
      let live = try LiveGraph(.desk([.laptop]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      desk.set(.headphones, isPlugged: true)
      try wait(live, for: [.builtInMic, .headphones])
      let sink = try live.service.addRingSink(id: "alice", sampleRate: 48_000, channelCount: 1, bufferSize: 96_000)
      try live.wait(for: "cycles") { $0.graph.cycles > 0 }
      let tone = [Int16](repeating: 8_000, count: 9_600)
      func write() -> Bool { tone.withUnsafeBytes { sink.write($0) } }
      func status() -> SinkStatus? { live.service.snapshot().sinks.first }
      try live.session.wait(for: "playing") {
        _ = write()
        return status()?.state == .playing
      }
      desk.set(.headphones, isPlugged: false)
      try live.wait(for: "the pause") { $0.route.isPausedAfterUnplug }
      func pass(_ count: UInt64) throws {
        let start = live.service.snapshot().graph.cycles
        try live.wait(for: "\(count) cycles") { $0.graph.cycles > start + count }
      }
      try pass(10)
      try live.session.wait(for: "silence") { live.service.snapshot().processing.speakerLevel < -100 }
      // The ring is full: the writer blocks from here on.
      while write() {}
      live.service.perform(.clearCounters)
      let read = try #require(status()).framesRead
      try pass(30)
      let held = try #require(status())
      #expect(held.framesRead == read)
      #expect(held.totalUnderruns == 0)
      #expect(live.service.snapshot().processing.speakerLevel < -100)
      #expect(live.service.snapshot().route.current.outputs.first?.portType == .builtInSpeaker)
      live.service.perform(.resumeAfterUnplug)
      try live.session.wait(for: "playing again") {
        _ = write()
        let snapshot = live.service.snapshot()
        return snapshot.sinks.first?.state == .playing && snapshot.processing.speakerLevel > -40
      }
      #expect(!live.service.snapshot().route.isPausedAfterUnplug)
      live.service.removeSink(id: "alice")
    }

    @Test("S5: with automatic configuration off unplugged headphones do not pause, and a missing device does not interrupt")
    func automaticConfigurationOff() throws {
      let live = try LiveGraph(.desk([.laptop]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      desk.set(.headphones, isPlugged: true)
      try wait(live, for: [.builtInMic, .headphones])
      try call(live)
      let interruptions = EventRecord(live.service, .interruptionBegan)
      live.service.session.send(.setAutomaticConfiguration(false))
      try live.wait(for: "no link of ours to the speaker") { $0.graph.renderLinks == 0 }
      desk.set(.headphones, isPlugged: false)
      try wait(live, for: [.builtInMic, .builtInSpeaker])
      #expect(!live.service.snapshot().route.isPausedAfterUnplug)
      desk.unplug(.laptop)
      try live.wait(for: "no device") { $0.route.devices.isEmpty && $0.route.current.isEmpty }
      #expect(live.service.snapshot().session.state == .active)
      #expect(interruptions.all.isEmpty)
      live.service.session.send(.setAutomaticConfiguration(true))
      try live.wait(for: "the interruption") { $0.session.interruption?.reason == .noDevice }
      desk.plug(.laptop)
      try live.wait(for: "the call") { $0.graph.renderLinks == 2 && $0.session.interruption == nil }
    }

    @Test("R5: a headset that is unplugged pauses; plugged in again, it goes on by itself; switched off, the room hears it")
    func plugAgain() throws {
      let live = try LiveGraph(.desk([.laptop, .usb]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      live.service.perform(.set(.speaker, .string(Self.usb)))
      try call(live)
      try live.wait(for: "the headset") { $0.route.current.outputs.first?.isPrivate == true }
      desk.unplug(.usb)
      try live.wait(for: "the pause") { $0.route.isPausedAfterUnplug && $0.route.speaker?.name == Self.laptopSpeaker }
      desk.plug(.usb)
      try live.wait(for: "no pause") { !$0.route.isPausedAfterUnplug && $0.route.speaker?.name == Self.usb }
      try live.service.set(.pauseOnUnplug, to: .bool(false))
      desk.unplug(.usb)
      try live.wait(for: "the other speaker") { $0.route.speaker?.name == Self.laptopSpeaker && $0.graph.renderLinks == 2 }
      #expect(!live.service.snapshot().route.isPausedAfterUnplug)
    }

    @Test("R5: headphones pulled out while another headset is on the desk: the room hears nothing, whatever is the default meanwhile")
    func secondHeadset() throws {
      let live = try LiveGraph(.desk([.laptop, .usb]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      // Both devices have the same priority.
      _ = try live.session.run(
        "pw-metadata", "0", "default.configured.audio.sink", "{ \"name\": \"\(Self.laptopSpeaker)\" }", "Spa:String:JSON")
      desk.set(.headphones, isPlugged: true)
      try call(live)
      try live.wait(for: "headphones") { $0.route.current.outputs.first?.portType == .headphones }
      desk.set(.headphones, isPlugged: false)
      try live.wait(for: "the room's speaker") { $0.route.current.outputs.first?.portType == .builtInSpeaker }
      #expect(live.service.snapshot().route.isPausedAfterUnplug, "\(live.service.snapshot().log.suffix(8).map(\.message))")
    }

    @Test("R1: while nearend's devices are the defaults, what would be the default is followed, as it comes and goes")
    func oursAreDefault() throws {
      let live = try LiveGraph(.desk([.laptop])) { $0.settings.defaultDeviceMode = .on }
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      try live.wait(for: "ours to be the default") { $0.route.areOursDefault }
      try wait(live, for: [.builtInMic, .builtInSpeaker])
      desk.plug(.bluetooth)
      try wait(live, for: [.builtInMic, .bluetoothA2DP])
      live.service.perform(.set(.speaker, .string(Self.laptopSpeaker)))
      try wait(live, for: [.builtInMic, .builtInSpeaker])
      live.service.perform(.set(.speaker, ""))
      try wait(live, for: [.builtInMic, .bluetoothA2DP])
      desk.unplug(.bluetooth)
      try wait(live, for: [.builtInMic, .builtInSpeaker])
      desk.plug(.hdmi)
      desk.set(.television, isPlugged: true)
      try live.wait(for: "a television, which has a lower priority") { $0.route.devices.contains { $0.name == Self.screen } }
      try wait(live, for: [.builtInMic, .builtInSpeaker])
      #expect(live.service.snapshot().route.areOursDefault)
    }

    // MARK: R6, R7

    @Test("R6, R7: one SCO link per call, not torn down while it sends; music again afterwards; nearend's nodes stay the same")
    func bluetooth() throws {
      let live = try LiveGraph(.desk([.laptop, .bluetooth]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      try wait(live, for: [.builtInMic, .bluetoothA2DP])
      let changes = EventRecord(live.service, .routeChange)
      let filter = try #require(live.service.snapshot().graph.nodeId)
      let ours = try GraphDump(live.session).ourNodes
      try call(live, isSend: false)
      live.service.session.send(.registerMedia(id: "voice", isSend: true, isReceive: false))
      try wait(live, for: [.bluetoothHFP, .bluetoothHFP])
      try live.wait(for: "both directions") { $0.graph.captureLinks == 1 && $0.graph.renderLinks == 2 }
      try live.session.wait(for: "the SCO link") { desk.isScoUp }
      #expect(!live.service.snapshot().route.isPausedAfterUnplug)
      for muted in [true, false] { live.service.perform(.set(.microphoneMuted, .bool(muted))) }
      live.service.session.send(.unregisterMedia(id: "voice"))
      live.service.session.send(.registerMedia(id: "voice", isSend: true, isReceive: false))
      live.service.session.send(.unregisterMedia(id: "call"))
      let cycles = live.service.snapshot().graph.cycles
      try live.wait(for: "cycles") { $0.graph.cycles > cycles + 50 }
      #expect(live.service.snapshot().graph.renderLinks == 2, "send-only, and both directions stay")
      #expect(desk.scoEvents.map(\.change) == [.setUp])
      live.service.session.send(.unregisterMedia(id: "voice"))
      try wait(live, for: [.builtInMic, .bluetoothA2DP])
      try live.session.wait(for: "the events") { changes.all.count == 2 }
      #expect(changes.texts("reason") == ["categoryChange", "categoryChange"], "\(changes.all.map(\.detail))")
      #expect(desk.scoEvents.map(\.change) == [.setUp, .tearDown])
      #expect(live.service.snapshot().graph.nodeId == filter)
      #expect(try GraphDump(live.session).ourNodes.count == ours.count)
    }

    @Test("R6: a headset that goes in a call pauses it, whatever its card does first")
    func bluetoothGoes() throws {
      let live = try LiveGraph(.desk([.laptop, .bluetooth]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      try wait(live, for: [.builtInMic, .bluetoothA2DP])
      try call(live)
      try wait(live, for: [.bluetoothHFP, .bluetoothHFP])
      desk.unplug(.bluetooth)
      try live.wait(for: "the pause") { $0.route.isPausedAfterUnplug }
      try wait(live, for: [.builtInMic, .builtInSpeaker])
      desk.plug(.bluetooth)
      try live.wait(for: "the headset again") { !$0.route.isPausedAfterUnplug }
      try wait(live, for: [.bluetoothHFP, .bluetoothHFP])
    }

    @Test("R6: on exit, or after a crash in a call, the headset is back to music")
    func bluetoothRestored() throws {
      let session: PrivateSession
      let desk: Desk
      do {
        let live = try LiveGraph(.desk([.laptop, .bluetooth]))
        defer { live.stop() }
        session = live.session
        desk = try #require(live.session.desk)
        try wait(live, for: [.builtInMic, .bluetoothA2DP])
        try call(live)
        try wait(live, for: [.bluetoothHFP, .bluetoothHFP])
      }
      try session.wait(for: "A2DP after leaving") { desk.card(.bluetooth)?.activeProfile.name == "a2dp-sink" }
      let left = #"{"formerDefaults":{},"headset":{"card":"bluez_card.00_11_22_33_44_55","former":"a2dp-sink","ours":"headset-head-unit"}}"#
      try left.write(toFile: "\(session.path)/state/nearend/restore.json", atomically: true, encoding: .utf8)
      try desk.select(profile: "headset-head-unit", of: .bluetooth)
      let live = try LiveGraph(.desk([]), in: session)
      defer { live.stop() }
      try session.wait(for: "A2DP after a crash") { desk.card(.bluetooth)?.activeProfile.name == "a2dp-sink" }
    }
  }
}
