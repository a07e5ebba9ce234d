import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: drift resampler")
struct DriftResamplerTests {
  private let hop = 256

  @Test("V10: the resampled far end has exactly the reported delay while that drifts", arguments: [0, 2e-4, -2e-4])
  func delay(rate: Double) {
    var resampler = DriftResampler(hop: hop)
    resampler.rate = rate
    // 3 kHz.
    func tone(_ time: Double) -> Double { sin(2 * .pi * time / 16) }
    var output = [Float](repeating: 0, count: hop), error = 0.0, power = 0.0
    for block in 0..<100 where !resampler.isShort {
      let samples = (0..<hop).map { Float(tone(Double(block * hop + $0))) }
      resampler.feed(left: samples, right: samples)
      let delay = resampler.delay
      resampler.read(into: &output, channel: 0)
      for i in 0..<hop where block > 3 {
        let expected = tone(Double(block * hop + i) - delay - rate * Double(i))
        error += pow(Double(output[i]) - expected, 2)
        power += expected * expected
      }
      resampler.advance()
    }
    #expect(power > 0)
    #expect(10 * log10(error / power) < -55)
  }

  @Test("V11: the far end counts as mono only once the whole history is mono")
  func mono() {
    var resampler = DriftResampler(hop: hop), isMono: [Bool] = []
    let left = Noise.white(frames: hop, seed: 1), right = Noise.white(frames: hop, seed: 2)
    for block in 0..<6 {
      resampler.feed(left: left, right: block == 0 ? right : left)
      isMono.append(resampler.isMono)
    }
    #expect(isMono == [false, false, false, false, true, true])
  }
}
