import Nearend
import Testing

/// Imports only the product `Nearend`, as a program does.
@Suite("import Nearend is enough")
struct ExportTests {
  @Test("D4, K1: to configure a session, to give it a participant, and to play something into the microphone")
  func names() throws {
    let interruptions: InterruptionOptions = InterruptionOptions(roles: ["Phone"])
    let configuration = AudioSessionConfiguration(interruptions: interruptions, controlSocket: nil)
    #expect(configuration.interruptions.roles == ["Phone"])
    let renderer = try ManualRenderer(rate: 48_000)
    let sink: RingSink = try renderer.addRingSink(id: "alice", sampleRate: 16_000, channelCount: 1, bufferSize: 6_400)
    let format: SinkFormat = sink.format
    #expect(format.bytesPerFrame == 2)
    #expect([Int16](repeating: 1_000, count: 160).withUnsafeBytes { sink.write($0) })
    let status: RingSinkStatus = sink.status()
    #expect(status.fillBytes == 320)
    #expect(throws: SinkError.alreadyRegistered(id: "alice")) {
      _ = try renderer.addRingSink(id: "alice", sampleRate: 16_000, channelCount: 1, bufferSize: 6_400)
    }
    let jingle: AppAudioBuffer = try AppAudioBuffer(
      interleaved: [Float](repeating: 0.1, count: 480), sampleRate: 48_000, channelCount: 1)
    #expect(renderer.capture(appAudio: jingle))
    let refusal: SessionRefusal = .locked(setting: "configuration")
    #expect(refusal.description.contains("set it before"))
  }
}
