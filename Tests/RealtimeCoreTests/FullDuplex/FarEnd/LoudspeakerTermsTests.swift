import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: loudspeaker terms")
struct LoudspeakerTermsTests {
  private let layout = FilterLayout(rate: 48_000)

  /// The saturation that a loudspeaker adds to noise of this level: its power, and its correlation with the far end, after 2 s.
  private func excess(level: Float) -> (share: Float, likeness: Float) {
    var terms = LoudspeakerTerms(layout: layout, channels: 2)
    let far = Noise.white(frames: 400 * layout.hop, level: level, seed: 3)
    var power: Float = 0, played: Float = 0, products: Float = 0
    for hop in 0..<400 {
      let samples = Array(far[hop * layout.hop..<(hop + 1) * layout.hop])
      terms.measure(samples, channel: 0)
      for i in samples.indices where hop >= 300 {
        let added = terms.saturation[i]
        power += added * added
        played += samples[i] * samples[i]
        products += samples[i] * added
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

  @Test("V10: a side on which nothing is played for minutes, while the other one is, has no terms")
  func silentSide() {
    let rate = 16_000, seconds = 100
    let far = CaptureSignals.speech(seconds: Double(seconds), rate: rate, level: -26), silence = [Float](repeating: 0, count: rate)
    let echo = CaptureSignals.room(far, rate: rate, delay: 160, gain: 0.5)
    var processor = FullDuplexProcessor(rate: rate), voice = echo
    for start in stride(from: 0, through: far.count - processor.hop, by: processor.hop) {
      far.withUnsafeBufferPointer { far in
        voice.withUnsafeMutableBufferPointer { voice in
          processor.process(
            voice.baseAddress! + start, left: far.baseAddress! + start, right: silence, cancelsEcho: true, suppressesNoise: true)
        }
      }
    }
    let firstBad = voice.firstIndex { !$0.isFinite }.map { Double($0) / Double(rate) }
    #expect(firstBad == nil)
    let heard = CaptureSignals.power(voice[(90 * rate)...]), microphone = CaptureSignals.power(echo[(90 * rate)...])
    let lower = CaptureSignals.decibels(microphone / heard)
    #expect(lower > 30, "\(lower) dB")
  }

  @Test("V10: the curve is tanh's, beyond full scale too")
  func curve() {
    var terms = LoudspeakerTerms(layout: layout, channels: 2)
    // Silence teaches no projection; the first hop learns its own.
    let far = (0..<layout.hop).map { 2 * (Float($0) / Float(layout.hop) - 0.5) * 1.5 }
    terms.measure(far, channel: 0)
    let saturated = far.map { tanh(8 * $0) / 8 }
    let linear = zip(far, saturated).reduce(Float(0)) { $0 + $1.0 * $1.1 } / far.reduce(Float(0)) { $0 + $1 * $1 }
    for i in far.indices {
      let added = terms.saturation[i]
      #expect(abs(added - (saturated[i] - linear * far[i])) < 1e-4)
    }
  }
}
