import Foundation
import Glibc
import Platform
import SessionModel
import Synchronization
import Testing

@testable import Nearend
@testable import PipeWireGraph
@testable import SimulatedHardware

extension GraphTests {
  @Suite("Recovery", .serialized)
  struct Recovery {
    private static let noise = Signals.noise(frames: 24_000, seed: 6)
    private static let sinkLinks = [
      ("nearend.sink.alice:monitor_FL", "nearend:alice_FL"), ("nearend.sink.alice:monitor_FR", "nearend:alice_FR"),
    ]

    /// Expects sound on both paths: from the far end to the speaker exactly, from the bypassed microphone exactly but delayed.
    private func expectAudio(_ live: LiveGraph, _ name: String) throws {
      let probe = try live.probe(
        name, play: ["far": Self.noise, "near": Self.noise], record: ["speaker", "voice"], frames: Self.noise.count)
      try live.link([
        (probe.playPort("far"), "nearend.speaker:playback_FL"), (probe.playPort("near"), "hw.mic:input_MONO"),
        ("nearend.microphone:capture_MONO", probe.recordPort("voice")),
      ])
      try live.wait(forActive: LiveGraph.fixedLinks + LiveGraph.speakerLinks + [LiveGraph.captureLink])
      // PipeWire 1.4.2 may freeze the filter if a session manager suspends its devices just as they are linked. The filter is then rebuilt,
      // and loses foreign links, so the probe's link comes last.
      let start = live.service.snapshot().graph.cycles
      try live.wait(for: "cycles") { $0.graph.cycles > start + 20 && $0.session.interruption == nil }
      try live.link([("nearend:speaker_FL", probe.recordPort("speaker"))])
      let recording = try probe.run()
      #expect(recording.isExact)
      #expect(difference(recording.samples["speaker"], Self.noise) == nil, "\(name): render path")
      let latency = live.service.snapshot().graph.captureLatency
      #expect(difference(recording.samples["voice"], Self.noise.delayed(by: latency)) == nil, "\(name): capture path at \(latency)")
    }

    @Test("I6: a daemon that crashes and comes back finds devices, links, sinks and settings as they were, within 2 s")
    func daemonCrashes() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      let service = live.service
      service.perform(.set(.bypassVoiceProcessing, true))
      service.perform(.set(.noiseSuppression, false))
      let ring = try service.addRingSink(id: "bruno", sampleRate: 16_000, channelCount: 1, bufferSize: 6_400)
      try service.addGraphSink(id: "alice")
      service.perform(.setSinkGain(id: "alice", 0.5))
      service.perform(.setSinkGain(id: "bruno", 0.25))
      try live.wait(forLinks: Self.sinkLinks)
      try expectAudio(live, "before")
      let before = service.snapshot()

      live.session.stop(.pipewire, with: SIGKILL)
      try live.wait(for: "the interruption") { $0.session.interruption?.reason == .daemonLost && !$0.graph.isConnected }
      #expect(service.snapshot().session.state == .interrupted)
      let first = try #require(service.snapshot().session.interruption?.duration)
      try live.wait(for: "the duration to grow") { ($0.session.interruption?.duration ?? 0) > first }
      #expect([Int16](repeating: 0, count: 160).withUnsafeBytes { ring.write($0) }, "a program's writes do not fail meanwhile")

      try live.session.start()
      let back = SimulatedHardware.monotonicSeconds()
      try live.wait(forLinks: LiveGraph.fixedLinks + Self.sinkLinks + LiveGraph.speakerLinks)
      let seconds = SimulatedHardware.monotonicSeconds() - back
      print("I6: whole again \(seconds) s after the session was")
      #expect(seconds < 2)
      let after = service.snapshot()
      #expect(after.session.interruption == nil)
      #expect(after.graph.isConnected)
      #expect(after.processing.isBypassed)
      #expect(after.processing.components.first { $0.component == .noiseSuppression }?.isRequested == false)
      #expect(after.sinks.map(\.id) == before.sinks.map(\.id))
      #expect(after.sinks.map(\.gain) == before.sinks.map(\.gain))
      #expect(after.log.contains { $0.level == .error && $0.message.contains("went away") })
      #expect(after.log.contains { $0.message.contains("is back after") })
      try expectAudio(live, "after")
    }

