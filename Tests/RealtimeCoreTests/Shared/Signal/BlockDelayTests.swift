import Testing

@testable import RealtimeCore

@Suite("Capture path: delayed blocks")
struct BlockDelayTests {
  @Test("V8: each block is read as late as asked, wherever it lies", arguments: [0, 1, 24, 255, 256, 257, 280, 512], [64, 256])
  func late(delay: Int, block: Int) {
    var line = BlockDelay(longest: delay, block: block)
    let samples = (0..<20 * block).map { Float($0 + 1) }
    for start in stride(from: 0, to: samples.count, by: block) {
      samples.withUnsafeBufferPointer { line.push($0.baseAddress! + start) }
      for delay in [0, delay / 2, delay] {
        let heard = Array(UnsafeBufferPointer(start: line.late(by: delay), count: block))
        #expect(heard == (start - delay..<start - delay + block).map { $0 < 0 ? 0 : samples[$0] }, "\(delay) at \(start)")
      }
    }
  }
}
