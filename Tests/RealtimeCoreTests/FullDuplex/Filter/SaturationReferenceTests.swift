import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: saturation")
struct SaturationReferenceTests {
  private let layout = FilterLayout(rate: 48_000)

  /// The distortion that a loudspeaker adds to noise of this level: its power, and its correlation with the far end, after 2 s.
  private func excess(level: Float) -> (share: Float, likeness: Float) {
    var saturation = SaturationReference(layout: layout, channels: 2)
    let far = Noise.white(frames: 400 * layout.hop, level: level, seed: 3)
    var output = [Float](repeating: 0, count: layout.hop)
    var power: Float = 0, played: Float = 0, products: Float = 0
    for hop in 0..<400 {
      let samples = Array(far[hop * layout.hop..<(hop + 1) * layout.hop])
      for i in output.indices { output[i] = 0 }
      saturation.add(samples, channel: 0, weight: 1, to: &output)
      for i in output.indices where hop >= 300 {
        power += output[i] * output[i]
        played += samples[i] * samples[i]
        products += samples[i] * output[i]
      }
    }
    return (power / played, abs(products) / (power * played).squareRoot())
  }

  @Test("V10: a soft far end saturates nothing")
  func soft() { #expect(excess(level: 0.003).share < 1e-6) }

  @Test("V10: the saturation component of a loud far end is orthogonal to the far end")
  func loud() {
    let loud = excess(level: 0.5)
    #expect(loud.share > 0.003)
    #expect(loud.likeness < 0.05)
  }

  @Test("V10: the curve is tanh's, beyond full scale too")
  func curve() {
    var saturation = SaturationReference(layout: layout, channels: 2)
    // Silence teaches no projection; the first hop learns its own.
    let far = (0..<layout.hop).map { 2 * (Float($0) / Float(layout.hop) - 0.5) * 1.5 }
    var output = [Float](repeating: 0, count: layout.hop)
    saturation.add(far, channel: 0, weight: 1, to: &output)
    let saturated = far.map { tanh(8 * $0) / 8 }
    let linear = zip(far, saturated).reduce(Float(0)) { $0 + $1.0 * $1.1 } / far.reduce(Float(0)) { $0 + $1 * $1 }
    for i in far.indices { #expect(abs(output[i] - (saturated[i] - linear * far[i])) < 1e-4) }
  }
}
