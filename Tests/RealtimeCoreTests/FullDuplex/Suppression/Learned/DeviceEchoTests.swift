import Foundation
import Testing

@testable import RealtimeCore

/// Echoes of devices, of which a linear filter and the rules of the suppressor know a part only.
@Suite("Full duplex: echo of a device", .serialized)
struct DeviceEchoTests {
  private static let rates = [16_000, 48_000]

  /// The far end through a loudspeaker that clips, in a housing that rattles: a noise below 4 kHz that follows the level.
  private func echo(of far: [Float], rate: Int) -> [Float] {
    let clipped = far.map { min(max($0, -0.08), 0.08) }
    let noise = CaptureSignals.noise(seconds: Double(far.count) / Double(rate) + 1, rate: rate, level: -12, seed: 5)
    var level: Float = 0, first: Float = 0, dull: Float = 0
    let share = 1 - exp(-2 * Float.pi * 4_000 / Float(rate))
    let played = zip(clipped, noise).map { sample, noise -> Float in
      level = max(abs(sample), level * (1 - 100 / Float(rate)))
      first += share * (noise - first)
      dull += share * (first - dull)
      return sample + level * dull
    }
    return CaptureSignals.room(played, rate: rate, delay: rate / 40, gain: 0.7)
  }

  private func voice(of near: [Float], echo: [Float], far: [Float], rate: Int) -> (microphone: [Float], voice: [Float]) {
    let noise = CaptureSignals.noise(seconds: Double(far.count) / Double(rate) + 1, rate: rate, level: -70, seed: 9)
    let microphone = (0..<far.count).map { near[$0] + echo[$0] + noise[$0] }
    var processor = FullDuplexProcessor(rate: rate)
    return (microphone, processor.run(microphone, far: far))
  }

  @Test("V14: the echo of a loudspeaker that clips and rattles is 35 dB lower from the third second on", arguments: rates)
  func farEndAlone(rate: Int) {
    let far = CaptureSignals.speech(seconds: 8, rate: rate, level: -24, seed: 3)
    let (microphone, voice) = voice(
      of: [Float](repeating: 0, count: far.count), echo: echo(of: far, rate: rate), far: far, rate: rate)
    let late = 3 * rate..<far.count
    let erle = CaptureSignals.decibels(CaptureSignals.power(microphone[late]) / CaptureSignals.power(voice[late]))
    #expect(erle > 35, "\(erle) dB")
  }

  @Test("V14: over that echo, the near end loses 4 dB at most", arguments: rates)
  func bothTalk(rate: Int) {
    let far = CaptureSignals.speech(seconds: 10, rate: rate, level: -24, seed: 3)
    let near = CaptureSignals.speech(seconds: 10, rate: rate, level: -26, seed: 11)
    let (_, voice) = voice(of: near, echo: echo(of: far, rate: rate), far: far, rate: rate)
    let delay = FullDuplexProcessor(rate: rate).delay
    var product = 0.0, power = 0.0
    for i in 4 * rate..<far.count - delay {
      product += Double(voice[i + delay] * near[i])
      power += Double(near[i] * near[i])
    }
    #expect(20 * log10(product / power) > -4, "\(20 * log10(product / power)) dB")
  }
}
