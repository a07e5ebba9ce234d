import RealtimeCore
import SessionModel
import Testing

@testable import Nearend

/// A callback that does nothing.
private func ignore(
  _: UnsafeMutableRawPointer?, _: UnsafePointer<Float>, _: Int, _: Int, _: Int, _: UInt64
) {}

@Suite("The manager's microphone input")
struct MicrophoneInputTests {
  private func register(_ rig: ManagerRig, _ id: String) -> Bool {
    rig.manager.registerMicrophoneInput(mediaId: id, context: nil, callback: ignore)
  }

  @Test("L5: one source at a time; a second is refused, and unregistering with another id does nothing")
  func oneSource() throws {
    let rig = ManagerRig()
    #expect(!register(rig, "mic"), "no media yet")
    #expect(rig.manager.microphoneInputMediaId == nil)
    try rig.registerCall()
    try rig.manager.registerMedia(id: "second", isSend: true, isReceive: false)
    #expect(register(rig, "mic"))
    #expect(!register(rig, "mic"))
    #expect(!register(rig, "second"))
    #expect(!register(rig, "ear"), "it does not send")
    #expect(rig.warnings.count == 4, "each refusal says why")
    #expect(rig.manager.microphoneInputMediaId == "mic")
    rig.manager.unregisterMicrophoneInput(mediaId: "second")
    #expect(rig.manager.microphoneInputMediaId == "mic")
    rig.manager.unregisterMicrophoneInput(mediaId: "mic")
    #expect(rig.manager.microphoneInputMediaId == nil)
    #expect(register(rig, "second"))
  }

  @Test("L2, L5: unregistering its media takes the source with it")
  func mediaGone() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    #expect(register(rig, "mic"))
    rig.manager.unregisterMedia(id: "mic")
    #expect(rig.manager.microphoneInputMediaId == nil)
    rig.manager.unregisterMedia(id: "ear")
    #expect(rig.manager.microphoneInputMediaId == nil)
  }

  @Test("S3: in manual mode a source waits for activation, runs from then on, and waits again after deactivation")
  func deferred() throws {
    let rig = ManagerRig()
    rig.manager.manualAudioSessionManagement = true
    try rig.registerCall()
    #expect(register(rig, "mic"))
    #expect(rig.manager.owner.session.source?.phase == .deferred)
    rig.manager.audioSessionDidActivateExternally()
    #expect(rig.manager.owner.session.source?.phase == .running)
    rig.manager.audioSessionDidDeactivateExternally()
    #expect(rig.manager.owner.session.source?.phase == .deferred)
    #expect(rig.manager.microphoneInputMediaId == "mic", "it stays registered")
  }

  @Test("L5: a stream is a source like another, in the format asked for, and ends with its media")
  func stream() async throws {
    let rig = ManagerRig()
    #expect(throws: SourceError.refused(.unknownMedia(id: "mic"))) { _ = try rig.manager.microphoneBuffers(mediaId: "mic") }
    try rig.registerCall()
    #expect(throws: SourceError.impossibleSampleRate(1)) { _ = try rig.manager.microphoneBuffers(mediaId: "mic", sampleRate: 1) }
    let stream = try rig.manager.microphoneBuffers(mediaId: "mic", sampleRate: 16_000, channelCount: 2)
    #expect(stream.sampleRate == 16_000)
    #expect(stream.channelCount == 2)
    #expect(!register(rig, "mic"))
    rig.unregisterCall()
    var buffers = 0
    for await _ in stream { buffers += 1 }
    #expect(buffers == 0)
  }

  @Test("L6: the session's channel counts reach source and mix")
  func channelCounts() throws {
    let rig = ManagerRig()
    rig.manager.captureChannelCount = 2
    rig.manager.renderChannelCount = 1
    try rig.registerCall()
    #expect(rig.manager.owner.service?.core.source.channelCount == 2)
    #expect(rig.manager.owner.service?.core.mixer.channelCount == 1)
    #expect(try rig.manager.microphoneBuffers(mediaId: "mic").channelCount == 2)
  }
}
