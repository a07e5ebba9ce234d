import Foundation
import PipeWireGraph
import RealtimeCore
import SeededSignals
import SessionModel
import Testing

@testable import Nearend

@Suite("The manager's microphone")
struct MicrophoneManagerTests {
  @Test("D1: muting twice is reported once, with and without a session")
  func mutingTwice() throws {
    let rig = ManagerRig()
    let tape = EventTape(rig.manager.owner.bus)
    func changes() -> Int { tape.all.count { $0.kind == .settingChanged && $0.detail["setting"] == "microphoneMuted" } }
    for _ in 0..<2 { rig.manager.isMicrophoneMuted = true }
    #expect(changes() == 1)
    try rig.registerCall()
    for _ in 0..<2 { rig.manager.isMicrophoneMuted = true }
    #expect(rig.manager.isMicrophoneMuted && rig.manager.owner.service?.core.controls.isMicrophoneMuted == true)
    let before = changes()
    for _ in 0..<3 { rig.manager.isMicrophoneMuted = false }
    #expect(changes() == before + 1)
    #expect(rig.manager.owner.log.all.count { $0.message == "microphone no longer muted" } == 1)
  }

  @Test("D1: the mute mode outlives the session; restart takes the microphone's link away while muted")
  func muteMode() throws {
    let rig = ManagerRig()
    #expect(rig.manager.microphoneMuteMode == .voiceProcessing)
    rig.manager.set(microphoneMuteMode: .restart)
    try rig.registerCall()
    #expect(rig.demand.opensMicrophone)
    rig.manager.isMicrophoneMuted = true
    #expect(!rig.demand.opensMicrophone && rig.demand.sends && rig.demand.receives)
    rig.manager.isMicrophoneMuted = false
    #expect(rig.demand == ManagerRig.call)
    rig.unregisterCall()
    #expect(rig.manager.microphoneMuteMode == .restart)
  }

  @Test("D2: talking into the muted microphone is reported once; silence, or talking with no listener, is not")
  func talkingIsTold() throws {
    let core = try AudioCore()
    let bus = EventBus()
    let tape = EventTape(bus)
    let watch = EventWatch(core: core, events: bus)
    // Three syllables a second of 500 Hz.
    func talk(seconds: Int, level: Float) {
      for cycle in 0..<seconds * 100 {
        let samples = sine(500, frames: 480, level: Double(level) * (cycle % 33 < 22 ? 1 : 0.01))
        samples.withUnsafeBufferPointer {
          var buffers = CycleBuffers(frames: 480, rate: 48_000, position: UInt64(cycle * 480), driver: 1)
          buffers.microphone = $0.baseAddress
          core.realtime.process(&buffers, graphSinks: nil)
        }
        if cycle % 10 == 9 { watch.poll() }
      }
    }
    core.controls.isMicrophoneMuted = true
    core.isSending = true
    talk(seconds: 2, level: 0.0001)
    #expect(tape.all.isEmpty)
    talk(seconds: 3, level: 0.1)
    #expect(tape.kinds == [.talkingWhileMuted])
    core.isSending = false
    talk(seconds: 2, level: 0.0001)
    core.controls.usesVoiceProcessing = false
    core.isSending = true
    talk(seconds: 3, level: 0.1)
    #expect(tape.kinds == [.talkingWhileMuted])
  }

  @Test("S8: prepared, the session starts without media, outlasts the last, and is handed back when it is off")
  func prepared() throws {
    let rig = ManagerRig()
    try rig.manager.setRecordingAlwaysPreparedMode(true)
    #expect(rig.manager.isRecordingAlwaysPreparedMode)
    let prepared = SessionDemand(sends: true, keepsAwake: true, isOnlyPrepared: true)
    #expect(rig.demand == prepared && !rig.demand.isCall)
    #expect(rig.manager.owner.service?.core.controls.isVoiceOnlyPrepared == true)
    try rig.registerCall()
    #expect(rig.manager.owner.service?.core.controls.isVoiceOnlyPrepared == false)
    rig.unregisterCall()
    #expect(rig.demand == prepared && rig.world.nodes == 1 && rig.world.starts == 1)
    try rig.manager.setRecordingAlwaysPreparedMode(false)
    #expect(rig.world.nodes == 0 && rig.manager.owner.service == nil)
    try rig.registerCall()
    rig.manager.unregisterMedia(id: "mic")
    #expect(!rig.demand.sends, "off is off in the next session, too")
    rig.unregisterCall()
  }

