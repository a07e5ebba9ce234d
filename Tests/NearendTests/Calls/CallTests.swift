import Dispatch
import SessionModel
import Testing

@testable import Nearend

/// A session with its own graphs.
private struct CallRig {
  let rig = ManagerRig()
  let session: AudioSession

  init() { session = AudioSession(rig.manager.owner) }

  var nodes: Int { rig.world.nodes }
}

/// Returns the error that `body` throws; nil if it throws none.
private func thrown<Value, Failure: Error>(_ body: () throws(Failure) -> Value) -> Failure? {
  do throws(Failure) { _ = try body() } catch { return error }
  return nil
}

@Suite("Calls as handles", .timeLimit(.minutes(2)))
struct CallTests {
  @Test("L1, L2: a call ends with its last handle, by end() or when it is let go; the last hands everything back")
  func handles() async throws {
    let rig = CallRig()
    var one: Call? = try await rig.session.join("one")
    let two = try await rig.session.join("two", sends: false)
    #expect(one?.hasEnded == false && two.receives && !two.sends)
    #expect(rig.nodes == 1 && rig.session.isActive && rig.session.mode == .own)
    #expect(rig.rig.demand == ManagerRig.call)
    one = nil
    try await wait(for: "the first to have ended") { rig.session.owner.session.program("one") == nil }
    try await wait(for: "the microphone to be closed") { !rig.rig.demand.sends }
    #expect(rig.nodes == 1)
    await two.end()
    #expect(two.hasEnded && rig.nodes == 0 && !rig.session.isActive)
    await two.end()
  }

