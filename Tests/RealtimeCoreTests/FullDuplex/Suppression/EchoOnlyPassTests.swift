import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: voice without its echo only")
struct EchoOnlyPassTests {
  private let layout = FilterLayout(rate: 48_000)

  /// Runs the suppressor over a residual of which the filter expects this share to be echo. Returns the levels in dB of its last second,
  /// of the voice and of what voice isolation is given.
  private func levels(_ residual: [Float], echo share: Float) -> (residual: Float, voice: Float, open: Float) {
    var suppressor = Suppressor(layout: layout, transform: FourierTransform(length: layout.transform))
    let silence = [Float](repeating: 0, count: layout.hop)
    var output = silence, open = silence, voices: [Float] = [], opens: [Float] = []
    for start in stride(from: 0, through: residual.count - layout.hop, by: layout.hop) {
      let hop = Array(residual[start..<start + layout.hop])
      let power = share * hop.reduce(0) { $0 + $1 * $1 } * Float(layout.window / layout.hop)
      suppressor.process(
        hop, echo: silence, uncertainty: [Float](repeating: power, count: layout.bins + 8),
        state: CancellerState(isFarEndSilent: share == 0, isWideBand: share > 0), into: &output, open: &open)
      voices += output
      opens += open
    }
    func level(_ samples: [Float]) -> Float {
      10 * log10(samples.suffix(layout.rate).reduce(0) { $0 + $1 * $1 } / Float(layout.rate) + 1e-20)
    }
    return (level(residual), level(voices), level(opens))
  }

  @Test("V12: noise stays, which the voice beside it lacks")
  func noise() {
    let levels = levels(Array(Noise.white(frames: 144_000, level: 0.01, seed: 3)), echo: 0)
    #expect(abs(levels.open - levels.residual) < 1, "\(levels)")
    #expect(levels.voice < levels.residual - 15, "\(levels)")
  }

  @Test("V12: the expected residual echo goes, by 12 dB and more")
  func echo() {
    // 0.2 s of pause, 0.2 s of echo.
    let levels = levels(Noise.white(frames: 144_000, level: 0.05, seed: 3).enumerated().map { $0 / 9_600 % 2 == 1 ? $1 : 0 }, echo: 1)
    #expect(levels.open < levels.residual - 12, "\(levels)")
  }
}
