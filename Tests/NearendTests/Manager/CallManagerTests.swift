import RealtimeCore
import SessionModel
import Testing

@testable import Nearend

@Suite("The manager with a call manager")
struct CallManagerTests {
  private func manualRig() -> ManagerRig {
    let rig = ManagerRig()
    rig.manager.manualAudioSessionManagement = true
    return rig
  }

  @Test("S1, S2, S4: with a call manager, the node exists from the first registration, and links from activation to deactivation")
  func sequence() throws {
    let rig = manualRig()
    let tape = EventTape(rig.manager.owner.bus)
    try rig.registerCall()
    #expect(rig.registerSpeaker())
    #expect(rig.world.nodes == 1)
    #expect(rig.manager.getSharedUnit() == nil, "it is made by the activation")
    #expect(rig.demand == SessionDemand())
    #expect(!rig.manager.isSessionActive)
    rig.manager.audioSessionDidActivateExternally()
    #expect(rig.demand == ManagerRig.call)
    #expect(rig.manager.isSessionActive)
    #expect(rig.manager.getSharedUnit()?.state == .active)
    #expect(tape.kinds.count { $0 == .didRecover } == 1)
    rig.manager.audioSessionDidDeactivateExternally()
    #expect(rig.demand == SessionDemand())
    #expect(!rig.manager.isSessionActive)
    #expect(rig.manager.registeredSpeakerOutputMediaIds == ["ear"])
    rig.unregisterCall()
    #expect(rig.world.nodes == 0)
    #expect(tape.kinds.count { $0 == .didRecover } == 1)
    #expect(rig.warnings == [])
  }

  @Test("S2: deactivation resets what speaker outputs have buffered")
  func buffers() throws {
    let rig = manualRig()
    try rig.registerCall()
    #expect(rig.registerSpeaker())
    #expect(rig.manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet))
    #expect(try rig.fill("ear") == 320, "a sink buffers before activation too")
    rig.manager.audioSessionDidActivateExternally()
    #expect(try rig.fill("ear") == 320)
    rig.manager.audioSessionDidDeactivateExternally()
    #expect(try rig.fill("ear") == 0)
    #expect(rig.manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet))
  }

  @Test("S2: activation before the first registration is remembered, and holds for a session after it too")
  func earlyActivation() throws {
    let rig = manualRig()
    rig.manager.audioSessionDidActivateExternally()
    #expect(rig.manager.isSessionActive)
    for _ in 0..<2 {
      try rig.registerCall()
      #expect(rig.demand == ManagerRig.call)
      rig.unregisterCall()
      #expect(rig.manager.isSessionActive, "the last media deactivates nothing in manual mode")
      #expect(rig.world.nodes == 0)
    }
    rig.manager.audioSessionDidDeactivateExternally()
    try rig.registerCall()
    #expect(rig.demand == SessionDemand())
  }

  @Test("S2: in default mode the call manager's calls have no effect and warn, with and without a session")
  func defaultMode() throws {
    let rig = ManagerRig()
    for isRunning in [false, true] {
      if isRunning { try rig.registerCall() }
      rig.manager.audioSessionDidActivateExternally()
      rig.manager.audioSessionDidDeactivateExternally()
      #expect(rig.manager.isSessionActive == isRunning)
      #expect(rig.warnings.count == (isRunning ? 4 : 2))
    }
    #expect(rig.demand == ManagerRig.call)
  }

