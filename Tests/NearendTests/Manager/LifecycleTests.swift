import Dispatch
import PipeWireGraph
import RealtimeCore
import SessionModel
import Synchronization
import Testing

@testable import Nearend

@Suite("The manager's lifecycle")
struct LifecycleTests {
  /// Returns the error that `body` throws; nil if it throws none.
  private func error(_ body: () throws(GraphError) -> Void) -> GraphError? {
    do throws(GraphError) { try body() } catch { return error }
    return nil
  }

  @Test("L2: the first registration starts the session, the last unregistration stops it; in between there is one node")
  func firstAndLast() throws {
    let rig = ManagerRig()
    #expect(rig.world.nodes == 0)
    #expect(rig.manager.getSharedUnit() == nil)
    try rig.registerCall()
    #expect(rig.world.nodes == 1)
    #expect(rig.world.starts == 1)
    #expect(rig.demand == ManagerRig.call)
    #expect(rig.manager.isSessionActive)
    rig.manager.unregisterMedia(id: "mic")
    #expect(rig.world.nodes == 1)
    rig.manager.unregisterMedia(id: "ear")
    #expect(rig.world.nodes == 0)
    #expect(!rig.manager.isSessionActive)
    #expect(rig.manager.owner.service == nil)
  }

  @Test("L1, L2: each session has its own node, and there are never two")
  func again() throws {
    let rig = ManagerRig()
    for _ in 0..<3 {
      try rig.registerCall()
      rig.unregisterCall()
    }
    #expect(rig.world.starts == 3)
    #expect(rig.world.mostNodes == 1)
    #expect(rig.world.nodes == 0)
  }

  @Test("L2: with its manager a session is released, its core included, in a call as well as after it", arguments: [true, false])
  func released(inCall: Bool) async throws {
    weak var graph: GraphDouble?
    weak var core: AudioCore?
    do {
      let rig = ManagerRig()
      try rig.registerCall()
      (graph, core) = (rig.world.graph, rig.manager.owner.service?.core)
      #expect(graph != nil && core != nil)
      if !inCall { rig.unregisterCall() }
    }
    // Other threads may be about to be done with it.
    try await wait(for: "the graph to be released") { graph == nil }
    try await wait(for: "the core to be released") { core == nil }
  }

