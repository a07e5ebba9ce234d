import Nearend
import Testing

/// Imports only the product, as a program does.
@Suite("import Nearend is enough")
struct ExportTests {
  @Test("D4, K1: to run nearend in a program, to give it a participant, and to play something into the microphone")
  func service() throws {
    let service = try NearendService(NearendOptions(graph: GraphOptions(), controlSocket: nil))
    let format: SinkFormat = try SinkFormat(sampleRate: 48_000, channelCount: 1, sampleType: .float32)
    let source: RingSink = try service.addAppAudio(id: "jingle", format: format, bufferSize: 9_600)
    #expect([Float](repeating: 0.1, count: 480).withUnsafeBytes { source.write($0) })
    let status: RingSinkStatus = source.status()
    #expect(status.fillBytes == 1_920)
    #expect(throws: SinkError.alreadyRegistered(id: "jingle")) {
      _ = try service.addAppAudio(id: "jingle", format: format, bufferSize: 9_600)
    }
    #expect(service.removeAppAudio(id: "jingle"))
    let sink: RingSink = try service.addRingSink(id: "alice", sampleRate: 16_000, channelCount: 1, bufferSize: 6_400)
    #expect(sink.format.bytesPerFrame == 2)
    service.stop()
  }
}
