import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// The library's interface in a live graph.
  @Suite("Session manager", .serialized)
  struct Manager {
    private func error(_ manager: AudioSessionManager) -> GraphError? {
      do throws(GraphError) { try manager.registerMedia(id: "mic", isSend: true, isReceive: false) } catch { return error }
      return nil
    }

    /// Uses the shared manager, as a program does: each test releases what it has registered.
    private func with<T>(_ session: PrivateSession, _ body: (AudioSessionManager) throws -> T) throws -> T {
      let manager = AudioSessionManager.shared
      manager.shutDown()
      manager.configuration = AudioSessionConfiguration(
        remote: session.socket, interruptions: InterruptionOptions(systemBus: .none), controlSocket: "\(session.path)/nearend/control.sock")
      defer {
        manager.shutDown()
        manager.manualAudioSessionManagement = false
        manager.configuration = AudioSessionConfiguration(controlSocket: nil)
      }
      return try body(manager)
    }

    @Test("L1, L2: one filter node exactly while media is registered; afterwards no node and no link is left")
    func node() throws {
      let session = try LiveGraph.session(.hardware)
      func links() throws -> Set<PrivateSession.Link> { try Set(session.links().keys) }
      let before = try links()
      try with(session) { manager in
        #expect(try GraphDump(session).ourNodes.isEmpty)
        for _ in 0..<2 {
          try manager.registerMedia(id: "mic", isSend: true, isReceive: false)
          try manager.registerMedia(id: "ear", isSend: false, isReceive: true)
          #expect(manager.registerSpeakerOutput(mediaId: "ear", sampleRate: 48_000, channelCount: 1, bufferSize: 19_200))
          #expect(manager.writeSpeakerData(mediaId: "ear", data: [Int16](repeating: 0, count: 480)))
          try session.wait(for: "both sides to be linked") {
            let links = try session.links()
            return (LiveGraph.speakerLinks + LiveGraph.referenceLinks + [LiveGraph.captureLink]).allSatisfy {
              links[.init(from: $0.0, to: $0.1)] != nil
            }
          }
          let nodes = try GraphDump(session).ourNodes
          #expect(nodes.map(\.name).sorted() == ["nearend", "nearend.microphone", "nearend.speaker"])
          #expect(manager.getSharedUnit()?.nodeId == nodes.first { $0.name == "nearend" }.map { UInt32($0.id) })
          #expect(manager.getSharedUnit()?.state == .active)
          manager.unregisterMedia(id: "mic")
          try session.wait(for: "the microphone to be closed") { try GraphDump(session).links(from: "hw.mic").isEmpty }
          manager.unregisterMedia(id: "ear")
          // Handed back when the call returns; pw-dump may lag behind.
          try session.wait(for: "nearend to be gone") { try GraphDump(session).ourNodes.isEmpty }
          #expect(try GraphDump(session).oursLinks == [])
          #expect(manager.getSharedUnit() == nil)
        }
        try session.wait(for: "the links to be those from before") { try links() == before }
      }
    }

    @Test("S7: while the session is active there is a shared unit, from the moment at which the registration returns")
    func unitAtOnce() throws {
      let session = try LiveGraph.session(.hardware)
      try with(session) { manager in
        for _ in 0..<10 {
          try manager.registerMedia(id: "ear", isSend: false, isReceive: true)
          #expect(manager.isSessionActive)
          #expect(manager.getSharedUnit() != nil)
          manager.unregisterMedia(id: "ear")
        }
      }
    }

    @Test("S1, S2: in manual mode node and devices are there from the first registration, and real links only while activated")
    func manualMode() throws {
      let session = try LiveGraph.session(.hardware)
      try with(session) { manager in
        manager.manualAudioSessionManagement = true
        try manager.registerMedia(id: "mic", isSend: true, isReceive: true)
        try session.wait(for: "the fixed links") {
          let links = try session.links()
          return LiveGraph.fixedLinks.allSatisfy { links[.init(from: $0.0, to: $0.1)] != nil }
        }
        func realLinks() throws -> Int {
          let dump = try GraphDump(session)
          return dump.oursLinks.count { $0.from.hasPrefix("hw.") || $0.to.hasPrefix("hw.") }
        }
        #expect(try realLinks() == 0)
        manager.audioSessionDidActivateExternally()
        try session.wait(for: "the real devices to be linked") { try realLinks() == 5 }
        manager.audioSessionDidDeactivateExternally()
        try session.wait(for: "the real devices to be free") { try realLinks() == 0 }
        #expect(try GraphDump(session).ourNodes.count == 3)
      }
    }

    @Test("R3, R5: a program reads its route's ports as they change, and resumes in the room after headphones were unplugged")
    func route() throws {
      let session = try LiveGraph.session(.desk([.laptop]))
      let desk = try #require(session.desk)
      try with(session) { manager in
        #expect(manager.currentRoute.isEmpty, "no session, no route")
        manager.resumeAfterUnplug()
        func types() -> [PortType] { (manager.currentRoute.inputs + manager.currentRoute.outputs).map(\.portType) }
        try manager.registerMedia(id: "call", isSend: true, isReceive: true)
        #expect(manager.registerSpeakerOutput(mediaId: "call", sampleRate: 48_000, channelCount: 1, bufferSize: 96_000))
        try session.wait(for: "the laptop's own ports") { types() == [.builtInMic, .builtInSpeaker] }
        desk.set(.headphones, isPlugged: true)
        try session.wait(for: "the headphones") { types() == [.builtInMic, .headphones] }
        #expect(!manager.isPausedAfterUnplug)
        desk.set(.headphones, isPlugged: false)
        try session.wait(for: "the pause") { manager.isPausedAfterUnplug }
        try session.wait(for: "the laptop's own ports again") { types() == [.builtInMic, .builtInSpeaker] }
        func isFull() -> Bool { !manager.writeSpeakerData(mediaId: "call", data: [Int16](repeating: 100, count: 4_800)) }
        try session.wait(for: "a full ring: nothing is taken out of it") { isFull() }
        manager.resumeAfterUnplug()
        #expect(!manager.isPausedAfterUnplug)
        try session.wait(for: "room in the ring") { !isFull() }
      }
    }

    @Test("L2: without a daemon, or while another nearend runs, registration throws the reason, and nothing is registered")
    func failures() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      try with(live.session) { manager in
        #expect(error(manager) == .alreadyRunning(pid: Int(getpid())))
        manager.configuration.remote = "/tmp/no-such-folder/pipewire-0"
        guard case .noDaemon(let reason) = error(manager) else {
          Issue.record("no error of a missing daemon")
          return
        }
        #expect(reason.contains("/tmp/no-such-folder/pipewire-0"))
        #expect(!manager.isSessionActive)
        #expect(manager.getSharedUnit() == nil)
        #expect(!manager.registerSpeakerOutput(mediaId: "mic", sampleRate: 48_000, channelCount: 1, bufferSize: 19_200))
      }
      #expect(try GraphDump(live.session).ourNodes.count == 3)
    }
  }
}
