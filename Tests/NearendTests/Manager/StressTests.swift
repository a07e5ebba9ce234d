import Dispatch
import Foundation
import RealtimeCore
import SeededSignals
import SessionModel
import Synchronization
import Testing

@testable import Nearend

@Suite("The manager from many threads")
struct StressTests {
  static let threads = 8
  static let rounds = 100

  private final class Observer: AudioSessionManagerObserver {
    @MainActor func audioSessionManager(_: AudioSessionManager, didPost event: AudioEvent) {}
  }

  /// Every public call, by number.
  static let calls: [@Sendable (AudioSessionManager, _ id: String) -> Void] = [
    { manager, id in try? manager.registerMedia(id: id, isSend: true, isReceive: true) },
    { manager, id in try? manager.registerMedia(id: id, isSend: false, isReceive: true) },
    { manager, id in manager.unregisterMedia(id: id) },
    { manager, id in
      _ = manager.registerSpeakerOutput(mediaId: id, sampleRate: 16_000, channelCount: 1, bufferSize: 960)
    },
    { manager, id in manager.unregisterSpeakerOutput(mediaId: id) },
    { manager, id in _ = manager.writeSpeakerData(mediaId: id, data: ManagerRig.packet) },
    { manager, id in _ = manager.writeSpeakerData(mediaId: id, data: ManagerRig.packet) },
    { manager, _ in _ = manager.registeredSpeakerOutputMediaIds },
    { manager, _ in manager.audioSessionDidActivateExternally() },
    { manager, _ in manager.audioSessionDidDeactivateExternally() },
    { manager, _ in _ = (manager.isSessionActive, manager.getSharedUnit()) },
    { manager, _ in manager.bypassVoiceProcessing.toggle() },
    { manager, _ in manager.voiceProcessingEnableAGC.toggle() },
    { manager, _ in manager.isNoiseSuppressionEnabled.toggle() },
    { manager, _ in manager.isEchoCancellationEnabled.toggle() },
    { manager, _ in manager.echoCanceller = EchoCanceller.allCases.randomElement()! },
    { manager, _ in manager.micMode = MicMode.allCases.randomElement()! },
    { manager, _ in manager.reference = ReferenceSource.allCases.randomElement()! },
    { manager, _ in manager.isHighPassFilterEnabled.toggle() },
    { manager, _ in manager.isMicrophoneMuted.toggle() },
    { manager, _ in manager.useVoiceProcessingIO.toggle() },
    { manager, _ in manager.channelCount = 1 },
    { manager, _ in manager.captureChannelCount = 2 },
    { manager, _ in manager.renderChannelCount = 2 },
    { manager, _ in manager.manualAudioSessionManagement.toggle() },
    { manager, _ in manager.setVoiceProcessingEnabled(true) },
    { manager, _ in manager.isAutomaticConfigurationEnabled.toggle() },
    { manager, _ in manager.isAutomaticDeactivationEnabled.toggle() },
    { manager, _ in manager.configuration = AudioSessionConfiguration(controlSocket: nil) },
    { manager, _ in _ = manager.configuration },
    { manager, _ in
      let observer = Observer()
      manager.addObserver(observer)
      manager.removeObserver(observer)
    },
    { manager, _ in _ = manager.events },
    { manager, id in manager.notifySinkFrameDrop(mediaId: id, consecutive: 1, total: 1) },
    { manager, id in manager.updateSsrc(mediaId: id, ssrc: 1) },
    { manager, id in manager.reportSourceAudioActivity(mediaId: id) },
    { manager, id in
      manager.reportSourceResampling(mediaId: id, captureRate: 16_000, outputRate: 48_000, isResampling: true)
    },
    { manager, _ in _ = (manager.getDiagnostics(), manager.getTelemetryJson()) },
    { manager, id in _ = manager.registerMicrophoneInput(mediaId: id, context: nil) { _, _, _, _, _, _ in } },
    { manager, id in manager.unregisterMicrophoneInput(mediaId: id) },
    { manager, id in _ = try? manager.microphoneBuffers(mediaId: id) },
    { manager, _ in _ = manager.microphoneInputMediaId },
    { manager, _ in try? manager.setManualRenderingMode(false) },
    { manager, _ in _ = (manager.isManualRenderingMode, manager.manualRenderer == nil) },
    { manager, _ in manager.isVoiceProcessingBypassed.toggle() },
    { manager, id in
      manager.setSpeakerOutputGain(mediaId: id, gain: .random(in: 0...4))
      manager.setSpeakerOutputMuted(mediaId: id, isMuted: Bool.random())
      _ = (manager.speakerOutputStatus(mediaId: id), manager.speakerOutputStatuses)
    },
    { manager, _ in
      manager.set(microphoneMuteMode: MicrophoneMuteMode.allCases.randomElement()!)
      _ = manager.microphoneMuteMode
    },
    { manager, _ in try? manager.setRecordingAlwaysPreparedMode(true) },
    { manager, _ in try? manager.setRecordingAlwaysPreparedMode(false) },
    { manager, _ in _ = manager.isRecordingAlwaysPreparedMode },
    { manager, _ in _ = manager.mixer.capture(appAudio: appAudio) },
    { manager, _ in
      manager.mixer.micVolume = .random(in: 0...1)
      manager.mixer.appVolume = .random(in: 0...1)
      manager.mixer.outputVolume = .random(in: 0...1)
    },
    { manager, _ in
      manager.mixer.isAppAudioDucked.toggle()
      manager.mixer.isAppAudioMonitored.toggle()
    },
    { manager, _ in manager.duckingLevel = DuckingLevel.allCases.randomElement()! },
    { manager, _ in manager.isAdvancedDuckingEnabled.toggle() },
    { manager, _ in _ = (manager.currentRoute, manager.isPausedAfterUnplug) },
    { manager, _ in manager.resumeAfterUnplug() },
    { manager, _ in manager.set(engineObservers: Bool.random() ? [manager.audioSession, manager.mixer] : []) },
    { manager, _ in manager.audioSession.isAutomaticDeactivationEnabled.toggle() },
    { manager, _ in _ = manager.mode },
    { manager, _ in manager.shutDown() },
  ]
  private static let appAudio = try! AppAudioBuffer(interleaved: [Int16](repeating: 500, count: 480), sampleRate: 48_000, channelCount: 1)

