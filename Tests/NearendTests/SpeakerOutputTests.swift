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

  @Test("K1: an impossible format is refused, and what is wrong with it is logged; any within the limits is taken")
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
    #expect(rig.manager.session.media.count == 2, "the media itself stays registered")
    for (rate, channels) in [(8_000, 1), (192_000, 2), (44_100, 2)] {
      #expect(register(rate, channels, 38_400))
      rig.manager.unregisterSpeakerOutput(mediaId: "ear")
    }
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
    let tape = EventTape(rig.manager.bus)
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