    @Test(
      "S4, I6: a daemon that is back has no devices for a moment, which interrupts nothing: who activates at once recovers",
      arguments: [false, true])
    func devicesAppearLater(isManual: Bool) throws {
      let live = try LiveGraph(.desk([.laptop]), isManual: isManual)
      defer { live.stop() }
      let service = live.service
      let heard = Mutex<[AudioEvent]>([])
      let subscription = service.events.subscribe { news in
        guard case .event(let event) = news else { return }
        heard.withLock { $0.append(event) }
        guard isManual, event.kind == .interruptionEnded, event.detail["reason"] == .string("daemonLost") else { return }
        service.session.send(.activatedExternally)
      }
      service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      if isManual { service.session.send(.activatedExternally) }
      try live.wait(for: "the call") { $0.graph.captureLinks > 0 && $0.graph.renderLinks == 2 && $0.graph.cycles > 10 }
      live.session.stop(.pipewire, with: SIGKILL)
      try live.wait(for: "the interruption") { $0.session.interruption?.reason == .daemonLost }
      // An activation in manual mode is told as a recovery, too.
      let before = heard.withLock { $0.count }
      try live.session.start()
      try live.session.wait(for: "didRecover") { heard.withLock { $0.dropFirst(before).contains { $0.kind == .didRecover } } }
      try live.wait(for: "the call again") { $0.graph.captureLinks > 0 && $0.graph.renderLinks == 2 }
      let others = heard.withLock { $0.filter { $0.kind == .interruptionBegan && $0.detail["reason"] != .string("daemonLost") } }
      #expect(others.isEmpty, "\(others)")
      let log = service.snapshot().log.map(\.message)
      #expect(!log.contains { $0.contains("no real device") || $0.contains("unplugged") || $0.hasSuffix(": none") }, "\(log)")
      let over = try #require(log.firstIndex { $0.hasPrefix("interruption (daemonLost) over") }, "\(log)")
      #expect(!log[over].contains("recovered"), "\(log)")
      #expect(log.indices.filter { log[$0].hasPrefix("recovered") }.allSatisfy { $0 > over }, "\(log)")
      #expect(log.count { $0.hasPrefix("recovered") } == 1, "\(log)")
      withExtendedLifetime(subscription) {}
    }

