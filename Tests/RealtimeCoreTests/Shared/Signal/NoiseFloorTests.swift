import Testing

@testable import RealtimeCore

@Suite("Noise floor")
struct NoiseFloorTests {
  @Test(
    "V6: the floor follows a room that becomes louder after 1.4 to 1.7 s, in blocks of any length: hops of 256 frames, or 10 ms",
    arguments: [(480, 48_000), (256, 48_000), (256, 16_000), (441, 44_100), (512, 96_000)])
  func span(block: (frames: Int, rate: Int)) throws {
    let seconds = Double(block.frames) / Double(block.rate)
    var floor = NoiseFloor(BlockTime(frames: block.frames, rate: block.rate))
    for _ in 0..<Int(3 / seconds) { floor.update(power: 1e-6) }
    #expect(abs(floor.power - 1e-6) < 1e-9)
    let blocks = try #require(
      (1...Int(4 / seconds)).first { _ in
        floor.update(power: 1e-4)
        return floor.power > 0.9e-4
      })
    #expect((1.4...1.7).contains(Double(blocks) * seconds), "\(Double(blocks) * seconds) s")
    // A pause is heard at once.
    let pause = try #require(
      (1...Int(4 / seconds)).first { _ in
        floor.update(power: 1e-6)
        return floor.power < 2e-6
      })
    #expect(Double(pause) * seconds < 0.2, "\(Double(pause) * seconds) s")
  }
}
