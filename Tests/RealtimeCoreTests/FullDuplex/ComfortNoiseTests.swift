import Testing

@testable import RealtimeCore

/// A far end that is never silent: its pauses contain comfort noise, whose echo is far below the room's noise.
@Suite("Full duplex: comfort noise", .serialized)
struct ComfortNoiseTests {
  private static let rate = 48_000

  /// ERLE in dB for each half second from `second` on.
  private func erle(_ far: [Float], seed: UInt64, from second: Int) -> [Double] {
    let rate = Self.rate
    let echo = CaptureSignals.room(far, rate: rate, delay: 1_200 + 300 * Int(seed), gain: 0.7)
    let noise = CaptureSignals.noise(seconds: Double(far.count / rate), rate: rate, level: -70, seed: 300 + seed)
    var canceller = LinearCanceller(layout: FilterLayout(rate: rate))
    let microphone = [Float](repeating: 0, count: canceller.farEndDelay) + zip(echo, noise).map { $0 + $1 }
    let residual = canceller.run(microphone, left: far, right: far)
    return stride(from: second * rate, to: residual.count - rate / 2, by: rate / 2).map {
      let range = $0..<$0 + rate / 2
      return CaptureSignals.decibels(CaptureSignals.power(microphone[range]) / CaptureSignals.power(residual[range]))
    }
  }

  /// Comfort noise with words, each starting at its second.
  private func farEnd(seconds: Int, seed: UInt64, words: [(second: Int, samples: [Float])]) -> [Float] {
    var far = CaptureSignals.noise(seconds: Double(seconds), rate: Self.rate, level: -83, seed: 100 + seed)
    for part in words { for i in part.samples.indices { far[part.second * Self.rate + i] += part.samples[i] } }
    return far
  }

  private func words(_ seconds: Int, seed: UInt64) -> [Float] {
    CaptureSignals.speech(seconds: Double(seconds), rate: Self.rate, level: -20, seed: seed)
  }

  @Test(
    "V10: an echo that begins after a long comfort noise is cancelled as soon as one after silence", arguments: [2, 3, 4, 5, 7] as [UInt64])
  func beginning(seed: UInt64) {
    let spoken = words(6, seed: 200 + seed)
    let erle = erle(farEnd(seconds: 16, seed: seed, words: [(10, spoken)]), seed: seed, from: 10)
    let afterSilence = self.erle([Float](repeating: 0, count: 10 * Self.rate) + spoken, seed: seed, from: 10)
    for (one, other) in zip(erle, afterSilence) { #expect(one > other - 7, "\(erle) dB, and after silence \(afterSilence)") }
  }

  @Test("V10: the learnt echo path survives half a minute of comfort noise")
  func pause() {
    let after = ([1, 2, 3, 4] as [UInt64]).map { seed in
      let spoken = [(0, words(10, seed: 250 + seed)), (40, words(2, seed: 200 + seed))]
      // The first half second.
      return erle(farEnd(seconds: 42, seed: seed, words: spoken), seed: seed, from: 9)[62]
    }
    #expect(after.reduce(0, +) / Double(after.count) > 30 && after.allSatisfy { $0 > 20 }, "\(after)")
  }

  @Test(
    "V10: a dull voice, as by telephone, does not move the canceller away from its echo", arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func dull(seed: UInt64) {
    var spoken = words(6, seed: 200 + seed), low = [Float](repeating: 0, count: 4)
    // Four low-passes of first order at 3 kHz.
    for i in spoken.indices {
      for j in low.indices {
        low[j] += 0.325 * (spoken[i] - low[j])
        spoken[i] = low[j]
      }
    }
    let erle = erle(farEnd(seconds: 16, seed: seed, words: [(10, spoken)]), seed: seed, from: 10)
    #expect(erle[3...].allSatisfy { $0 > 10 } && erle[6...].allSatisfy { $0 > 18 }, "\(erle) dB")
  }

  @Test("V10: whoever speaks first is heard from the first word on, while the far end is comfort noise", arguments: [0, 0.3, 0.6])
  func firstWord(second: Double) {
    let rate = Self.rate
    let far = CaptureSignals.noise(seconds: 3, rate: rate, level: -70, seed: 7)
    let near = [Float](repeating: 0, count: Int(second * Double(rate))) + CaptureSignals.speech(seconds: 2, rate: rate, level: -25, seed: 9)
    let room = CaptureSignals.noise(seconds: 3, rate: rate, level: -70, seed: 8)
    let spoken = zip(near, room).map { $0 + $1 }
    var processor = FullDuplexProcessor(rate: rate)
    let begin = Int(second * Double(rate))
    let lost = processor.fall(of: spoken, far: far, in: begin..<begin + rate / 2)
    #expect(lost < 3, "\(lost) dB softer")
  }
}