  /// Names that are no calls: made once, or also members of other types.
  private static let uncalled: Set = ["shared", "init"]

  @Test("L8: the stress test calls every public member of the manager")
  func surface() throws {
    let here = try String(contentsOfFile: #filePath, encoding: .utf8)
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let manager = package.appending(path: "Sources/Nearend/Manager")
    let files = try FileManager.default.contentsOfDirectory(at: manager, includingPropertiesForKeys: nil)
    var names: Set<String> = []
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /public (?:static )?(?:func|var) (\w+)/) { names.insert(String(match.1)) }
    }
    #expect(names.count > 40)
    let missing = names.subtracting(Self.uncalled).filter { !here.contains(".\($0)") }
    #expect(missing == [])
  }

  @Test("L8: every public call from 8 threads at once; no race, no deadlock, one node at most, and in the end none")
  func everything() throws {
    let rig = ManagerRig()
    let seed = UInt64.random(in: 0...UInt64.max)
    DispatchQueue.concurrentPerform(iterations: Self.threads) { thread in
      var generator = SeededGenerator(seed: seed &+ UInt64(thread))
      func next(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
      for _ in 0..<Self.rounds {
        // Several threads use the same ids.
        Self.calls[next(Self.calls.count)](rig.manager, "m\(next(4))")
        if next(20) == 0 { rig.world.graph?.use(next(2) == 0 ? [GraphDouble.recorder] : []) }
      }
    }
    #expect(rig.world.mostNodes == 1, "seed \(seed)")
    rig.manager.shutDown()
    #expect(rig.world.nodes == 0)
    #expect(rig.manager.owner.session.media == [])
    #expect(rig.manager.owner.session.sinks == [])
    #expect(rig.world.starts > 1, "sessions came and went")
  }

  @Test("L8: writers never wait for a session that ends meanwhile, and never write into it")
  func writersDuringRestarts() throws {
    let rig = ManagerRig()
    let isOver = Mutex(false)
    let written = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      if thread > 0 {
        while !isOver.withLock({ $0 }) {
          if rig.manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet) { written.withLock { $0 += 1 } }
        }
        return
      }
      defer { isOver.withLock { $0 = true } }
      for _ in 0..<5 {
        let before = written.withLock { $0 }
        guard (try? rig.registerCall()) != nil, rig.registerSpeaker() else {
          Issue.record("the session did not start")
          return
        }
        while written.withLock({ $0 }) == before {}
        rig.unregisterCall()
      }
    }
    #expect(rig.world.nodes == 0)
    #expect(written.withLock { $0 } >= 5)
  }
}