    @Test("I6: a session manager that crashes and comes back alone leaves nearend whole")
    func sessionManagerCrashes() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      live.service.perform(.set(.bypassVoiceProcessing, true))
      try expectAudio(live, "before")
      try live.session.restart(.wireplumber)
      try live.wait(forLinks: LiveGraph.fixedLinks)
      try expectAudio(live, "after")
      #expect(live.service.snapshot().session.interruption == nil)
    }

    @Test("I6: waiting for a daemon that is away uses up no file descriptors and no threads")
    func attemptsLeaveNothing() throws {
      func count(_ what: String) throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(what)").count }
      let (files, threads) = (try count("fd"), try count("task"))
      for _ in 0..<50 { #expect(throws: GraphError.self) { try GraphInspection.devices(remote: "/nonexistent/pipewire-0") } }
      // A leaked context keeps four files and a thread; other code in this process opens some files meanwhile.
      #expect(try count("fd") - files < 50)
      #expect(try count("task") - threads < 25)
    }

    @Test("I6: reconnecting to a daemon that accepts and dies at once leaks no descriptor and no thread")
    func reconnectionsLeaveNothing() throws {
      let session = try LiveGraph.ownSession()
      defer { session.end() }
      let live = try LiveGraph(.hardware, in: session)
      defer { live.stop() }
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try live.wait(for: "the call") { $0.graph.captureLinks == 1 && $0.graph.renderLinks == 2 }
      session.stop(.pipewire)
      try live.wait(for: "the loss") { !$0.graph.isConnected }
      let daemon = try ShortLivedDaemon(socket: session.socket)
      func count(_ what: String) throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(what)").count }
      func wait(forConnections number: Int) throws {
        try session.wait(for: "\(number) connections") {
          daemon.endConnections()
          return daemon.connections >= number
        }
      }
      try wait(forConnections: 12)
      let (files, threads) = (try count("fd"), try count("task"))
      try wait(forConnections: 48)
      #expect(try count("fd") - files < 20)
      #expect(live.service.snapshot().session.interruption?.reason == .daemonLost)
      #expect(!live.service.snapshot().log.contains { $0.message.contains("is back") })
      #expect(try count("task") - threads < 10)
      daemon.end()
      try session.start()
      try live.wait(for: "the call again") { $0.graph.captureLinks == 1 && $0.graph.renderLinks == 2 }
    }

    @Test("I6: a session manager that comes back while sound passes suspends the devices under their links, and sound passes again")
    func sessionManagerSuspendsDevices() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      live.service.perform(.set(.bypassVoiceProcessing, true))
      // Both use nearend throughout, so its links exist when the devices are suspended.
      let recorder = try live.probe("recorder", record: ["voice"], frames: 480)
      let player = try live.probe("player", play: ["far": []], record: ["unused"], frames: 480)
      let users = [
        ("nearend.microphone:capture_MONO", recorder.recordPort("voice")), (player.playPort("far"), "nearend.speaker:playback_FL"),
      ]
      try live.link(users)
      let own = LiveGraph.fixedLinks + LiveGraph.speakerLinks + [LiveGraph.captureLink] + LiveGraph.referenceLinks
      try live.wait(forActive: own)
      let serial = try #require(try GraphDump(live.session).link(LiveGraph.captureLink.0, LiveGraph.captureLink.1)).serial
      let suspensions = try SuspensionCounter(live.session, node: "hw.mic")
      try live.session.restart(.wireplumber)
      try live.session.wait(for: "the microphone to be suspended") { suspensions.count > 0 }
      if !live.revivesLinks {
        try live.session.wait(for: "the microphone's link anew") {
          try GraphDump(live.session).link(LiveGraph.captureLink.0, LiveGraph.captureLink.1).map { $0.serial != serial } ?? false
        }
      }
      // WirePlumber 0.5.18 makes the ports of nearend's devices anew, too, and nobody but the users links them again.
      try live.session.wait(for: "nearend's links") {
        let links = try live.session.links()
        for (from, to) in users where links[.init(from: from, to: to)] == nil { _ = try live.session.run("pw-link", from, to) }
        return own.allSatisfy { links[.init(from: $0.0, to: $0.1)] == "active" }
      }
      let probe = try live.probe(
        "after", play: ["far": Self.noise, "near": Self.noise], record: ["left", "right", "voice"], frames: Self.noise.count)
      try live.link([
        (probe.playPort("far"), "nearend.speaker:playback_FL"), (probe.playPort("far"), "nearend.speaker:playback_FR"),
        (probe.playPort("near"), "hw.mic:input_MONO"), ("nearend:speaker_FL", probe.recordPort("left")),
        ("nearend:speaker_FR", probe.recordPort("right")), ("nearend.microphone:capture_MONO", probe.recordPort("voice")),
      ])
      let recording = try probe.run()
      let played = Measures.level(Self.noise)
      for port in ["left", "right", "voice"] {
        let level = Measures.level(recording.samples[port] ?? [])
        #expect(abs(level - played) < 3, "\(port): \(level) dBFS of \(played)")
      }
      withExtendedLifetime((recorder, player)) {}
    }

    @Test("I6: links that change just as their device was suspended do not take the daemon with them")
    func linksChangeAfterSuspension() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      live.service.perform(.set(.bypassVoiceProcessing, true))
      let recorder = try live.probe("recorder", record: ["voice"], frames: 480)
      try live.link([("nearend.microphone:capture_MONO", recorder.recordPort("voice"))])
      for round in 1...8 {
        try live.wait(forActive: LiveGraph.speakerLinks + LiveGraph.referenceLinks)
        let speaker = try #require(try GraphDump(live.session).node("hw.speaker"))
        let serial = try #require(try GraphDump(live.session).link(LiveGraph.referenceLinks[1].0, LiveGraph.referenceLinks[1].1)).serial
        // The daemon learns that the speaker's links keep the device awake before nearend has answered about the suspended device.
        let graph = try #require(live.service.graph as? GraphController)
        try graph.loop.locked {
          _ = try live.session.run("pw-cli", "send-command", "\(speaker.id)", "Suspend", "{}")
          _ = try live.service.addRingSink(id: "guest\(round)", sampleRate: 48_000, channelCount: 1, bufferSize: 9_600)
        }
        if live.revivesLinks {
          let cycles = live.service.snapshot().graph.cycles
          try live.wait(for: "sound again") { $0.graph.cycles > cycles + 10 }
          // Cycles alone prove nothing: they also run without the speaker.
          try live.wait(forActive: LiveGraph.speakerLinks + LiveGraph.referenceLinks)
        } else {
          try live.session.wait(for: "the reference's link anew") {
            try GraphDump(live.session).link(LiveGraph.referenceLinks[1].0, LiveGraph.referenceLinks[1].1).map { $0.serial != serial }
              ?? false
          }
        }
        live.service.removeSink(id: "guest\(round)")
      }
      #expect(live.session.isRunning(.pipewire))
      #expect(live.service.snapshot().session.interruption == nil)
      try live.wait(forActive: LiveGraph.speakerLinks + LiveGraph.referenceLinks)
      withExtendedLifetime(recorder) {}
    }

    @Test("I6: nearend's links and devices that somebody destroys are made again")
    func destroyed() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      live.service.perform(.set(.bypassVoiceProcessing, true))
      let recorder = try live.probe("near", record: ["voice"], frames: 480)
      let player = try live.probe("far", play: ["left": []], record: ["unused"], frames: 480)
      func join() throws {
        try live.link([
          ("nearend.microphone:capture_MONO", recorder.recordPort("voice")), (player.playPort("left"), "nearend.speaker:playback_FL"),
        ])
      }
      try join()
      let all = LiveGraph.fixedLinks + LiveGraph.speakerLinks + [LiveGraph.captureLink] + LiveGraph.referenceLinks
      try live.wait(forActive: all)
      for (from, to) in all {
        let old = try #require(try GraphDump(live.session).link(from, to))
        _ = try live.session.run("pw-cli", "destroy", "\(old.id)")
        try live.session.wait(for: "the link \(from) → \(to) again") {
          try GraphDump(live.session).link(from, to).map { $0.serial != old.serial && $0.state == "active" } ?? false
        }
      }
      try live.wait(forActive: all)
      for name in ["nearend.speaker", "nearend.microphone"] {
        let old = try #require(try GraphDump(live.session).node(name))
        _ = try live.session.run("pw-cli", "destroy", "\(old.id)")
        try live.session.wait(for: "\(name) again") {
          try GraphDump(live.session).nodes.contains { $0.name == name && $0.serial != old.serial }
        }
        try live.wait(forLinks: LiveGraph.fixedLinks)
        try join()
      }
      try expectAudio(live, "after")
      withExtendedLifetime((recorder, player)) {}
    }
  }
}

/// A stand-in for a daemon that closes each connection at once.
private final class ShortLivedDaemon {
  private let descriptor: Int32
  private let path: String
  private(set) var connections = 0

  init(socket path: String) throws {
    self.path = path
    unlink(path)
    descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    guard bound == 0, listen(descriptor, 64) == 0 else { throw SystemError.last }
  }

  func endConnections() {
    while case let connection = accept(descriptor, nil, nil), connection >= 0 {
      connections += 1
      close(connection)
    }
  }

  func end() {
    close(descriptor)
    unlink(path)
  }
}
