import Foundation
import PipeWireGraph
import RealtimeCore
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import Nearend

/// A program on the library, joined to the nearend of a `ControlRig`.
final class JoinedProgram: Sendable {
  let manager = AudioSessionManager(SessionOwner { core, _, listener in ManualGraph(core: core, listener: listener) })
  private let posted = Mutex<[AudioEvent]>([])
  private let subscription = Mutex<EventBus.Subscription?>(nil)

  init(_ rig: ControlRig) {
    manager.configuration = AudioSessionConfiguration(controlSocket: rig.path)
    let heard = manager.owner.bus.subscribe { [weak self] in if case .event(let event) = $0 { self?.posted.withLock { $0.append(event) } } }
    subscription.withLock { $0 = heard }
  }

  deinit { manager.shutDown() }

  var events: [AudioEvent] { posted.withLock { $0 } }
  func events(_ kind: AudioEvent.Kind) -> [AudioEvent] { events.filter { $0.kind == kind } }

  /// Registers media "call" that sends and receives, with an output of 200 ms at 48 kHz mono.
  func call() throws -> Bool {
    try manager.registerMedia(id: "call", isSend: true, isReceive: true)
    return manager.registerSpeakerOutput(mediaId: "call", sampleRate: 48_000, channelCount: 1, bufferSize: 19_200)
  }

  /// Writes a tone in pieces of 10 ms, each as soon as there is room, until `isEnough`; false after 10 s.
  func play(_ frequency: Double, until isEnough: () throws -> Bool) rethrows -> Bool {
    // Continues itself, because the frequency is a whole number.
    let second = pcm(sine(frequency, frames: 48_000, level: 0.25))
    var frame = 0
    return try eventually {
      for _ in 0..<4 where manager.writeSpeakerData(mediaId: "call", data: Array(second[frame..<frame + 480])) {
        frame = (frame + 480) % 48_000
      }
      return try isEnough()
    }
  }
}

/// The share of a tone in the power of the last `count` samples. Few samples, because a writer that a busy machine delays leaves gaps.
private func share(of frequency: Double, in samples: [Float], last count: Int = 4_800) -> Double {
  let samples = samples.suffix(count), amplitude = Measures.amplitude(ofTone: frequency, in: samples, rate: 48_000)
  let power = Measures.power(samples)
  return power > 0 ? amplitude * amplitude / (2 * power) : 0
}

@Suite("Joined", .serialized)
struct JoinedTests {
  @Test("O8, L2: where a nearend answers, the first registration joins it and the last leaves it, with nothing left behind")
  func lifecycle() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    let program = JoinedProgram(rig)
    #expect(program.manager.mode == nil)
    #expect(try program.call())
    #expect(program.manager.mode == .joined)
    #expect(program.manager.isSessionActive)
    #expect(rig.snapshot.session.sendMedia == ["call"] && rig.snapshot.session.receiveMedia == ["call"])
    #expect(rig.snapshot.sinks.map(\.id) == ["call"] && rig.snapshot.sinks.first?.capacityBytes == 19_200)
    #expect(program.manager.registeredSpeakerOutputMediaIds == ["call"])
    #expect(program.manager.getDiagnostics().contains("Joined: nearend \(nearendVersion), process \(getpid())"))
    #expect(program.manager.getTelemetryJson()?.contains("\"totalRegisteredMedia\":1") == true)

