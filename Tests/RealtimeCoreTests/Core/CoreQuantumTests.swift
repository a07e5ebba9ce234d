import Testing

@testable import RealtimeCore

@Suite struct CoreQuantumTests {
  @Test(
    "X1: in a cycle that is too long, or has an impossible rate, no old audio is heard",
    arguments: [(8_193, 48_000), (16_384, 48_000), (2_147_483_648, 48_000), (8_192, 1), (8_192, 4_294_967_295)])
  func tooLong(frames: Int, rate: Int) throws {
    let core = try AudioCore()
    core.isSending = true
    let outputs = UnsafeMutableBufferPointer<Float>.allocate(capacity: 3 * CycleProcessor.maximumQuantum)
    defer { outputs.deallocate() }
    outputs.initialize(repeating: 0.5)
    var buffers = CycleBuffers(frames: frames, rate: rate, position: 0, driver: 1)
    let first = try #require(outputs.baseAddress)
    buffers.voice = first
    buffers.speaker = (first + CycleProcessor.maximumQuantum, first + 2 * CycleProcessor.maximumQuantum)
    core.realtime.process(&buffers, graphSinks: nil)
    #expect(outputs.allSatisfy { $0 == 0 })
  }
}
