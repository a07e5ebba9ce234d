import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("Lifecycle", .serialized)
  struct Lifecycle {
    /// Starts an application that records as a PulseAudio client.
    private func record(_ live: LiveGraph) throws -> ChildProcess {
      try live.session.spawn("parec", ["--device=nearend.microphone", "--client-name=recorder"])
    }

    /// Starts an application that plays endless silence.
    private func play(_ live: LiveGraph, to device: String) throws -> ChildProcess {
      try live.session.spawn("pacat", ["--playback", "--device=\(device)", "--client-name=player", "/dev/zero"])
    }

    @Test("L1: one node named nearend and its two devices, nothing else")
    func oneNode() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let nodes = try GraphDump(live.session).ourNodes
      #expect(nodes.map(\.name).sorted() == ["nearend", "nearend.microphone", "nearend.speaker"])
      #expect(Dictionary(uniqueKeysWithValues: nodes.map { ($0.name, $0.mediaClass) })["nearend.speaker"] == "Audio/Sink")
      #expect(Dictionary(uniqueKeysWithValues: nodes.map { ($0.name, $0.mediaClass) })["nearend.microphone"] == "Audio/Source/Virtual")
      _ = try live.service.addRingSink(id: "alice", sampleRate: 16_000, channelCount: 1, bufferSize: 6_400)
      try live.wait(for: "alice") { $0.session.receiveMedia == ["alice"] && $0.graph.renderLinks == 2 }
      #expect(try GraphDump(live.session).ourNodes.count == 3, "a ring sink is no node")
    }

    @Test("O1: the audio thread's realtime priority is told as chrt tells it, none included, from the first cycle on")
    func priority() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      #expect(live.service.snapshot().graph.realtimePriority == nil, "no cycle has run")
      let client = try record(live)
      defer { client.end() }
      try live.wait(for: "cycles") { $0.graph.cycles > 10 && $0.graph.realtimePriority != nil }
      let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
      let priorities = threads.compactMap { thread -> Int? in
        // "pid 1's current scheduling priority: 0"
        let text = try? live.session.run("chrt", "--pid", thread).output
        return text?.firstMatch(of: /scheduling priority: ([0-9]+)/).flatMap { Int($0.output.1) }
      }
      #expect(!priorities.isEmpty)
      #expect(live.service.snapshot().graph.realtimePriority == priorities.max())
    }

    @Test("L3, L4: a stream that records from Nearend Microphone is send media and opens the real microphone; its end closes it")
    func recording() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      #expect(try GraphDump(live.session).links(from: "hw.mic").isEmpty)
      let client = try record(live)
      try live.wait(for: "the recorder to be send media") { $0.session.sendMedia.count == 1 && $0.graph.captureLinks == 1 }
      #expect(live.service.snapshot().session.receiveMedia == [])
      #expect(live.service.snapshot().session.state == .active)
      try live.wait(forActive: [LiveGraph.captureLink])
      let second = try record(live)
      try live.wait(for: "the second recorder") { $0.session.sendMedia.count == 2 }
      second.end()
      try live.wait(for: "the second recorder to leave") { $0.session.sendMedia.count == 1 }
      #expect(live.service.snapshot().graph.captureLinks == 1)
      client.end()
      try live.wait(for: "the microphone to be closed") { $0.session.sendMedia.isEmpty && $0.graph.captureLinks == 0 }
      #expect(live.service.snapshot().session.state == .idle)
      let dump = try GraphDump(live.session)
      #expect(dump.links(from: "hw.mic").isEmpty)
      #expect(dump.links(to: "hw.speaker").isEmpty)
      #expect(dump.links(from: "hw.speaker").isEmpty)
    }

    @Test("L3, L4: a stream that plays into Nearend Speaker is receive media, and the microphone stays closed")
    func playing() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let client = try play(live, to: "nearend.speaker")
      try live.wait(for: "the player to be receive media") { $0.session.receiveMedia.count == 1 && $0.graph.renderLinks == 2 }
      try live.wait(forActive: LiveGraph.speakerLinks)
      let snapshot = live.service.snapshot()
      #expect(snapshot.session.sendMedia == [])
      #expect(snapshot.graph.captureLinks == 0)
      #expect(try GraphDump(live.session).links(from: "hw.mic").isEmpty)
      client.end()
      try live.wait(for: "the player to leave") { $0.session.receiveMedia.isEmpty && $0.graph.renderLinks == 0 }
      #expect(live.service.snapshot().session.state == .idle)
    }

    @Test("L4: with nobody there no cycle runs, even while another application plays to the real speaker")
    func idle() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let client = try record(live)
      try live.wait(for: "cycles") { $0.graph.cycles > 10 }
      client.end()
      try live.wait(for: "the microphone to be closed") { $0.graph.captureLinks == 0 }
      let other = try play(live, to: "hw.speaker")
      defer { other.end() }
      try live.session.wait(for: "the other application to play") {
        try GraphDump(live.session).links(to: "hw.speaker").contains { $0.state == "active" }
      }
      try expectRest(live)
    }

    /// Expects nearend's nodes to become idle, and none of their cycles to run while the real speaker's do.
    private func expectRest(_ live: LiveGraph) throws {
      try live.session.wait(for: "nearend's nodes to rest") { try GraphDump(live.session).ourNodes.allSatisfy { $0.state != "running" } }
      let before = live.service.snapshot().graph.cycles
      // The graph runs for half a second of its own clock.
      let clock = try live.probe("clock", record: ["monitor"], frames: 24_000)
      try live.link([("hw.speaker:monitor_FL", clock.recordPort("monitor"))])
      let passed = try clock.run()
      #expect(passed.cycles > 1)
      #expect(live.service.snapshot().graph.cycles == before)
    }

    @Test("L4: a ring sink alone keeps the real speaker running, also after others who played; without it no cycle runs")
    func ringSinkKeepsAwake() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      _ = try live.service.addRingSink(id: "alice", sampleRate: 16_000, channelCount: 1, bufferSize: 6_400)
      try live.wait(for: "the real speaker to drive") { $0.graph.cycles > 10 && $0.graph.driver == "hw.speaker" }
      let client = try play(live, to: "nearend.speaker")
      try live.wait(for: "the player") { $0.session.receiveMedia.count == 2 }
      client.end()
      try live.wait(for: "the player to leave") { $0.session.receiveMedia == ["alice"] }
      let alone = live.service.snapshot().graph.cycles
      try live.wait(for: "further cycles") { $0.graph.cycles > alone + 20 && $0.graph.driver == "hw.speaker" }
      live.service.removeSink(id: "alice")
      try expectRest(live)
    }

    @Test("R1, U1: the log says which microphone and which speaker are used, and which when they change")
    func tellsDevices() throws {
      let live = try LiveGraph(.twoSpeakers)
      defer { live.stop() }
      func log() -> [String] { live.service.snapshot().log.map(\.message) }
      try live.session.wait(for: "both") { log().contains("microphone: hw.mic") && log().contains("speaker: hw.speaker") }
      live.service.perform(.set(.speaker, "hw.second"))
      try live.session.wait(for: "the other speaker") { log().contains("speaker: hw.second") }
      #expect(log().count { $0 == "microphone: hw.mic" } == 1)
    }

    @Test("V9: the user's quantum is the same as without nearend")
    func leavesTheQuantum() throws {
      func quantum(_ session: PrivateSession) throws -> ClosedRange<Int> {
        let client = try GraphProbe(socket: session.socket, name: "plain", play: [:], record: ["monitor"], frames: 9_600)
        try session.link("hw.speaker:monitor_FL", client.recordPort("monitor"))
        return try client.run().quantum
      }
      let session = try LiveGraph.session(.hardware)
      let before = try quantum(session)
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let recorder = try live.probe("near", record: ["voice"], frames: 480)
      let player = try live.probe("far", play: ["left": []], record: ["unused"], frames: 480)
      try live.link([
        ("nearend.microphone:capture_MONO", recorder.recordPort("voice")), (player.playPort("left"), "nearend.speaker:playback_FL"),
      ])
      try live.wait(forActive: LiveGraph.speakerLinks + [LiveGraph.captureLink])
      let during = try quantum(session)
      #expect(before == 1024...1024)
      #expect(during == before)
      #expect(live.service.snapshot().graph.quantum == 1024)
      withExtendedLifetime((recorder, player)) {}
    }

    @Test("L2: after stop no node, no link is left, and the default devices are as before")
    func leavesNothing() throws {
      let session = try LiveGraph.session(.hardware)
      func defaults() throws -> [Substring] {
        try session.run("pw-metadata", "-n", "default").output.split(separator: "\n").filter { $0.contains("default.") }.sorted()
      }
      func links() throws -> Set<PrivateSession.Link> { try Set(session.links().keys) }
      let before = try (defaults(), links())
      let live = try LiveGraph(.hardware)
      let recorder = try record(live)
      let player = try play(live, to: "nearend.speaker")
      try live.wait(for: "both sides") { $0.graph.captureLinks == 1 && $0.graph.renderLinks == 2 }
      try live.wait(forLinks: LiveGraph.referenceLinks)
      recorder.end()
      player.end()
      live.service.stop()
      try session.wait(for: "nearend to be gone") { try GraphDump(session).ourNodes.isEmpty }
      #expect(try GraphDump(session).oursLinks == [])
      try session.wait(for: "the links to be those from before") { try links() == before.1 }
      #expect(try defaults() == before.0)
      #expect(try !defaults().isEmpty)
    }

    /// Starts nearend; returns the error, or nil if it starts.
    private func startError(_ service: NearendService) -> GraphError? {
      do { try service.start() } catch { return error }
      return nil
    }

    @Test("L2: without a daemon it says so")
    func noDaemon() throws {
      let service = try NearendService(NearendOptions(graph: GraphOptions(remote: "/tmp/no-such-folder/pipewire-0")))
      let error = startError(service)
      guard case .noDaemon(let reason) = error else { return #expect(Bool(false), "\(String(describing: error))") }
      #expect(reason.contains("/tmp/no-such-folder/pipewire-0"))
      service.stop()
    }

    @Test("R2: a device name that is not there is refused, with the names that are")
    func unknownDevices() throws {
      let session = try LiveGraph.session(.hardware)
      let wrong = [
        (GraphOptions(remote: session.socket, microphone: "no.such"), Device.Direction.input, "hw.mic"),
        (GraphOptions(remote: session.socket, speaker: "no.such"), .output, "hw.speaker"),
      ]
      for (options, expected, present) in wrong {
        let service = try NearendService(NearendOptions(graph: options))
        let error = startError(service)
        guard case .unknownDevice(let name, let direction, let available) = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
        #expect(name == "no.such")
        #expect(direction == expected)
        #expect(available.contains { $0.name == present && $0.direction == expected && $0.isDefault })
        #expect(error?.description.contains(present) == true)
        #expect(try GraphDump(session).ourNodes.isEmpty)
      }
    }

    @Test("O1: a second nearend in the session says who holds the node")
    func secondInstance() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let second = try NearendService(NearendOptions(graph: GraphOptions(remote: live.session.socket)))
      #expect(throws: GraphError.alreadyRunning(pid: Int(getpid()))) { try second.start() }
      #expect(try GraphDump(live.session).ourNodes.count == 3)
      try live.wait(forLinks: LiveGraph.fixedLinks)
    }
  }
}
