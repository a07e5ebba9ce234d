import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: loudspeaker")
struct LoudspeakerModelTests {
  /// How a loudspeaker distorts; none as the model has it.
  enum Distortion: CaseIterable {
    case clipping, asymmetry, weakening

    func callAsFunction(_ far: [Float]) -> [Float] {
      var excursion: Float = 0
      return far.map { x in
        excursion += 0.05 * (x - excursion)
        return switch self {
        case .clipping: min(max(x, -0.12), 0.12)
        case .asymmetry: x + 2 * x * x + x * abs(x)
        case .weakening: x / (1 + 6 * abs(excursion) + 20 * excursion * excursion)
        }
      }
    }
  }

  private let layout = FilterLayout(rate: 16_000)

  /// ERLE in dB in the last of 6 s, and the coefficients then.
  private func cancel(_ far: [Float], played: [Float]) -> (erle: Float, coefficients: [Float]) {
    var canceller = LinearCanceller(layout: layout)
    // Three reflections; the microphone is as late as the far end.
    let late = canceller.farEndDelay
    func at(_ i: Int, _ delay: Int) -> Float { i - late >= delay ? played[i - late - delay] : 0 }
    let microphone = far.indices.map { 0.5 * at($0, 80) - 0.3 * at($0, 131) + 0.2 * at($0, 290) }
    let residual = canceller.run(microphone, left: far, right: far)
    let last = 5 * layout.rate..<residual.count
    let before = last.reduce(Float(0)) { $0 + microphone[$1] * microphone[$1] }
    let after = last.reduce(Float(1e-12)) { $0 + residual[$1] * residual[$1] }
    let coefficients = (0..<LoudspeakerTerms.count).map { canceller.farEnd.loudspeaker.coefficients[$0] }
    return (10 * log10(before / after), coefficients)
  }

  /// Noise that is loudest in the bass, as speech is: there excursions are.
  private var far: [Float] {
    var low: Float = 0
    return Noise.white(frames: 6 * layout.rate, level: 0.3, seed: 3).map { x in
      low += 0.2 * (x - low)
      return low
    }
  }

  @Test("V10: the echo of a loudspeaker that distorts is cancelled, however it does", arguments: Distortion.allCases)
  func distorts(_ distortion: Distortion) {
    let far = far, found = cancel(far, played: distortion(far))
    #expect(found.erle > 20, "\(found)")
  }

  @Test(
    "V10: a soft far end is distorted as much by a loudspeaker that is turned up, and as well cancelled", arguments: Distortion.allCases)
  func soft(_ distortion: Distortion) {
    let far = far, found = cancel(far.map { 0.3 * $0 }, played: distortion(far))
    #expect(found.erle > 20, "\(found)")
  }

  @Test("V10: no distortion is learnt for a linear loudspeaker")
  func linear() {
    let far = far, found = cancel(far, played: far)
    #expect(found.coefficients == [0, 0, 0], "\(found)")
    #expect(found.erle > 25, "\(found)")
  }

  @Test("V10: the loudspeaker's distortion terms are orthogonal to the far end")
  func terms() {
    var terms = LoudspeakerTerms(layout: layout, channels: 2)
    var products = [Float](repeating: 0, count: LoudspeakerTerms.count), powers = products, played: Float = 0
    let far = far
    for start in stride(from: 0, to: far.count - layout.hop, by: layout.hop) {
      let hop = Array(far[start..<start + layout.hop])
      terms.measure(hop, channel: 0)
      if start < far.count / 2 { continue }
      for i in hop.indices {
        played += hop[i] * hop[i]
        for term in products.indices {
          let value = terms.values[term * layout.hop + i]
          products[term] += value * hop[i]
          powers[term] += value * value
        }
      }
    }
    for term in products.indices {
      #expect(abs(products[term]) < 0.1 * (powers[term] * played).squareRoot(), "\(term)")
      #expect(powers[term] > 0)
    }
  }
}
