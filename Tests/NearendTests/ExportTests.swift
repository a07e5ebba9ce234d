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
    let alice: ManualRenderer.Output = try renderer.makeOutput(sampleRate: 16_000, bufferDuration: .milliseconds(200))
    try alice.write([Int16](repeating: 1_000, count: 160))
    let status: OutputStatus? = alice.status
    #expect(status?.buffered == .milliseconds(10))
    #expect(throws: OutputError.impossibleSampleRate(1)) { try renderer.makeOutput(sampleRate: 1) }
    let jingle: AppAudioBuffer = try AppAudioBuffer(
      interleaved: [Float](repeating: 0.1, count: 480), sampleRate: 48_000, channelCount: 1)
    #expect(renderer.capture(appAudio: jingle))
    let refusal: SessionRefusal = .locked(setting: "configuration")
    #expect(refusal.description.contains("set it before"))
  }
}
