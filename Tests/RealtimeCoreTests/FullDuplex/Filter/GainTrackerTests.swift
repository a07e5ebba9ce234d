import Testing

@testable import RealtimeCore

@Suite("Full duplex: volume")
struct GainTrackerTests {
  private let layout = FilterLayout(rate: 48_000)

  @Test("V10: a volume change is detected within 0.1 s, up or down", arguments: [Float(2.8), 0.36])
  func turned(factor: Float) throws {
    let gain = try #require(firstGain(echo: Noise.white(frames: 20 * layout.hop, seed: 3)) { $0 * factor })
    #expect(abs(gain / factor - 1) < 0.05)
  }

  @Test("V10: no gain change is detected for a correct estimate, or in double talk")
  func untouched() {
    let echo = Noise.white(frames: 200 * layout.hop, seed: 3), near = Noise.white(frames: 200 * layout.hop, seed: 5)
    #expect(firstGain(echo: echo) { $0 * 1.05 } == nil)
    var index = 0
    let gain = firstGain(echo: echo) { sample in
      defer { index += 1 }
      return sample + near[index]
    }
    #expect(gain == nil)
  }

  private func firstGain(echo: [Float], microphone: (Float) -> Float) -> Float? {
    var tracker = GainTracker(layout: layout)
    let heard = echo.map(microphone)
    for start in stride(from: 0, to: echo.count, by: layout.hop) {
      let gain = heard.withUnsafeBufferPointer { heard in
        echo.withUnsafeBufferPointer { echo in
          tracker.update(microphone: heard.baseAddress! + start, echo: echo.baseAddress! + start, isConverged: true)
        }
      }
      if let gain { return gain }
    }
    return nil
  }
}
