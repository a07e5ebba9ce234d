import Foundation
import RealtimeCore
import Synchronization
import Testing

@testable import Nearend

@Suite("What a microphone's callback asks", .timeLimit(.minutes(1)))
struct CallbackReadTests {
  /// What a callback does in its first cycle.
  private final class Once: Sendable {
    let body = Mutex<(@Sendable () -> Void)?>(nil)
    let hasBegun = Atomic(false)
    let isOver = Atomic(false)

    func called() {
      let body = body.withLock { body in
        defer { body = nil }
        return body
      }
      guard let body else { return }
      hasBegun.store(true, ordering: .releasing)
      body()
      isOver.store(true, ordering: .releasing)
    }
  }

  @Test("L8: a callback that asks and writes returns, while its source is ended by another thread, which waits for it")
  func whileItEnds() async throws {
    let rig = ManagerRig()
    let manager = rig.manager
    try manager.setManualRenderingMode(true)
    try rig.registerCall()
    #expect(rig.registerSpeaker())
    let renderer = try #require(manager.manualRenderer)
    try await wait(for: "the session to send") { renderer.isSending }
    let once = Once()
    let mistakes = Mutex<[String]>([])
    let hasEnded = Atomic(false)
    once.body.withLock {
      $0 = {
        // The source is gone as soon as its end begins.
        while manager.microphoneInputMediaId != nil {
          // Until the ring is full, and a frame drop is posted.
          _ = manager.writeSpeakerData(mediaId: "ear", data: ManagerRig.packet)
          _ = manager.isSessionActive
        }
        if hasEnded.load(ordering: .acquiring) { mistakes.withLock { $0.append("the end did not wait for the callback") } }
        Self.askEverything(manager)
        if manager.getSharedUnit() != nil { mistakes.withLock { $0.append("a unit, for which the callback would have to wait") } }
        if !manager.getDiagnostics().contains("microphone's callback") { mistakes.withLock { $0.append("diagnostics say no reason") } }
      }
    }
    #expect(
      manager.registerMicrophoneInput(mediaId: "mic", context: Unmanaged.passUnretained(once).toOpaque()) { context, _, _, _, _, _ in
        Unmanaged<Once>.fromOpaque(context!).takeUnretainedValue().called()
      })
    Thread.detachNewThread { _ = try? renderer.cycle(microphone: [Float](repeating: 0.25, count: 480)) }
    try await wait(for: "the callback") { once.hasBegun.load(ordering: .acquiring) }
    Thread.detachNewThread {
      manager.unregisterMicrophoneInput(mediaId: "mic")
      hasEnded.store(true, ordering: .releasing)
    }
    try await wait(for: "the callback to return") { once.isOver.load(ordering: .acquiring) }
    try await wait(for: "the end") { hasEnded.load(ordering: .acquiring) }
    #expect(mistakes.withLock { $0 }.isEmpty, "\(mistakes.withLock { $0 })")
    withExtendedLifetime(once) {}
    rig.unregisterCall()
  }

  /// Calls everything that a program may ask or set.
  private static func askEverything(_ manager: AudioSessionManager) {
    _ = manager.getDiagnostics()
    _ = manager.getTelemetryJson()
    _ = manager.getSharedUnit()
    _ = manager.currentRoute
    _ = manager.isPausedAfterUnplug
    _ = manager.speakerOutputStatuses
    _ = manager.registeredSpeakerOutputMediaIds
    _ = (manager.isMicrophoneMuted, manager.bypassVoiceProcessing, manager.channelCount, manager.duckingLevel)
    manager.isMicrophoneMuted = true
    manager.setSpeakerOutputGain(mediaId: "ear", gain: 0.5)
    manager.setSpeakerOutputMuted(mediaId: "ear", isMuted: true)
    manager.updateSsrc(mediaId: "ear", ssrc: 7)
    manager.notifySinkFrameDrop(mediaId: "ear", consecutive: 1, total: 1)
    manager.reportSourceAudioActivity(mediaId: "mic")
    _ = manager.registerSpeakerOutput(mediaId: "mic", sampleRate: 16_000, channelCount: 1, bufferSize: 3_200)
    _ = manager.registerMicrophoneInput(mediaId: "ear", context: nil) { _, _, _, _, _, _ in }
    manager.resumeAfterUnplug()
  }
}
