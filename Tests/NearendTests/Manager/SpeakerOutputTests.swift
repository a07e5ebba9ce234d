import Foundation
import RealtimeCore
import SessionModel
import Testing

@testable import Nearend

@Suite("The manager's speaker outputs")
struct SpeakerOutputTests {
  @Test("K1: an output is registered once, and only for media that receives")
  func registration() throws {
    let rig = ManagerRig()
    #expect(!rig.registerSpeaker("ear"), "no media yet")
    try rig.registerCall()
    #expect(rig.registerSpeaker("ear"))
    #expect(!rig.registerSpeaker("ear"))
    #expect(!rig.registerSpeaker("mic"))
    #expect(!rig.registerSpeaker("nobody"))
    #expect(rig.warnings.count == 4, "each refusal says why")
    #expect(rig.manager.registeredSpeakerOutputMediaIds == ["ear"])
    rig.manager.unregisterSpeakerOutput(mediaId: "ear")
    rig.manager.unregisterSpeakerOutput(mediaId: "ear")
    #expect(rig.manager.registeredSpeakerOutputMediaIds == [])
    #expect(rig.registerSpeaker("ear"))
  }

  @Test("K1: an impossible format is refused with a logged reason; any within the limits is accepted")
  func formats() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    func register(_ rate: Int, _ channels: Int, _ size: Int) -> Bool {
      rig.manager.registerSpeakerOutput(mediaId: "ear", sampleRate: rate, channelCount: channels, bufferSize: size)
    }
    let impossible = [
      (7_999, 1, 3_200), (192_001, 1, 3_200), (48_000, 0, 3_200), (48_000, 3, 3_200), (48_000, 2, 3), (48_000, 1, 0), (48_000, 1, -2),
    ]
    for (count, (rate, channels, size)) in impossible.enumerated() {
      #expect(!register(rate, channels, size))
      #expect(rig.warnings.count == count + 1)
      #expect(rig.warnings.last?.contains("impossible") == true)
      #expect(rig.manager.registeredSpeakerOutputMediaIds == [])
    }
    #expect(rig.manager.owner.session.media.count == 2, "the media itself stays registered")
    for (rate, channels) in [(8_000, 1), (192_000, 2), (44_100, 2)] {
      #expect(register(rate, channels, 38_400))
      rig.manager.unregisterSpeakerOutput(mediaId: "ear")
    }
  }

  @Test("K7: each output has a gain, a mute and levels of its own; an unknown id or NaN is ignored")
  func levels() throws {
    let rig = ManagerRig()
    let manager = rig.manager
    #expect(manager.speakerOutputStatus(mediaId: "ear") == nil)
    try rig.registerCall()
    try manager.registerMedia(id: "other", isSend: false, isReceive: true)
    #expect(rig.registerSpeaker("ear") && rig.registerSpeaker("other"))
    func status(_ id: String) throws -> SinkStatus { try #require(manager.speakerOutputStatus(mediaId: id)) }
    #expect(try status("ear").gain == 1 && !status("ear").isMuted)
    manager.setSpeakerOutputGain(mediaId: "ear", gain: 0.5)
    #expect(try status("ear").gain == 0.5 && status("other").gain == 1)
    for (gain, set) in [(9.0, 4.0), (-1, 0), (.nan, 0), (.infinity, 4)] {
      manager.setSpeakerOutputGain(mediaId: "ear", gain: gain)
      #expect(try status("ear").gain == set)
    }
    manager.setSpeakerOutputGain(mediaId: "ear", gain: 0.5)
    manager.setSpeakerOutputMuted(mediaId: "ear", isMuted: true)
    manager.setSpeakerOutputMuted(mediaId: "nobody", isMuted: true)
    manager.setSpeakerOutputGain(mediaId: "nobody", gain: 2)
    #expect(try status("ear").isMuted && !status("other").isMuted)
    manager.setSpeakerOutputMuted(mediaId: "ear", isMuted: false)
    #expect(manager.speakerOutputStatuses.map(\.id) == ["ear", "other"])
    // A second of a square wave at −6 dBFS, played by hand at a gain of one half: −12 dBFS.
    let core = try rig.graph.core
    var sound = [Int16](repeating: 16_384, count: 160)
    for i in sound.indices where i % 8 < 4 { sound[i] = -16_384 }
    for _ in 0..<100 {
      #expect(manager.writeSpeakerData(mediaId: "ear", data: sound))
      var buffers = CycleBuffers(frames: 480, rate: 48_000, position: 0, driver: 1)
      withExtendedLifetime(core) { core.realtime.process(&buffers, graphSinks: nil) }
    }
    let played = try status("ear")
    // Resampling overshoots at an edge.
    #expect(played.peak > -12.5 && played.peak < -9 && abs(played.rms + 12) < 1.5, "\(played)")
    #expect(try status("other").peak == -120)
  }

  @Test("K8, T2: registeredSpeakerOutputMediaIds, diagnostics and telemetry's sinkCount agree on the outputs, including devices")
  func sameOutputs() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    func counts() throws -> [Int] {
      let json = try JSONDecoder().decode(TelemetryDocument.self, from: Data(try #require(rig.manager.getTelemetryJson()).utf8))
      let line = json.diagnostics.split(separator: "\n").first { $0.hasPrefix("- Speaker Outputs: ") }
      let told = try #require(line?.split(separator: " ").last.flatMap { Int($0) })
      return [rig.manager.registeredSpeakerOutputMediaIds.count, json.sinkCount, told]
    }
    #expect(try counts() == [0, 0, 0])
    #expect(rig.registerSpeaker())
    #expect(try counts() == [1, 1, 1])
    try #require(rig.manager.owner.service).addGraphSink(id: "alice")
    #expect(try counts() == [2, 2, 2])
    #expect(rig.manager.registeredSpeakerOutputMediaIds == ["ear", "alice"])
    try #require(rig.manager.owner.service).removeSink(id: "alice")
    #expect(try counts() == [1, 1, 1])
  }

  @Test("K2: a write is taken whole; false where the ring is full, the id unknown, or the data no whole frames")
  func writing() throws {
    let rig = ManagerRig()
    let manager = rig.manager
    #expect(!manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet))
    try rig.registerCall()
    #expect(!manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet))
    #expect(rig.registerSpeaker())
    for _ in 0..<10 { #expect(manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet)) }
    #expect(!manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet))
    #expect(try rig.fill("ear") == 3_200)
    #expect(!manager.writeSpeakerData(mediaId: "mic", data: ManagerRig.packet))
    let oddBytes: [UInt8] = [1, 2, 3]
    #expect(!oddBytes.withUnsafeBytes { manager.writeSpeakerData(mediaId: "ear", data: $0) })
    manager.unregisterMedia(id: "ear")
    #expect(!manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet))
    #expect(manager.registeredSpeakerOutputMediaIds == [], "the output goes with its media")
  }

  @Test("K6: the first write of a run that finds the ring full is reported, the others of that run are not")
  func drops() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    #expect(rig.registerSpeaker())
    let tape = EventTape(rig.manager.owner.bus)
    for _ in 0..<13 { _ = rig.manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet) }
    let drops = tape.all.filter { $0.kind == .sinkFrameDrop }
    #expect(drops.count == 1)
    #expect(drops.first?.mediaId == "ear")
    #expect(drops.first?.detail["consecutive"] == .integer(1))
    #expect(drops.first?.detail["total"] == .integer(1))
    #expect(drops.first?.detail["sourceHadAudio"] == .bool(false))
    rig.manager.notifySinkFrameDrop(mediaId: "nobody", consecutive: 1, total: 1)
    #expect(tape.all.count { $0.kind == .sinkFrameDrop } == 1)
  }

  @Test("K6: a ring that is full while nothing is played is no frame drop: before a call manager's activation, and after")
  func dropsBeforeActivation() throws {
    let rig = ManagerRig()
    rig.manager.manualAudioSessionManagement = true
    try rig.registerCall()
    #expect(rig.registerSpeaker())
    try expectNoDrops(rig) { rig.manager.audioSessionDidActivateExternally() }
  }

  @Test(
    "K6: a ring that is full in an interruption is no frame drop, and does not spend the 5 minutes",
    arguments: Interruption.Reason.allCases)
  func dropsInInterruption(reason: Interruption.Reason) throws {
    let rig = ManagerRig()
    try rig.registerCall()
    #expect(rig.registerSpeaker())
    try rig.graph.poll()
    try rig.graph.interrupt(reason, true)
    try expectNoDrops(rig) { try rig.graph.interrupt(reason, false) }
  }

  @Test("K6: nor is one that is full while playback is paused, because headphones were unplugged")
  func dropsInPause() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    #expect(rig.registerSpeaker())
    let mixer = try #require(rig.manager.owner.service).core.mixer
    mixer.isPaused = true
    try expectNoDrops(rig) {
      mixer.isPaused = false
      mixer.ringSinks.first?.reset()
    }
  }

  /// Overflows the output before and after `start`, from which on it is played.
  private func expectNoDrops(_ rig: ManagerRig, until start: () throws -> Void) throws {
    let tape = EventTape(rig.manager.owner.bus)
    func drops() -> [AudioEvent] { tape.all.filter { $0.kind == .sinkFrameDrop } }
    func overflow() { for _ in 0..<13 { _ = rig.manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet) } }
    overflow()
    try rig.graph.poll()
    rig.manager.notifySinkFrameDrop(mediaId: "ear", consecutive: 1, total: 1)
    overflow()
    try start()
    try rig.graph.poll()
    #expect(drops().isEmpty)
    #expect(try rig.fill("ear") == 0, "what is late is discarded")
    overflow()
    #expect(drops().count == 1)
    #expect(drops().first?.detail["consecutive"] == .integer(1))
  }

  @Test("K8: registered ids are in the order of registration")
  func ids() throws {
    let rig = ManagerRig()
    for id in ["c", "a", "b"] {
      try rig.manager.registerMedia(id: id, isSend: false, isReceive: true)
      #expect(rig.registerSpeaker(id))
    }
    #expect(rig.manager.registeredSpeakerOutputMediaIds == ["c", "a", "b"])
    rig.manager.unregisterMedia(id: "a")
    #expect(rig.manager.registeredSpeakerOutputMediaIds == ["c", "b"])
    rig.manager.shutDown()
    #expect(rig.manager.registeredSpeakerOutputMediaIds == [])
  }
}