  @Test("L2: an id is free again as soon as its handle is let go, also where threads wait and where tasks do")
  func again() async throws {
    let rig = CallRig()
    func join() throws { #expect(try !rig.session.join("call").hasEnded) }
    for _ in 0..<50 {
      try join()
      #expect(try await !rig.session.join("call").hasEnded)
    }
    try await wait(for: "the last to have ended") { rig.nodes == 0 }
    #expect(rig.rig.world.mostNodes == 1)
  }

  @Test("K1, L5: an output and a microphone keep their call, and end with it")
  func parts() async throws {
    let rig = CallRig()
    let microphone = try await rig.session.join("sender", receives: false).microphone(sampleRate: 16_000, channels: 2)
    var output: Call.Output? = try await rig.session.join("receiver", sends: false).makeOutput(sampleRate: 16_000)
    #expect(rig.rig.demand == ManagerRig.call)
    #expect(microphone.sampleRate == 16_000 && microphone.channels == 2 && microphone.lostCycles == 0)
    #expect(rig.rig.manager.microphoneInputMediaId == "sender")
    #expect(rig.rig.manager.registeredSpeakerOutputMediaIds == ["receiver"])
    try output?.write(ManagerRig.packet)
    #expect(output?.buffered == .milliseconds(10))
    #expect(output?.status?.buffered == .milliseconds(10))
    output = nil
    try await wait(for: "the receiver to have ended") { rig.session.owner.session.program("receiver") == nil }
    await microphone.call.end()
    var buffers = 0
    for await _ in microphone { buffers += 1 }
    #expect(buffers == 0 && rig.nodes == 0)
  }

  @Test("L2, L6: why a call cannot be joined, or a session not be configured, is thrown and typed, and nothing has changed")
  func joinErrors() async throws {
    let rig = CallRig()
    #expect(
      thrown { () throws(JoinError) in try rig.session.join("call", sends: false, receives: false) } == .neitherSendsNorReceives(id: "call")
    )
    rig.rig.world.fail(with: .noDaemon(reason: "no daemon"))
    #expect(thrown { () throws(JoinError) in try rig.session.join("call") } == .cannotStart(.noDaemon(reason: "no daemon")))
    #expect(rig.nodes == 0 && rig.session.mode == nil)
    rig.rig.world.fail(with: nil)
    try rig.session.configure { $0.microphone = "hw.mic" }
    try rig.session.set(.useVoiceProcessingIO(false))
    let channels = thrown { () throws(SessionRefusal) in try rig.session.set(.channelCount(3)) }
    #expect(channels == .impossible(setting: "channelCount", value: "3", possible: "1 or 2"))

    let call = try await rig.session.join("call")
    #expect(thrown { () throws(JoinError) in try rig.session.join("call", sends: false) } == .alreadyJoined(id: "call"))
    #expect(thrown { () throws(SessionRefusal) in try rig.session.configure { $0.microphone = nil } } == .locked(setting: "configuration"))
    #expect(rig.session.configuration.microphone == "hw.mic")
    #expect(
      thrown { () throws(SessionRefusal) in try rig.session.set(.useVoiceProcessingIO(true)) } == .locked(setting: "useVoiceProcessingIO"))
    #expect(!rig.rig.manager.useVoiceProcessingIO)
    withExtendedLifetime(call) {}
  }

  @Test("K1, K2: why an output is refused, or a write, is thrown and typed")
  func outputErrors() async throws {
    let rig = CallRig()
    let sender = try await rig.session.join("sender", receives: false)
    let call = try await rig.session.join("call", sends: false)
    func refusal(_ rate: Int, _ channels: Int, _ duration: Duration) -> OutputError? {
      thrown { () throws(OutputError) in try call.makeOutput(sampleRate: rate, channels: channels, bufferDuration: duration) }
    }
    #expect(thrown { () throws(OutputError) in try sender.makeOutput() } == .doesNotReceive(id: "sender"))
    #expect(refusal(7_999, 1, .milliseconds(200)) == .impossibleSampleRate(7_999))
    #expect(refusal(48_000, 3, .milliseconds(200)) == .impossibleChannels(3))
    for duration in [Duration.zero, .seconds(-1), .seconds(1_000_000), .seconds(Int64.max)] {
      #expect(refusal(48_000, 1, duration) == .impossibleBufferDuration(duration))
    }
    #expect(rig.rig.manager.registeredSpeakerOutputMediaIds == [])

    let output = try call.makeOutput(sampleRate: 16_000, channels: 2, bufferDuration: .milliseconds(20))
    #expect(output.bufferDuration == .milliseconds(20) && output.sampleRate == 16_000 && output.channels == 2)
    #expect(refusal(48_000, 1, .milliseconds(200)) == .alreadyMade(id: "call"))
    func writing(_ samples: Int) -> WriteError? {
      thrown { () throws(WriteError) in try output.write([Int16](repeating: 1, count: samples)) }
    }
    #expect(writing(3) == .partialFrame(bytes: 6, bytesPerFrame: 4))
    #expect(writing(0) == nil && writing(480) == nil)
    #expect(writing(162) == .full)
    #expect(output.buffered == .milliseconds(15), "a write that does not fit is dropped whole")
    #expect(output.status?.totalDrops == 1)
    output.setGain(0.5)
    output.setMuted(true)
    output.setSSRC(77)
    #expect(output.status.map { [$0.gain == 0.5, $0.isMuted, $0.ssrc == 77] } == [true, true, true])
    output.end()
    #expect(writing(2) == .ended(id: "call") && output.hasEnded && output.status == nil && output.buffered == .zero)
    #expect(try call.makeOutput().call === call)
    await call.end()
    #expect(refusal(48_000, 1, .milliseconds(200)) == .callEnded(id: "call"))
  }

  @Test("K7: an output's state is told in durations, for one channel and for two", arguments: [1, 2])
  func status(channels: Int) {
    let status = OutputStatus(
      SinkStatus(
        id: "call", state: .underrun, sampleRate: 44_100, channelCount: channels, fillBytes: 441 * 2 * channels,
        capacityBytes: 8_820 * 2 * channels, targetFill: 0.5, totalUnderruns: 3, framesWritten: 5, framesRead: 4, jitter: 2.5,
        jitterSpikes: 6))
    #expect(status.state == .underrun && status.buffered == .milliseconds(10) && status.target == .milliseconds(100))
    #expect(status.jitter == .microseconds(2_500) && status.lateWrites == 6 && status.totalUnderruns == 3)
    #expect(status.framesWritten == 5 && status.framesPlayed == 4)
  }

  @Test("L5: why a microphone is refused is thrown and typed; once it has ended, the call may have it again")
  func microphoneErrors() async throws {
    let rig = CallRig()
    func refusal(_ call: Call, _ rate: Int? = nil, _ channels: Int? = nil) -> MicrophoneError? {
      thrown { () throws(MicrophoneError) in try call.microphone(sampleRate: rate, channels: channels) }
    }
    let (call, other) = (try await rig.session.join("call"), try await rig.session.join("other"))
    #expect(refusal(try rig.rig.manager.call("ear", rig.session), 48_000) == .doesNotSend(id: "ear"))
    #expect(refusal(call, 1) == .impossibleSampleRate(1))
    #expect(refusal(call, nil, 3) == .impossibleChannels(3))
    let microphone = try call.microphone()
    #expect(refusal(other) == .taken(by: "call") && refusal(call) == .taken(by: "call"))
    microphone.end()
    #expect(refusal(other) == nil, "nobody holds it, so it has ended")
    #expect(refusal(call) == nil)
    await call.end()
    #expect(refusal(call) == .callEnded(id: "call"))
  }

  @Test("L2: a handle that has ended does nothing to a later call of the same id")
  func stale() async throws {
    let rig = CallRig()
    let old = try await rig.session.join("call")
    let output = try old.makeOutput()
    await old.end()
    let new = try await rig.session.join("call")
    let voice = try new.makeOutput()
    output.end()
    await old.end()
    #expect(thrown { () throws(WriteError) in try output.write(ManagerRig.packet) } == .ended(id: "call"))
    #expect(!new.hasEnded && !voice.hasEnded)
    try voice.write(ManagerRig.packet)
    #expect(voice.status?.framesWritten == 160)
  }

  @Test("L2: a call whose media is unregistered by its name, or whose session is shut down, has ended", arguments: [false, true])
  func endedElsewhere(isShutDown: Bool) async throws {
    let rig = CallRig()
    let call = try await rig.session.join("call")
    let (output, microphone) = (try call.makeOutput(), try call.microphone())
    if isShutDown { await rig.session.shutDown() } else { rig.rig.manager.unregisterMedia(id: "call") }
    #expect(call.hasEnded && output.hasEnded && rig.nodes == 0)
    #expect(thrown { () throws(WriteError) in try output.write(ManagerRig.packet) } == .ended(id: "call"))
    var iterator = microphone.makeAsyncIterator()
    #expect(await iterator.next() == nil)
  }

  @Test("L2: ending a call whose name has become another's meanwhile leaves that one alone", arguments: [false, true])
  func another(isLetGo: Bool) async throws {
    let rig = CallRig()
    let manager = rig.rig.manager
    var call: Call? = try await rig.session.join("call")
    let mayGoOn = DispatchSemaphore(value: 0)
    rig.session.performLater { mayGoOn.wait() }
    let end = isLetGo ? nil : Task { [call] in await call?.end() }
    if !isLetGo { try await wait(for: "the end to be decided") { call?.hasEnded == true } }
    call = nil
    manager.unregisterMedia(id: "call")
    #expect(try manager.owner.register(id: "call", isSend: true, isReceive: true))
    mayGoOn.signal()
    await end?.value
    await rig.session.perform {}
    #expect(manager.owner.session.program("call") != nil && rig.nodes == 1)
    manager.unregisterMedia(id: "call")
  }

  @Test("L7: AudioSession's settings are AudioSessionManager's")
  func settings() {
    let (session, manager) = { ($0.session, $0.rig.manager) }(CallRig())
    session.isMicrophoneMuted = true
    session.microphoneMuteMode = .inputMixer
    session.micMode = .wideSpectrum
    session.echoCanceller = .webrtc
    session.isNoiseSuppressionEnabled = false
    session.isGainControlEnabled = false
    session.isVoiceProcessingBypassed = true
    session.outputVolume = 0.25
    session.microphoneVolume = 0.5
    session.duckingLevel = .max
    session.reference = .mix
    session.isVoiceProcessingEnabled = false
    session.isHighPassFilterEnabled = false
    session.isAdvancedDuckingEnabled = true
    (session.appAudioVolume, session.isAppAudioDucked, session.isAppAudioMonitored) = (2, true, true)
    #expect(manager.isMicrophoneMuted && manager.microphoneMuteMode == .inputMixer && manager.micMode == .wideSpectrum)
    #expect(manager.echoCanceller == .webrtc && !manager.isNoiseSuppressionEnabled && !manager.voiceProcessingEnableAGC)
    #expect(manager.bypassVoiceProcessing && manager.mixer.outputVolume == 0.25 && manager.mixer.micVolume == 0.5)
    #expect(manager.duckingLevel == .max && session.diagnostics == manager.getDiagnostics())
    #expect(manager.reference == .mix && !manager.useVoiceProcessingIO && !manager.isHighPassFilterEnabled)
    #expect(manager.isAdvancedDuckingEnabled && manager.mixer.appVolume == 1)
    #expect(manager.mixer.isAppAudioDucked && manager.mixer.isAppAudioMonitored)
    session.appAudioVolume = .nan
    #expect(session.appAudioVolume == 1)
  }
}

extension AudioSessionManager {
  /// A call that only receives.
  fileprivate func call(_ id: String, _ session: AudioSession) throws -> Call { try session.join(id, sends: false) }
}
