import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: suppressor")
struct SuppressorTests {
  private let layout = FilterLayout(rate: 48_000)

  /// Runs the suppressor over a residual.
  /// - Parameters:
  ///   - isUnsure: whether the filter's uncertainty equals the whole residual.
  ///   - expectedEcho: the level of the residual echo that the filter expects otherwise, as an amplitude.
  private func run(
    _ residual: [Float], isUnsure: Bool = false, expectedEcho: Float = 0, isFarEndSilent: Bool = true, isWideBand: Bool = false,
    echoShare: Float = 1, noiseShare: Float = 1
  ) -> [Float] {
    var suppressor = Suppressor(layout: layout, transform: FourierTransform(length: layout.transform))
    let silence = [Float](repeating: 0, count: layout.hop)
    var output = [Float](repeating: 0, count: layout.hop), all: [Float] = []
    for start in stride(from: 0, through: residual.count - layout.hop, by: layout.hop) {
      let hop = Array(residual[start..<start + layout.hop])
      // The power of a window in a bin of the transform: the sum of its squares.
      let expected = expectedEcho * expectedEcho * Float(layout.window)
      let power = isUnsure ? hop.reduce(0) { $0 + $1 * $1 } * Float(layout.window / layout.hop) : expected
      suppressor.process(
        hop, echo: silence, uncertainty: [Float](repeating: power, count: layout.bins + 8),
        state: CancellerState(isFarEndSilent: isFarEndSilent && !isUnsure, isWideBand: isWideBand), echoShare: echoShare,
        noiseShare: noiseShare, into: &output)
      all += output
    }
    return all
  }