  @Test("L1: every sink and the source are in the one node")
  func oneOwner() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    try rig.manager.registerMedia(id: "bob", isSend: false, isReceive: true)
    #expect(rig.registerSpeaker("ear"))
    #expect(rig.registerSpeaker("bob"))
    #expect(rig.world.nodes == 1)
    #expect(AudioSessionManager.shared === AudioSessionManager.shared)
  }

  @Test("L2: registering neither send nor receive, a registered id, or unregistering an unknown one is ignored")
  func noEffect() throws {
    let rig = ManagerRig()
    try rig.manager.registerMedia(id: "none", isSend: false, isReceive: false)
    rig.manager.unregisterMedia(id: "nobody")
    rig.manager.shutDown()
    #expect(rig.world.starts == 0)
    try rig.registerCall()
    let tape = EventTape(rig.manager.owner.bus)
    try rig.manager.registerMedia(id: "ear", isSend: true, isReceive: true)
    try rig.manager.registerMedia(id: "none", isSend: false, isReceive: false)
    rig.manager.unregisterMedia(id: "nobody")
    rig.manager.unregisterMedia(id: "none")
    #expect(tape.all == [])
    #expect(rig.manager.owner.session.media.map(\.id) == ["mic", "ear"])
  }

  @Test("L2: a start that fails throws its cause, and nothing is half done")
  func failure() throws {
    let rig = ManagerRig()
    let cause = GraphError.noDaemon(reason: "no daemon here")
    rig.world.fail(with: cause)
    rig.manager.isMicrophoneMuted = true
    #expect(error { () throws(GraphError) in try rig.manager.registerMedia(id: "mic", isSend: true, isReceive: false) } == cause)
    #expect(rig.manager.owner.session.media == [])
    #expect(rig.manager.owner.service == nil)
    #expect(!rig.manager.isSessionActive)
    #expect(!rig.registerSpeaker("mic"))
    rig.world.fail(with: nil)
    try rig.manager.registerMedia(id: "mic", isSend: true, isReceive: false)
    #expect(rig.manager.owner.session.media.map(\.id) == ["mic"])
    #expect(rig.manager.isMicrophoneMuted, "settings outlive a failed start")
  }

  @Test("L8: a registration during a start waits for it, and shares its session")
  func registrationDuringStart() async throws {
    let rig = ManagerRig()
    rig.world.closeGate()
    let first = Task.detached { try rig.manager.registerMedia(id: "mic", isSend: true, isReceive: false) }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        rig.world.starting.wait()
        continuation.resume()
      }
    }
    let done = Mutex(false)
    let second = Task.detached {
      try rig.manager.registerMedia(id: "ear", isSend: false, isReceive: true)
      done.withLock { $0 = true }
    }
    // Calls that need no graph do not wait for the start.
    rig.manager.bypassVoiceProcessing = true
    #expect(rig.manager.bypassVoiceProcessing)
    #expect(!rig.manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet))
    #expect(rig.manager.registeredSpeakerOutputMediaIds == [])
    #expect(!done.withLock { $0 })
    rig.world.openGate()
    try await first.value
    try await second.value
    #expect(rig.world.starts == 1)
    #expect(rig.manager.owner.session.media.map(\.id) == ["mic", "ear"])
  }

  @Test("L3: the session ends with the last media of any owner: an application that still uses the devices keeps it")
  func applications() async throws {
    let rig = ManagerRig()
    try rig.registerCall()
    try rig.graph.use([GraphDouble.recorder])
    #expect(rig.demand == ManagerRig.call)
    rig.unregisterCall()
    #expect(rig.world.nodes == 1)
    #expect(rig.demand == SessionDemand(sends: true))
    try rig.graph.use([])
    try await wait(for: "the node to be gone") { rig.world.nodes == 0 }
    #expect(rig.manager.owner.service == nil)
  }

  @Test("L2: shutDown ends the session whoever uses it, and posts the end of every media")
  func shutDown() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    try rig.graph.use([GraphDouble.player])
    _ = rig.demand
    let tape = EventTape(rig.manager.owner.bus)
    rig.manager.shutDown()
    #expect(rig.world.nodes == 0)
    #expect(rig.manager.owner.service == nil)
    #expect(Set(tape.all.filter { $0.kind == .mediaUnregistered }.compactMap(\.mediaId)) == ["mic", "ear", "pacat-72"])
    try rig.registerCall()
    #expect(rig.world.nodes == 1)
  }

  @Test("L6: the configuration reaches the graph, and is locked with a warning while a session exists")
  func configuration() throws {
    let rig = ManagerRig()
    rig.manager.configuration = AudioSessionConfiguration(
      remote: "/run/somewhere/pipewire-0", microphone: "mic.a", speaker: "speaker.b", reference: .mix, controlSocket: nil)
    try rig.registerCall()
    let options = try rig.graph.options
    #expect(options.remote == "/run/somewhere/pipewire-0")
    #expect(options.microphone == "mic.a")
    #expect(options.speaker == "speaker.b")
    #expect(options.settings.reference == .mix)
    rig.manager.configuration = AudioSessionConfiguration(controlSocket: nil)
    #expect(rig.manager.configuration.microphone == "mic.a")
    #expect(rig.warnings.count == 1)
    #expect(rig.warnings.first?.contains("configuration") == true)
    rig.unregisterCall()
    rig.manager.configuration = AudioSessionConfiguration(microphone: "mic.c", controlSocket: nil)
    try rig.registerCall()
    #expect(try rig.graph.options.microphone == "mic.c")
    #expect(try rig.graph.picked(.input) == "mic.c", "what was picked in an earlier session no longer counts")
  }

  @Test("L8: a program's log hears remarks in order, and may call the manager")
  func programLog() async throws {
    let rig = ManagerRig()
    let heard = Mutex<[String]>([])
    rig.manager.configuration = AudioSessionConfiguration(
      controlSocket: nil,
      log: { entry in
        _ = rig.manager.isSessionActive
        rig.manager.unregisterMedia(id: "nobody")
        heard.withLock { $0.append(entry.message) }
      })
    rig.manager.channelCount = 3
    rig.manager.audioSessionDidActivateExternally()
    try await wait(for: "two remarks") { heard.withLock { $0.count } == 2 }
    #expect(heard.withLock { $0 } == rig.warnings)
    #expect(rig.warnings.first?.contains("channelCount 3 is impossible") == true)
  }

  @Test("L2, L3: registrations while an unused session ends are refused with a reason, or keep it; nobody is registered with an ended one")
  func comesWhileItEnds() throws {
    for (what, event) in [
      ("media", SessionEvent.registerMedia(id: "client", isSend: true, isReceive: false)),
      ("preparation", .setRecordingAlwaysPrepared(true)),
      ("an application", .applications([GraphDouble.recorder])),
    ] {
      let rig = ManagerRig()
      try rig.registerCall()
      let session = try #require(rig.manager.owner.service).session
      let answers = Mutex<[SessionRefusal?]>([])
      // The manager has found the session unused, and reads its settings before it ends.
      try rig.graph.whenAsked.set { answers.withLock { $0.append(session.send(event)) } }
      rig.unregisterCall()
      #expect(rig.world.nodes == 0)
      #expect(answers.withLock { !$0.isEmpty && $0.allSatisfy { $0 == .ended } }, "\(what)")
      #expect(session.current.media.isEmpty && !rig.manager.isRecordingAlwaysPreparedMode, "\(what)")
      try rig.registerCall()
      #expect(rig.world.nodes == 1, "the next session takes whom it may")
      rig.unregisterCall()
    }
  }
}
