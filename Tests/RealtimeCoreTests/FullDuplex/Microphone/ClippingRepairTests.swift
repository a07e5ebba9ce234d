import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: clipped samples")
struct ClippingRepairTests {
  private static let rate = 48_000

  private func highPassed(_ samples: [Float]) -> [Float] {
    var filter = Biquad.rumble(rate: Self.rate), result = samples
    result.withUnsafeMutableBufferPointer { filter.process($0.baseAddress!, into: $0.baseAddress!, frames: samples.count) }
    return result
  }

  private func repaired(_ samples: [Float], marks: [Float], echo: [Float]) -> [Float] {
    var repair = ClippingRepair(highPass: .rumble(rate: Self.rate), frames: samples.count, memory: 0.5), result = samples
    result.withUnsafeMutableBufferPointer { repair.process($0.baseAddress!, marks: marks, echo: echo) }
    return result
  }

  @Test("V10: with a right estimate, what was cut off before the high-pass filter is restored")
  func restores() {
    let sound = Noise.white(frames: 4_800, level: 0.8, seed: 3).map { 2 * $0 }
    let clipped = sound.map { max(-1, min(1, $0)) }, marks: [Float] = sound.map { $0 > 1 ? 1 : $0 < -1 ? -1 : 0 }
    let wanted = highPassed(sound), heard = highPassed(clipped)
    let repaired = repaired(heard, marks: marks, echo: wanted)
    func distance(_ samples: [Float]) -> Float { zip(samples, wanted).map { abs($0 - $1) }.max() ?? 0 }
    #expect(marks.contains(1) && marks.contains(-1))
    #expect(distance(heard) > 0.3)
    #expect(distance(repaired) < 1e-3, "\(distance(repaired))")
  }

  @Test("V10: an estimate within the rails leaves the microphone as it is: the near end is what clips")
  func keeps() {
    let sound = [Float](repeating: 1, count: 64), marks = sound
    #expect(repaired(sound, marks: marks, echo: sound.map { $0 * 0.9 }) == sound)
    #expect(repaired(sound, marks: marks, echo: sound.map { $0 * -2 }) == sound)
  }

  @Test("V10: the power of what is put in place of clipped samples is told, and forgotten within a moment")
  func tellsPower() {
    var repair = ClippingRepair(highPass: .rumble(rate: Self.rate), frames: 64, memory: 0.5)
    var sound = [Float](repeating: 1, count: 64)
    let echo = sound.map { 1.5 * $0 }, silence = [Float](repeating: 0, count: 64)
    #expect(repair.isAtRest && repair.power == 0)
    repair.process(&sound, marks: sound, echo: echo)
    #expect(abs(repair.power - 0.25) < 0.01, "\(repair.power)")
    for _ in 0..<2_000 where !repair.isAtRest {
      var later = silence
      repair.process(&later, marks: nil, echo: echo)
    }
    #expect(repair.isAtRest && repair.power == 0)
  }

  @Test("V10: a wrong estimate changes no sample by more than 12 dB over full scale")
  func limits() {
    let sound = [Float](repeating: 0.5, count: 64), marks = [Float](repeating: 1, count: 64)
    let repaired = repaired(sound, marks: marks, echo: sound.map { _ in 1e6 })
    #expect(repaired.allSatisfy { abs($0) <= 4.5 })
  }
}