    #expect(!program.manager.registerSpeakerOutput(mediaId: "call", sampleRate: 48_000, channelCount: 1, bufferSize: 19_200), "K1")
    #expect(!program.manager.registerSpeakerOutput(mediaId: "other", sampleRate: 48_000, channelCount: 1, bufferSize: 19_200))
    #expect(program.events(.mediaRegistered).map(\.mediaId) == ["call"])
    program.manager.unregisterMedia(id: "call")
    #expect(program.manager.mode == nil)
    #expect(rig.wait { rig.snapshot.session.sendMedia.isEmpty && rig.snapshot.sinks.isEmpty && rig.service.clientCount == 0 })
    #expect(program.events(.mediaUnregistered).map(\.mediaId) == ["call"])
  }

  @Test(
    "O8, K2, K6: a joined program's audio is heard; a write that does not fit is refused whole, and counted where it would be played")
  func output() throws {
    let rig = try ControlRig(speed: 2)
    defer { rig.stop() }
    let program = JoinedProgram(rig)
    #expect(try program.call())
    #expect(program.play(700) { rig.played.count > 48_000 && share(of: 700, in: rig.played) > 0.9 })
    #expect(program.manager.speakerOutputStatus(mediaId: "call")?.state == .playing)

    let packet = [Int16](repeating: 0, count: 4_800)
    #expect(eventually { !program.manager.writeSpeakerData(mediaId: "call", data: packet) }, "200 ms do not hold more")
    #expect(rig.wait { rig.snapshot.sinks.first.map { $0.totalDrops > 0 } ?? false })
    let sink = try #require(rig.snapshot.sinks.first)
    #expect(sink.fillBytes <= 19_200 && sink.framesWritten % 480 == 0, "no frame is torn")
    #expect(!program.manager.writeSpeakerData(mediaId: "nobody", data: packet))

    program.manager.setSpeakerOutputGain(mediaId: "call", gain: 0.25)
    program.manager.setSpeakerOutputMuted(mediaId: "call", isMuted: true)
    program.manager.updateSsrc(mediaId: "call", ssrc: 77)
    let row = try #require(program.manager.speakerOutputStatus(mediaId: "call"))
    #expect(row.gain == 0.25 && row.isMuted && row.ssrc == 77)
    #expect(rig.snapshot.sinks.first.map { [$0.gain == 0.25, $0.isMuted, $0.ssrc == 77] } == [true, true, true])
  }

  @Test("O8, K6: a joined program's drops are one event, at the first of a run; and so are those that it reports itself")
  func drops() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let program = JoinedProgram(rig)
    #expect(try program.call())
    let packet = [Int16](repeating: 0, count: 4_800)
    for _ in 0..<22 { _ = program.manager.writeSpeakerData(mediaId: "call", data: packet) }
    #expect(eventually { rig.snapshot.sinks.first?.totalDrops == 20 })
    #expect(eventually { !program.events(.sinkFrameDrop).isEmpty })
    #expect(program.events(.sinkFrameDrop).map(\.mediaId) == ["call"])
    #expect(program.events(.sinkFrameDrop).first?.detail["consecutive"] == 1)

    try program.manager.registerMedia(id: "other", isSend: false, isReceive: true)
    #expect(program.manager.registerSpeakerOutput(mediaId: "other", sampleRate: 48_000, channelCount: 1, bufferSize: 19_200))
    program.manager.notifySinkFrameDrop(mediaId: "nobody", consecutive: 1, total: 1)
    for _ in 0..<2 { program.manager.notifySinkFrameDrop(mediaId: "other", consecutive: 1, total: 7) }
    #expect(eventually { program.events(.sinkFrameDrop).count > 1 })
    let told = program.events(.sinkFrameDrop)
    #expect(told.map(\.mediaId) == ["call", "other"])
    #expect(told.last?.detail["total"] == 7 && told.last?.detail["totalUnderruns"] == 0)
  }

  @Test("O8, L1, L5: two joined programs receive the same voice at the same time, one as a sequence and one by callback")
  func voice() async throws {
    let rig = try ControlRig(speed: 1)
    defer { rig.stop() }
    rig.service.core.isSending = true
    let (one, two) = (JoinedProgram(rig), JoinedProgram(rig))
    #expect(try one.call() && two.call())
    let stream = try one.manager.microphoneBuffers(mediaId: "call", sampleRate: 16_000)
    final class Taken: Sendable {
      let samples = Mutex<[Float]>([])
      let rates = Mutex<Set<Int>>([])
    }
    let taken = Taken()
    let context = Unmanaged.passUnretained(taken).toOpaque()
    let isAccepted = two.manager.registerMicrophoneInput(mediaId: "call", context: context) { context, samples, frames, _, rate, _ in
      let taken = Unmanaged<Taken>.fromOpaque(context!).takeUnretainedValue()
      taken.samples.withLock { $0 += Array(UnsafeBufferPointer(start: samples, count: frames)) }
      taken.rates.withLock { _ = $0.insert(rate) }
    }
    #expect(isAccepted)
    #expect(!two.manager.registerMicrophoneInput(mediaId: "call", context: nil) { _, _, _, _, _, _ in }, "one source in a program")
    // The voice contains what another program plays into the microphone.
    let tone = sine(900, frames: 96_000, level: 0.25)
    #expect(rig.wait { rig.service.play(appAudio: try! AppAudioBuffer(interleaved: tone, sampleRate: 48_000, channelCount: 1)) == nil })
    let sequence = Mutex<[Float]>([])
    let receiving = Task.detached {
      for await buffer in stream {
        #expect(buffer.frames == 160 && buffer.position % 160 == 0)
        sequence.withLock { $0 += buffer.samples.map { Float($0) / 32_768 } }
      }
    }
    // 900 Hz at 16 kHz are 2700 Hz at 48 kHz.
    #expect(eventually { share(of: 2_700, in: sequence.withLock { $0 }, last: 8_000) > 0.9 })
    #expect(eventually { share(of: 900, in: taken.samples.withLock { $0 }) > 0.9 })
    #expect(taken.rates.withLock { $0 } == [48_000])
    two.manager.unregisterMicrophoneInput(mediaId: "call")
    let count = taken.samples.withLock { $0.count }
    #expect(two.manager.microphoneInputMediaId == nil && one.manager.microphoneInputMediaId == "call")
    stream.cancel()
    await receiving.value
    #expect(taken.samples.withLock { $0.count } == count, "nothing is delivered any more")
  }

  @Test("O8: a setting changed by one program is seen by the host and all joined programs, with an event each")
  func settings() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    let (one, two) = (JoinedProgram(rig), JoinedProgram(rig))
    one.manager.voiceProcessingEnableAGC = false
    #expect(try one.call() && two.call())
    #expect(rig.service.value(of: .voiceProcessingEnableAGC) == .bool(false), "what was set before joining is asked for")
    two.manager.isMicrophoneMuted = true
    #expect(two.manager.isMicrophoneMuted && rig.service.value(of: .microphoneMuted) == .bool(true))
    #expect(rig.wait { one.manager.isMicrophoneMuted })
    #expect(rig.wait { [one, two].allSatisfy { $0.events(.settingChanged).contains { $0.detail["setting"] == "microphoneMuted" } } })
    try rig.service.set(.outputVolume, to: .number(0.5))
    #expect(rig.wait { one.manager.mixer.outputVolume == 0.5 && two.manager.mixer.outputVolume == 0.5 })
    two.manager.setVoiceProcessingEnabled(false)
    #expect(rig.service.value(of: .useVoiceProcessingIO) == .bool(false))
    #expect(rig.wait { !one.manager.useVoiceProcessingIO })
    one.manager.useVoiceProcessingIO = true
    #expect(!one.manager.useVoiceProcessingIO, "L6: locked while media is registered")
    let late = JoinedProgram(rig)
    #expect(try late.call())
    #expect(late.manager.isMicrophoneMuted && late.manager.mixer.outputVolume == 0.5 && !late.manager.useVoiceProcessingIO)
  }

  @Test("O8: two programs may choose the same ids: each keeps its own, and its own events")
  func names() throws {
    let rig = try ControlRig(speed: 2)
    defer { rig.stop() }
    let (one, two) = (JoinedProgram(rig), JoinedProgram(rig))
    #expect(try one.call() && two.call())
    #expect(rig.snapshot.session.sendMedia == ["call", "call.2"])
    #expect(two.manager.speakerOutputStatus(mediaId: "call")?.id == "call" && two.manager.speakerOutputStatuses.count == 1)
    try two.manager.registerMedia(id: "friend@example.org", isSend: false, isReceive: true)
    #expect(rig.snapshot.session.receiveMedia.contains("friend_example.org"))
    two.manager.setSpeakerOutputMuted(mediaId: "call", isMuted: true)
    #expect(rig.snapshot.sinks.filter(\.isMuted).map(\.id) == ["call.2"])
    one.manager.unregisterMedia(id: "call")
    #expect(rig.wait { rig.snapshot.session.sendMedia == ["call.2"] })
    #expect(two.events(.mediaUnregistered).isEmpty && two.events(.mediaRegistered).map(\.mediaId) == ["call", "friend@example.org"])
  }

  @Test("O8, S4: the nearend that runs goes and comes: didRecover, and media, outputs, source and settings are there again")
  func restart() throws {
    var rig = try ControlRig(speed: 2)
    defer { rig.stop() }
    rig.service.core.isSending = true
    let program = JoinedProgram(rig)
    #expect(try program.call())
    let stream = try program.manager.microphoneBuffers(mediaId: "call", sampleRate: 48_000)
    let voice = Mutex(0)
    let receiving = Task.detached { for await buffer in stream { voice.withLock { $0 += buffer.frames } } }
    defer { receiving.cancel() }
    program.manager.setSpeakerOutputGain(mediaId: "call", gain: 0.5)
    #expect(eventually { voice.withLock { $0 > 0 } })
    #expect(program.events(.didRecover).isEmpty)

    rig.stop(keepsFolder: true)
    #expect(eventually { program.manager.getSharedUnit() == nil && program.events(.interruptionBegan).count == 1 })
    #expect(program.events(.interruptionBegan).first?.detail["reason"] == "nearendLost")
    #expect(!program.manager.isSessionActive && program.manager.mode == .joined)
    #expect(program.manager.getDiagnostics().contains("Interruption: nearendLost"))
    let packet = [Int16](repeating: 1_000, count: 4_800)
    for _ in 0..<2 { #expect(program.manager.writeSpeakerData(mediaId: "call", data: packet), "it waits, as in a ring") }
    #expect(!program.manager.writeSpeakerData(mediaId: "call", data: packet))
    try program.manager.registerMedia(id: "late", isSend: false, isReceive: true)
    program.manager.bypassVoiceProcessing = true

    let before = voice.withLock { $0 }
    rig = try ControlRig(in: rig.folder, speed: 2)
    rig.service.core.isSending = true
    #expect(eventually { program.events(.interruptionEnded).count == 1 })
    #expect(program.manager.isSessionActive)
    #expect(rig.snapshot.session.receiveMedia.sorted() == ["call", "late"])
    #expect(rig.snapshot.sinks.first.map { $0.id == "call" && $0.gain == 0.5 } == true)
    #expect(rig.service.value(of: .bypassVoiceProcessing) == .bool(true), "what was set meanwhile")
    // The rig's graph has no links to wait for, so the test reports that sound passes.
    #expect(
      rig.wait {
        rig.service.session.soundPasses()
        return program.events(.didRecover).count == 1
      })
    #expect(eventually { voice.withLock { $0 > before + 4_800 } }, "the source goes on")
    #expect(program.play(600) { share(of: 600, in: rig.played) > 0.9 })
  }

  @Test("O8: when a program is gone, so are its media and outputs, and what it had prepared; nobody else's")
  func death() throws {
    let rig = try ControlRig(speed: 1)
    defer { rig.stop() }
    let program = JoinedProgram(rig)
    #expect(try program.call())
    let link = try #require(try HostLink.open(rig.path, patience: 0))
    try link.request("POST", "/media/doomed?send=1&receive=1&program=\(link.welcome.program)")
    let stream = try link.open("/playout/doomed", ["rate": 48_000, "channels": 1, "bytes": 9_600])
    try link.request("PATCH", "/settings?program=\(link.welcome.program)", ["recordingAlwaysPrepared": true])
    #expect(rig.snapshot.session.sendMedia == ["call", "doomed"] && rig.snapshot.session.isRecordingAlwaysPrepared)
    #expect(rig.snapshot.sinks.map(\.id) == ["call", "doomed"])
    // As for a killed process: the kernel closes its connections, without a farewell.
    link.end()
    #expect(rig.wait { rig.snapshot.session.sendMedia == ["call"] && rig.snapshot.sinks.map(\.id) == ["call"] })
    #expect(rig.wait { !rig.snapshot.session.isRecordingAlwaysPrepared })
    #expect(program.play(500) { share(of: 500, in: rig.played) > 0.9 }, "the other plays on")
    withExtendedLifetime(stream) {}
  }

  @Test("O8, S1, S3: manual management is the program's own: its media is at the host while its call manager has activated it")
  func manual() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    let (program, other) = (JoinedProgram(rig), JoinedProgram(rig))
    program.manager.manualAudioSessionManagement = true
    #expect(try program.call())
    #expect(try other.call())
    #expect(rig.snapshot.session.sendMedia == ["call"], "the other's")
    #expect(rig.service.value(of: .manualAudioSessionManagement) == .bool(false) && !other.manager.manualAudioSessionManagement)
    #expect(program.manager.manualAudioSessionManagement && !program.manager.isSessionActive)
    #expect(program.manager.writeSpeakerData(mediaId: "call", data: [Int16](repeating: 1, count: 480)))
    program.manager.audioSessionDidActivateExternally()
    #expect(rig.snapshot.session.sendMedia == ["call", "call.2"] && program.manager.isSessionActive)
    #expect(
      rig.wait {
        rig.service.session.soundPasses()
        return program.events(.didRecover).count == 1
      })
    #expect(other.events(.didRecover).isEmpty)
    program.manager.audioSessionDidDeactivateExternally()
    #expect(rig.wait { rig.snapshot.session.sendMedia == ["call"] && rig.snapshot.sinks.map(\.id) == ["call"] })
  }

  @Test("O8, S5: devices are the host's: a joined program that switches automatic configuration off is told that it has no effect")
  func automaticConfiguration() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    let program = JoinedProgram(rig)
    let log = program.manager.owner.log
    func warnings() -> Int { log.all.count { $0.level == .warning && $0.message.contains("automatic configuration") } }
    program.manager.isAutomaticConfigurationEnabled = false
    #expect(warnings() == 0)
    #expect(try program.call())
    #expect(warnings() == 1, "switched off before it joined")
    program.manager.isAutomaticConfigurationEnabled = true
    #expect(warnings() == 1)
    program.manager.isAutomaticConfigurationEnabled = false
    #expect(warnings() == 2)
    #expect(rig.snapshot.session.sendMedia == ["call"])
  }

  @Test("O8, D4: application audio of a joined program is in everybody's voice, and ends with the program")
  func appAudio() throws {
    let rig = try ControlRig(speed: 1)
    defer { rig.stop() }
    rig.service.core.isSending = true
    let program = JoinedProgram(rig)
    #expect(try program.call())
    let tone = sine(1_100, frames: 4_800, level: 0.25)
    let buffer = try AppAudioBuffer(interleaved: tone, sampleRate: 48_000, channelCount: 1)
    #expect(
      eventually {
        _ = program.manager.mixer.capture(appAudio: buffer)
        return share(of: 1_100, in: rig.outgoing) > 0.9
      })
    program.manager.unregisterMedia(id: "call")
    #expect(rig.wait { rig.snapshot.appAudio.sources.isEmpty })
  }

  @Test("O8, D4: application audio that the joined nearend refuses is unavailable, not too much")
  func refusedAppAudio() throws {
    let rig = try ControlRig(speed: 1)
    defer { rig.stop() }
    rig.service.core.isSending = true
    rig.service.core.appAudio.isEnabled = false
    let program = JoinedProgram(rig)
    #expect(try program.call())
    let buffer = try AppAudioBuffer(interleaved: sine(1_100, frames: 480, level: 0.25), sampleRate: 48_000, channelCount: 1)
    #expect(program.manager.owner.capture(buffer) == .unavailable)
    rig.service.core.appAudio.isEnabled = true
    #expect(program.manager.owner.capture(buffer) == nil)
  }

  @Test("O8, X1: a request for a program that has not joined, for another's media or of another generation is refused with what to do")
  func refusals() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    #expect(try rig.refusal(409, "POST", "/media/a?send=1&program=7")?.contains("no program 7 has joined") == true)
    #expect(try rig.refusal(409, "GET", "/join?version=99&name=old")?.contains("use the same nearend for both") == true)
    #expect(try rig.refusal(426, "GET", "/join?version=1&name=curl")?.contains("Upgrade: nearend-stream") == true)
    #expect(rig.wait { rig.service.clientCount == 0 })
    let link = try #require(try HostLink.open(rig.path, patience: 0))
    defer { link.end() }
    let program = link.welcome.program
    #expect(try rig.refusal(409, "GET", "/playout/a?program=\(program)&rate=48000&channels=1&bytes=9600")?.contains("no media of") == true)
    #expect(try rig.refusal(400, "GET", "/playout/a?program=\(program)")?.contains("rate=, channels= and bytes=") == true)
    #expect(try rig.refusal(400, "GET", "/voice")?.contains("program=<number>") == true)
    try link.request("POST", "/media/a?receive=1&program=\(program)")
    #expect(throws: HostError.self) { try link.open("/playout/a", ["rate": 48_000, "channels": 3, "bytes": 9_600]) }
  }

  @Test("O8: whether a session of its own opens a control socket is the program's choice; without one, another program is told who runs")
  func choice() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/nearend/control.sock"
    for opens in [true, false] {
      let manager = AudioSessionManager(SessionOwner { core, _, listener in ManualGraph(core: core, listener: listener) })
      manager.configuration.controlSocket = path
      manager.configuration.opensControlSocket = opens
      try manager.registerMedia(id: "call", isSend: true, isReceive: true)
      #expect(manager.mode == .own)
      #expect(FileManager.default.fileExists(atPath: path) == opens)
      let other = AudioSessionManager(SessionOwner { core, _, listener in ManualGraph(core: core, listener: listener) })
      other.configuration.controlSocket = path
      other.configuration.opensControlSocket = false
      try other.registerMedia(id: "call", isSend: true, isReceive: false)
      #expect(other.mode == (opens ? .joined : .own))
      manager.unregisterMedia(id: "call")
      #expect(manager.mode == (opens ? .own : nil), "a joined program keeps the session that it uses")
      other.unregisterMedia(id: "call")
      #expect(eventually { manager.mode == nil })
      #expect(eventually { !FileManager.default.fileExists(atPath: path) }, "the socket goes with the session, after its mode")
    }
  }
}