  @Test("S8 D1: the log says what preparing does to the microphone: nothing while a mute in mode restart closes it")
  func preparedInTheLog() throws {
    for isClosed in [false, true] {
      let rig = ManagerRig()
      rig.manager.set(microphoneMuteMode: .restart)
      try rig.registerCall()
      rig.manager.isMicrophoneMuted = isClosed
      try rig.manager.setRecordingAlwaysPreparedMode(true)
      #expect(rig.demand.opensMicrophone == !isClosed)
      let words = "recording is kept prepared: the microphone stays \(isClosed ? "closed while it is muted" : "open")"
      #expect(rig.manager.owner.log.all.contains { $0.message == words })
    }
  }

  @Test("S8: if the session cannot start the error says why, and nothing is prepared")
  func cannotPrepare() throws {
    let rig = ManagerRig()
    rig.world.fail(with: .noDaemon(reason: "none"))
    #expect(throws: GraphError.self) { try rig.manager.setRecordingAlwaysPreparedMode(true) }
    #expect(!rig.manager.isRecordingAlwaysPreparedMode && rig.world.nodes == 0)
  }

  @Test(
    "D4 D5: the mixer's volumes and switches are kept, clamped, and those of the next session; capture needs somebody who takes the voice")
  func mixer() throws {
    let rig = ManagerRig()
    let mixer = rig.manager.mixer
    let buffer = try AppAudioBuffer(interleaved: [Int16](repeating: 1, count: 480), sampleRate: 48_000, channelCount: 1)
    #expect((mixer.micVolume, mixer.appVolume, mixer.outputVolume) == (1, 1, 1))
    #expect(!mixer.isAppAudioDucked && !mixer.isAppAudioMonitored && !mixer.capture(appAudio: buffer))
    (mixer.micVolume, mixer.appVolume, mixer.outputVolume) = (0.5, 7, -1)
    mixer.isAppAudioDucked = true
    try rig.registerCall()
    #expect((mixer.micVolume, mixer.appVolume, mixer.outputVolume) == (0.5, 1, 0))
    #expect(mixer.isAppAudioDucked)
    #expect(mixer.capture(appAudio: buffer))
    // As it was set, not as single precision holds it.
    mixer.appVolume = 0.3
    #expect(mixer.appVolume == 0.3)
    mixer.micVolume = .nan
    #expect(mixer.micVolume == 0.5)
    rig.unregisterCall()
    // The mixer belongs to the manager, and does not retain it.
    withExtendedLifetime(rig) { #expect(mixer.micVolume == 0.5 && !mixer.capture(appAudio: buffer)) }
  }

  @Test(
    "D4: once send media is registered application audio is accepted, whenever the graph follows; interrupted or receive-only, it is not")
  func captureAtOnce() throws {
    let rig = ManagerRig()
    let mixer = rig.manager.mixer
    let buffer = try AppAudioBuffer(interleaved: [Int16](repeating: 1, count: 480), sampleRate: 48_000, channelCount: 1)
    try rig.manager.registerMedia(id: "ear", isSend: false, isReceive: true)
    #expect(!mixer.capture(appAudio: buffer))
    try rig.graph.whileItWaits {
      try rig.manager.registerMedia(id: "mic", isSend: true, isReceive: false)
      #expect(try !#require(rig.manager.owner.service).core.isSending, "the graph has not followed yet")
      #expect(mixer.capture(appAudio: buffer))
    }
    #expect(rig.demand.sends && mixer.capture(appAudio: buffer))
    try rig.graph.interrupt(.sleep, true)
    #expect(!mixer.capture(appAudio: buffer))
    try rig.graph.interrupt(.sleep, false)
    #expect(mixer.capture(appAudio: buffer))
    rig.unregisterCall()
  }
}
