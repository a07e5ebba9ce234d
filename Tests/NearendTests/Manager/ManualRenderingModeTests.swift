import PipeWireGraph
import RealtimeCore
import SessionModel
import Synchronization
import Testing

@testable import Nearend

@Suite("The manager in manual rendering mode")
struct ManualRenderingModeTests {
  private final class Steps: AudioEngineObserver {
    private let steps = Mutex<[String]>([])
    var all: [String] { steps.withLock { $0 } }
    private func note(_ step: String) { steps.withLock { $0.append(step) } }

    func engineDidCreate(_ engine: AudioEngine) { note("create") }
    func engineWillConnectInput(_ engine: AudioEngine) { note("input") }
    func engineWillConnectOutput(_ engine: AudioEngine) { note("output") }
    func engineWillStart(_ engine: AudioEngine, use: EngineUse) { note("start") }
    func engineWillRelease(_ engine: AudioEngine) { note("release") }
  }

  private static func tone(_ frames: Int, level: Float) -> [Float] { (0..<frames).map { $0 % 96 < 48 ? level : -level } }

  @Test("S9: a session without a daemon: source, speaker outputs, application audio, observers and settings; the program runs the cycles")
  func session() async throws {
    let rig = ManagerRig()
    let (manager, steps) = (rig.manager, Steps())
    manager.configuration.reference = .mix
    manager.useVoiceProcessingIO = false
    manager.set(engineObservers: [manager.audioSession, manager.mixer, steps])
    try manager.setManualRenderingMode(true)
    #expect(manager.isManualRenderingMode && manager.manualRenderer == nil)
    try rig.registerCall()
    #expect(rig.world.starts == 0, "nothing joined a graph")
    #expect(manager.isSessionActive)
    #expect(steps.all == ["create", "input", "start", "output"])
    let renderer = try #require(manager.manualRenderer)
    try await wait(for: "the session to send") { renderer.isSending }
    #expect(rig.registerSpeaker())
    let stream = try manager.microphoneBuffers(mediaId: "mic", sampleRate: 48_000)
    let microphone = Self.tone(480, level: 0.25)
    var (speaker, voice): (Float, [Float]) = (0, [])
    for _ in 0..<20 {
      #expect(manager.writeSpeakerData(mediaId: "ear", data: [Int16](repeating: 8_000, count: 160)))
      let cycle = try renderer.cycle(microphone: microphone)
      speaker = max(speaker, cycle.speaker.left.max() ?? 0)
      voice = cycle.voice
    }
    #expect(speaker > 0.2, "the speaker output is played")
    #expect(voice == microphone, "with voice processing off the voice is the microphone")
    var iterator = stream.makeAsyncIterator()
    let buffer = try #require(await iterator.next())
    #expect(buffer.samples.contains { $0 != 0 })
    stream.cancel()

    manager.isMicrophoneMuted = true
    let jingle = try AppAudioBuffer(interleaved: Self.tone(48_000, level: 0.125), sampleRate: 48_000, channelCount: 1)
    #expect(manager.mixer.capture(appAudio: jingle))
    var loudest: Float = 0
    for _ in 0..<60 { loudest = max(loudest, try renderer.cycle(microphone: microphone).voice.dropFirst(240).max() ?? 0) }
    #expect(loudest > 0.1 && loudest < 0.2, "application audio, and nobody at the microphone: \(loudest)")

    rig.unregisterCall()
    #expect(manager.manualRenderer == nil && !manager.isSessionActive)
    #expect(steps.all.last == "release")
    #expect(rig.world.starts == 0)
  }

  @Test("S9, V10: a canceller chosen before or during a session processes the next cycle")
  func engine() throws {
    let rig = ManagerRig()
    rig.manager.echoCanceller = .webrtc
    try rig.manager.setManualRenderingMode(true)
    try rig.registerCall()
    let renderer = try #require(rig.manager.manualRenderer)
    let webrtc = try ManualRenderer()
    try webrtc.set(.echoCanceller, to: .string(EchoCanceller.webrtc.rawValue))
    let own = try ManualRenderer().latency(quantum: 480)
    #expect(own != webrtc.latency(quantum: 480))
    #expect(renderer.latency(quantum: 480) == webrtc.latency(quantum: 480))
    rig.manager.echoCanceller = .nearend
    #expect(renderer.latency(quantum: 480) == own)
    rig.manager.echoCanceller = .off
    #expect(renderer.latency(quantum: 480) == own, "off keeps the engine")
    rig.unregisterCall()
  }

  @Test("S9, I1: an observer hears its events; a call manager activates it like any session")
  func events() async throws {
    let rig = ManagerRig()
    rig.manager.manualAudioSessionManagement = true
    try rig.manager.setManualRenderingMode(true)
    try rig.registerCall()
    let tape = EventTape(rig.manager.owner.bus)
    let renderer = try #require(rig.manager.manualRenderer)
    #expect(!renderer.isSending)
    rig.manager.audioSessionDidActivateExternally()
    try await wait(for: "the recovery") { tape.kinds.contains(.didRecover) }
    #expect(renderer.isSending)
    #expect(rig.registerSpeaker())
    #expect(rig.manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet))
    for _ in 0..<100 { _ = try renderer.cycle(microphone: [Float](repeating: 0, count: 480)) }
    try await wait(for: "the underrun") { tape.kinds.contains(.sinkUnderrun) }
    rig.manager.shutDown()
  }

  @Test("S9: while a session exists the mode cannot change, with an error; afterwards sessions are in the graph again")
  func locked() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    #expect(throws: GraphError.self) { try rig.manager.setManualRenderingMode(true) }
    #expect(!rig.manager.isManualRenderingMode && rig.manager.manualRenderer == nil)
    try rig.manager.setManualRenderingMode(false)
    rig.unregisterCall()
    try rig.manager.setManualRenderingMode(true)
    try rig.registerCall()
    #expect(throws: GraphError.self) { try rig.manager.setManualRenderingMode(false) }
    rig.unregisterCall()
    #expect(rig.world.starts == 1)
    try rig.manager.setManualRenderingMode(false)
    try rig.registerCall()
    #expect(rig.world.starts == 2)
    rig.unregisterCall()
  }
}
