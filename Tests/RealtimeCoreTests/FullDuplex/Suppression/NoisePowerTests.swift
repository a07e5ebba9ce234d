import Foundation
import Testing

@testable import RealtimeCore

@Suite("Suppressor: noise power")
struct NoisePowerTests {
  @Test("V6: the suppressor's estimate of the room's noise is its mean square", arguments: [16_000, 48_000])
  func meanSquare(rate: Int) {
    let layout = FilterLayout(rate: rate), noise = CaptureSignals.noise(seconds: 4, rate: rate, level: -45)
    var suppressor = Suppressor(layout: layout, transform: FourierTransform(length: layout.transform))
    let zeros = Samples(layout.allBins), voice = Samples(layout.hop)
    noise.withUnsafeBufferPointer { noise in
      for start in stride(from: 0, to: noise.count - layout.hop, by: layout.hop) {
        let residual = noise.baseAddress! + start
        let hop = LinearHop(residual: residual, echo: zeros.start, uncertainty: zeros.start, state: CancellerState(isFarEndSilent: true))
        suppressor.process(hop, residual: residual, echoShare: 1, noiseShare: 1, into: voice.start)
      }
    }
    let level = 10 * log10(suppressor.noisePower)
    #expect(abs(level + 45) < 1, "\(level) dBFS")
  }
}
