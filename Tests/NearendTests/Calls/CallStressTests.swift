import Dispatch
import Foundation
import RealtimeCore
import SessionModel
import Synchronization
import Testing

@testable import Nearend

@Suite("Calls as handles, from many threads", .timeLimit(.minutes(3)))
struct CallStressTests {
  private static let ids = ["one", "two", "three"]

  /// Handles shared by several threads, any of which uses, replaces or releases them.
  private final class Shared: Sendable {
    struct Handles: Sendable {
      var call: Call?
      var output: Call.Output?
      var microphone: Call.Microphone?
    }
    let session: AudioSession
    private let handles = Mutex(ids.map { _ in Handles() })

    init(_ session: AudioSession) { self.session = session }

    func get<Value: Sendable>(_ index: Int, _ path: (Handles) -> Value) -> Value { handles.withLock { path($0[index]) } }
    /// Changes the handles of an index; releases the former ones outside the lock.
    func set(_ index: Int, _ change: (inout Handles) -> Void) {
      let old = handles.withLock { handles in
        defer { change(&handles[index]) }
        return handles[index]
      }
      withExtendedLifetime(old) {}
    }
  }

  private static let steps: [@Sendable (Shared, _ index: Int) -> Void] = [
    { shared, index in
      if let call = try? shared.session.join(ids[index], receives: true) { shared.set(index) { $0.call = call } }
    },
    { shared, index in
      if let call = try? shared.session.join(ids[index], sends: false) { shared.set(index) { $0.call = call } }
    },
    { shared, index in shared.get(index) { $0.call }?.end() },
    { shared, index in shared.set(index) { $0.call = nil } },
    { shared, index in
      if let output = try? shared.get(index, { $0.call })?.makeOutput(sampleRate: 16_000) { shared.set(index) { $0.output = output } }
    },
    { shared, index in
      if let microphone = try? shared.get(index, { $0.call })?.microphone() { shared.set(index) { $0.microphone = microphone } }
    },
    { shared, index in try? shared.get(index) { $0.output }?.write(ManagerRig.packet) },
    { shared, index in try? shared.get(index) { $0.output }?.write(ManagerRig.packet) },
    { shared, index in
      guard let output = shared.get(index, { $0.output }) else { return }
      output.setGain(0.5)
      output.setMuted(Bool.random())
      _ = (output.status, output.buffered, output.hasEnded)
    },
    { shared, index in shared.get(index) { $0.output }?.end() },
    { shared, index in shared.get(index) { $0.microphone }?.end() },
    { shared, index in shared.set(index) { $0.output = nil } },
    { shared, index in shared.set(index) { $0.microphone = nil } },
    { shared, index in shared.session.owner.unregister(id: ids[index]) },
    { shared, _ in _ = (shared.session.isActive, shared.session.mode, shared.session.route, shared.session.events) },
    { shared, _ in try? shared.session.set(.useVoiceProcessingIO(Bool.random())) },
    { shared, _ in try? shared.session.configure { $0.controlSocket = shared.session.configuration.controlSocket } },
    { shared, index in _ = try? shared.get(index) { $0.call }?.tapMicrophone { _, _, _, _, _, _ in } },
    { shared, _ in try? shared.session.playIntoMicrophone(appAudio) },
    { shared, _ in try? shared.session.setRecordingPrepared(Bool.random()) },
    { shared, _ in _ = (shared.session.isRecordingPrepared, shared.session.isManuallyActivated) },
    { shared, _ in try? shared.session.activate() },
    { shared, _ in try? shared.session.deactivate() },
    { shared, _ in if shared.session.isPausedAfterUnplug { shared.session.resumeAfterUnplug() } },
    { shared, _ in try? shared.session.setEngineObservers([], mixesAppAudio: Bool.random()) },
    { shared, _ in try? shared.session.setManualRendering(false) },
    { shared, _ in _ = (shared.session.isManualRendering, shared.session.manualRenderer == nil, shared.session.unit) },
    { shared, _ in _ = (shared.session.diagnostics, shared.session.telemetryJSON) },
    { shared, _ in if Int.random(in: 0..<20) == 0 { shared.session.shutDown() } },
    { shared, _ in change(shared.session) },
  ]
  private static let appAudio = try! AppAudioBuffer(interleaved: [Int16](repeating: 500, count: 480), sampleRate: 48_000, channelCount: 1)

  /// Changes every live setting.
  private static func change(_ session: AudioSession) {
    session.isMicrophoneMuted.toggle()
    session.microphoneMuteMode = .allCases.randomElement()!
    session.micMode = .allCases.randomElement()!
    session.echoCanceller = .allCases.randomElement()!
    session.reference = .allCases.randomElement()!
    session.duckingLevel = .allCases.randomElement()!
    session.isAdvancedDuckingEnabled.toggle()
    session.isVoiceProcessingEnabled.toggle()
    session.isVoiceProcessingBypassed.toggle()
    session.isNoiseSuppressionEnabled.toggle()
    session.isGainControlEnabled.toggle()
    session.isHighPassFilterEnabled.toggle()
    session.isAppAudioDucked.toggle()
    session.isAppAudioMonitored.toggle()
    session.isAutomaticConfigurationEnabled.toggle()
    session.isAutomaticDeactivationEnabled.toggle()
    session.outputVolume = .random(in: 0...1)
    session.microphoneVolume = .random(in: 0...1)
    session.appAudioVolume = .random(in: 0...1)
  }

  @Test("L8: the stress test calls every public member of AudioSession")
  func surface() throws {
    let here = try String(contentsOfFile: #filePath, encoding: .utf8)
    let calls = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources/Nearend/Calls/Session")
    let files = try FileManager.default.contentsOfDirectory(at: calls, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix("AudioSession+") || $0.lastPathComponent == "AudioSession.swift" }
    var names: Set<String> = []
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /public (?:func|var) (\w+)/) { names.insert(String(match.1)) }
    }
    #expect(names.count > 30)
    #expect(names.filter { here.range(of: "\\.\($0)\\b", options: .regularExpression) == nil } == [])
  }

  @Test("L8, L1, L2: handles made, used, shared and let go on eight threads: one node at most, none once they are gone, and a free session")
  func stress() async throws {
    let world = GraphWorld()
    let session = AudioSession(world.makeOwner())
    do {
      let shared = Shared(session)
      DispatchQueue.concurrentPerform(iterations: StressTests.threads) { _ in
        for _ in 0..<StressTests.rounds {
          for step in Self.steps.shuffled() { step(shared, Int.random(in: 0..<Self.ids.count)) }
        }
      }
    }
    try await session.setRecordingPrepared(false)
    (session.isAutomaticConfigurationEnabled, session.isAutomaticDeactivationEnabled) = (true, true)
    try await wait(for: "every call to have ended") { world.nodes == 0 }
    #expect(world.mostNodes == 1 && session.owner.session.media.isEmpty)
    let call = try await session.join("one")
    try call.makeOutput().write(ManagerRig.packet)
    #expect(try call.microphone().call === call && world.nodes == 1)
  }
}