  private func level(_ samples: ArraySlice<Float>) -> Float {
    10 * log10(samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count) + 1e-20)
  }

  @Test("V10, R7: a path that is taken again before its microphone sounds makes no comfort noise of the echo that was left earlier")
  func closedMicrophone() {
    var suppressor = Suppressor(layout: layout, transform: FourierTransform(length: layout.transform))
    let (hop, silence) = (layout.hop, [Float](repeating: 0, count: layout.hop))
    let residual = Noise.white(frames: 96_000, level: 0.02, seed: 3), echo = Noise.white(frames: 96_000, level: 0.1, seed: 4)
    let expected: Float = 4e-4 * Float(layout.window)
    var output = silence, after: [Float] = []
    for number in 0..<residual.count / hop {
      let isClosed = (190..<202).contains(number), part = number * hop..<(number + 1) * hop
      suppressor.process(
        isClosed ? silence : Array(residual[part]), echo: isClosed ? silence : Array(echo[part]),
        uncertainty: [Float](repeating: isClosed ? 0 : expected, count: layout.bins + 8),
        state: CancellerState(isFarEndSilent: (190..<197).contains(number), isWideBand: true), echoShare: 1, noiseShare: 0, into: &output)
      if number > 220 { after += output }
    }
    #expect(level(after[...]) < -80, "\(level(after[...]))")
  }

  @Test("V10: what stands in for clipped samples is uncertain: more of the residual counts as echo")
  func clipped() {
    let (hop, silence) = (layout.hop, [Float](repeating: 0, count: layout.hop))
    let residual = Noise.white(frames: 96_000, level: 0.02, seed: 3), echo = Noise.white(frames: 96_000, level: 0.003, seed: 4)
    func heard(repairedPower: Float) -> Float {
      var suppressor = Suppressor(layout: layout, transform: FourierTransform(length: layout.transform))
      var output = silence, all: [Float] = []
      for number in 0..<residual.count / hop {
        let part = number * hop..<(number + 1) * hop
        suppressor.process(
          Array(residual[part]), echo: Array(echo[part]), uncertainty: [Float](repeating: 1e-6, count: layout.bins + 8),
          repairedPower: repairedPower, state: CancellerState(isWideBand: true), noiseShare: 0, into: &output)
        all += output
      }
      return level(all.suffix(48_000))
    }
    let (sure, unsure) = (heard(repairedPower: 0), heard(repairedPower: 0.1))
    #expect(unsure < sure - 10, "\(sure), \(unsure)")
  }

  @Test("V10: comfort noise in an echo's place is as loud as the room's noise")
  func comfort() {
    var suppressor = Suppressor(layout: layout, transform: FourierTransform(length: layout.transform))
    let hop = layout.hop, silence = [Float](repeating: 0, count: hop), quarter = 12_000
    let noise = Noise.white(frames: 96_000, level: 0.003, seed: 3), echo = Noise.white(frames: 96_000, level: 0.1, seed: 4)
    var output = silence, all: [Float] = []
    for number in 0..<noise.count / hop {
      let part = number * hop..<(number + 1) * hop, isEcho = number >= 48_000 / hop
      let heard = isEcho ? zip(noise[part], echo[part]).map { $0 + $1 } : Array(noise[part])
      // The power of a window in a bin of the transform: the sum of its squares.
      let uncertainty: Float = isEcho ? 0.02 * Float(layout.window) : 0
      suppressor.process(
        heard, echo: isEcho ? Array(echo[part]) : silence, uncertainty: [Float](repeating: uncertainty, count: layout.bins + 8),
        state: CancellerState(isFarEndSilent: !isEcho, isWideBand: true), echoShare: 1, noiseShare: 0, into: &output)
      all += output
    }
    let comfort = level(all.suffix(quarter)), room = level(noise[24_000..<48_000])
    #expect(abs(comfort - room) < 1.5, "\(comfort), the room \(room)")
  }

  @Test("V10: silence stays silence")
  func silence() { #expect(run([Float](repeating: 0, count: 48_000)).allSatisfy { abs($0) < 1e-6 }) }

  @Test("V10: steady noise is 17 to 22 dB softer within a second, also where it begins after silence")
  func noise() {
    let noise = Noise.white(frames: 96_000, level: 0.01, seed: 3)
    for silence in [0, 48_000] {
      let output = run([Float](repeating: 0, count: silence) + noise)
      let gain = level(output.suffix(24_000)) - level(noise.suffix(24_000))
      #expect((-22 ... -17).contains(gain), "\(silence): \(gain)")
      let second = silence + 48_000
      #expect(level(output[second..<second + 12_000]) - level(noise[...]) < -14)
    }
  }

  @Test("V10: a voice in a quiet room passes, later by one hop and 10 dB and more above what is changed of it")
  func voice() {
    let voice = CaptureSignals.speech(seconds: 4, rate: 48_000, level: -26)
    let output = run(voice)
    let late = [Float](repeating: 0, count: layout.hop) + voice
    let range = 48_000..<output.count
    let difference = range.map { output[$0] - late[$0] }
    #expect(level(difference[...]) < level(late[range]) - 10, "\(level(difference[...]) - level(late[range]))")
  }

  @Test("V10: vowels are no noise where no echo can be: a voice in soft noise is changed by 2 dB less than while the far end talks")
  func vowels() {
    let voice = CaptureSignals.speech(seconds: 8, rate: 48_000, level: -26)
    let noisy = zip(voice, Noise.white(frames: voice.count, level: 0.001, seed: 3)).map { $0 + $1 }
    let late = [Float](repeating: 0, count: layout.hop) + voice
    func change(isFarEndSilent: Bool) -> Float {
      let output = run(noisy, isFarEndSilent: isFarEndSilent)
      return level((96_000..<output.count).map { output[$0] - late[$0] }[...]) - level(late[96_000..<output.count])
    }
    let alone = change(isFarEndSilent: true), both = change(isFarEndSilent: false)
    #expect(alone < both - 2, "\(alone), \(both) while the far end talks")
  }

  @Test("V10: a partial that stands out of noise passes, though its band hardly does; less of it while only the far end talks")
  func partial() {
    let noise = Noise.white(frames: 96_000, level: 0.01, seed: 3)
    // After a second, in which the noise is learnt: bursts of 0.1 s, 13 dB below the noise.
    let partial = (0..<96_000).map { (i: Int) -> Float in
      let phase = 2 * Float.pi * 7_000 / 48_000 * Float(i)
      return i < 48_000 || i / 4_800 % 2 == 0 ? 0 : 0.003 * sin(phase)
    }
    let noisy = zip(noise, partial).map { $0 + $1 }, late = [Float](repeating: 0, count: layout.hop) + partial
    func gain(isFarEndSilent: Bool) -> Float {
      let output = run(noisy, isFarEndSilent: isFarEndSilent)
      var found: Float = 0, played: Float = 0
      for i in 48_000..<96_000 { (found, played) = (found + output[i] * late[i], played + late[i] * late[i]) }
      return 20 * log10(abs(found) / played)
    }
    let alone = gain(isFarEndSilent: true), both = gain(isFarEndSilent: false)
    #expect(alone > -2, "\(alone) dB")
    #expect(both < alone - 3, "\(alone) dB, \(both) dB while the far end talks")
  }

  @Test("V10: the expected residual echo is suppressed; with an echo share of 0 it passes")
  func echo() {
    // 0.2 s of echo, 0.2 s of pause.
    let echo = Noise.white(frames: 96_000, level: 0.05, seed: 3).enumerated().map { $0 / 9_600 % 2 == 0 ? $1 : 0 }
    let suppressed = run(echo, isUnsure: true), left = run(echo, isUnsure: true, echoShare: 0, noiseShare: 0)
    #expect(level(suppressed.suffix(48_000)) < level(echo.suffix(48_000)) - 25, "\(level(suppressed.suffix(48_000)))")
    #expect(abs(level(left.suffix(48_000)) - level(echo.suffix(48_000))) < 1)
  }

  @Test("V10: noise that rises while the far end talks without a pause is 12 dB softer within 1.5 seconds")
  func noiseUnderEcho() {
    let noise = Noise.white(frames: 240_000, level: 0.01, seed: 3).enumerated().map { $0 < 96_000 ? 0.1 * $1 : $1 }
    for expectedEcho: Float in [0.0005, 0.001, 0.002] {
      let output = run(noise, expectedEcho: expectedEcho, isFarEndSilent: false)
      for start in [168_000, 204_000] {
        let gain = level(output[start..<start + 24_000]) - level(noise[start..<start + 24_000])
        #expect(gain < -12, "echo \(expectedEcho), \(start): \(gain)")
      }
    }
  }

  @Test("V10: the echo of a steady far end is not taken for noise, also where it is 3 dB louder than expected, a tone more")
  func steadyEcho() {
    let noise = Noise.white(frames: 192_000, level: 0.01, seed: 3)
    let echo = [Float](repeating: 0, count: 24_000) + noise.enumerated().map { $1 + 0.01 * sin(2 * Float.pi * Float($0 % 6) / 6) }
    for expectedEcho: Float in [0.007, 0.01, 0.02] {
      let output = run(echo, expectedEcho: expectedEcho, isFarEndSilent: false, isWideBand: true)
      let gain = level(output.suffix(96_000)) - level(echo.suffix(96_000))
      #expect(gain < -45, "\(expectedEcho): \(gain)")
    }
  }
}