  @Test("S1, S4: default mode recovers from an interruption by itself and says so; manual mode waits")
  func interruption() throws {
    for isManual in [false, true] {
      let rig = try ManagerRig.inCall(isManual: isManual)
      _ = rig.demand
      let tape = EventTape(rig.manager.owner.bus)
      try rig.graph.interrupt(.noDevice, true)
      #expect(!rig.manager.isSessionActive)
      #expect(rig.manager.getSharedUnit()?.state == (isManual ? nil : .interrupted))
      #expect(rig.manager.getDiagnostics().contains("Echo Cancellation: YES, not effective: interrupted"))
      #expect(rig.demand == SessionDemand())
      try rig.graph.interrupt(.noDevice, false)
      #expect(rig.manager.isSessionActive == !isManual)
      _ = rig.demand
      #expect(
        Set(tape.kinds) == (isManual ? [.interruptionBegan, .interruptionEnded] : [.interruptionBegan, .interruptionEnded, .didRecover]))
      if isManual { rig.manager.audioSessionDidActivateExternally() }
      #expect(rig.demand == ManagerRig.call)
      #expect(tape.kinds.contains(.didRecover))
    }
  }

  @Test("I5, S4: a frozen graph is rebuilt; default mode recovers when it runs again, manual mode when the call manager says so")
  func frozen() throws {
    for isManual in [false, true] {
      let rig = try ManagerRig.inCall(isManual: isManual)
      _ = rig.demand
      let tape = EventTape(rig.manager.owner.bus)
      try rig.graph.interrupt(.frozen, true)
      #expect(try rig.graph.rebuilds == 1)
      #expect(!rig.manager.isSessionActive)
      #expect(rig.demand == (isManual ? SessionDemand() : ManagerRig.call), "a graph that is to be tried is demanded")
      try rig.graph.interrupt(.frozen, false)
      _ = rig.demand
      #expect(rig.manager.isSessionActive == !isManual)
      #expect(tape.kinds.contains(.didRecover) == !isManual)
      if isManual { rig.manager.audioSessionDidActivateExternally() }
      #expect(rig.demand == ManagerRig.call)
      #expect(tape.kinds.count { $0 == .didRecover } == 1)
    }
  }

  @Test("S4: didRecover is posted when everything is linked, not when the session may run; an interruption before that cancels it")
  func soundPasses() throws {
    for isManual in [false, true] {
      let rig = try ManagerRig.inCall(isManual: isManual)
      _ = rig.demand
      let tape = EventTape(rig.manager.owner.bus)
      let graph = try rig.graph
      func recover() {
        graph.interrupt(.role, false)
        if isManual { rig.manager.audioSessionDidActivateExternally() }
        _ = rig.demand
      }
      graph.interrupt(.role, true)
      graph.whenLinking.set { false }
      recover()
      #expect(rig.manager.isSessionActive)
      #expect(!tape.kinds.contains(.didRecover), "no link is there yet")
      graph.interrupt(.role, true)
      graph.postSoundPasses()
      #expect(!tape.kinds.contains(.didRecover), "it is held up again")
      recover()
      graph.postSoundPasses()
      graph.postSoundPasses()
      #expect(tape.kinds.count { $0 == .didRecover } == 1)
    }
  }

  @Test("I2, R5: after an interruption nothing stale is played: a ring continues, unless its writer continued while it was full")
  func staleAudio() throws {
    for isManual in [false, true] {
      let rig = try ManagerRig.inCall(isManual: isManual)
      #expect(rig.registerSpeaker())
      let graph = try rig.graph
      func interrupted(_ body: () -> Void) throws -> Int {
        graph.interrupt(.role, true)
        body()
        graph.interrupt(.role, false)
        if isManual { rig.manager.audioSessionDidActivateExternally() }
        return try rig.fill("ear")
      }
      func write() -> Bool { rig.manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet) }
      let waited = try interrupted { _ = write() }
      #expect(waited == 320, "its writer has waited")
      let wroteOn = try interrupted { while write() {} }
      #expect(wroteOn == 0, "half a minute may have gone by")
      #expect(write())
      let next = try interrupted {}
      #expect(next == 320)
    }
  }

  @Test("I2, D4: after an interruption no stale application audio goes into the microphone; what its writer kept waiting does")
  func staleAppAudio() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    let core = try #require(rig.manager.owner.service).core
    let sink = try RingSink(id: "jingle", format: SinkFormat(sampleRate: 16_000, channelCount: 1), capacityBytes: 3_200)
    try core.appAudio.mixer.add(sink)
    func write() -> Bool { ManagerRig.packet.withUnsafeBytes { sink.write($0) } }
    let graph = try rig.graph
    graph.interrupt(.role, true)
    #expect(write())
    graph.interrupt(.role, false)
    #expect(sink.status().fillBytes == 320)
    graph.interrupt(.role, true)
    while write() {}
    graph.interrupt(.role, false)
    #expect(sink.status().fillBytes == 0)
  }

  @Test("I2: sinks keep what they have buffered through an interruption, and go on being written to")
  func keepsBuffers() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    #expect(rig.registerSpeaker())
    #expect(rig.manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet))
    for reason in Interruption.Reason.allCases {
      let before = try rig.fill("ear")
      try rig.graph.interrupt(reason, true)
      #expect(rig.manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet))
      try rig.graph.interrupt(reason, false)
      #expect(try rig.fill("ear") == before + 320, "\(reason)")
    }
  }

  @Test("S7: isSessionActive goes with the media, and the shared unit is there exactly while a node is")
  func sharedUnit() throws {
    let rig = ManagerRig()
    #expect(rig.manager.getSharedUnit() == nil)
    #expect(!rig.manager.isSessionActive)
    try rig.registerCall()
    #expect(rig.manager.getSharedUnit() == SharedUnit(nodeId: 42, state: .active))
    #expect(rig.manager.isSessionActive)
    rig.unregisterCall()
    #expect(rig.manager.getSharedUnit() == nil)
    #expect(!rig.manager.isSessionActive)
  }
}
