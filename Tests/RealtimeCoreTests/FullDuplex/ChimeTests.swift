import Foundation
import Testing

@testable import RealtimeCore

/// A far end that plays abrupt notes before it speaks.
@Suite("Full duplex: chime", .serialized)
struct ChimeTests {
  private static let rate = 48_000

  /// ERLE in dB of the first half second of words.
  private func erle(after chime: [Float], seed: UInt64) -> Double {
    let rate = Self.rate, pause = [Float](repeating: 0, count: rate)
    let far = chime + pause + CaptureSignals.speech(seconds: 1, rate: rate, level: -26, seed: seed)
    let echo = CaptureSignals.room(far, rate: rate, delay: 1_500, gain: 0.7)
    let noise = CaptureSignals.noise(seconds: Double(far.count) / Double(rate) + 1, rate: rate, level: -80, seed: 300 + seed)
    let microphone = zip(echo, noise).map { $0 + $1 }
    var processor = FullDuplexProcessor(rate: rate)
    let voice = processor.run(microphone, far: far)
    let words = chime.count + rate..<chime.count + rate * 3 / 2
    return CaptureSignals.decibels(CaptureSignals.power(microphone[words]) / CaptureSignals.power(voice[words]))
  }

  /// Notes that begin and end abruptly.
  private func notes(_ hertz: [Double], seconds: Double, decay: Double) -> [Float] {
    hertz.flatMap { hertz in
      (0..<Int(seconds * Double(Self.rate))).map { i -> Float in
        let time = Double(i) / Double(Self.rate), turns = 2 * Double.pi * hertz * time
        let envelope: Double = 0.3 * exp(-time / decay)
        let first: Double = sin(turns), second: Double = 0.5 * sin(2 * turns), third: Double = 0.25 * sin(3 * turns)
        return Float(envelope * (first + second + third))
      }
    }
  }

  @Test("V10: a chime before the far end's first words costs them 15 dB at most", arguments: [3, 5, 9] as [UInt64])
  func chime(seed: UInt64) {
    let silence = erle(after: [Float](repeating: 0, count: Self.rate), seed: seed)
    for chime in [notes([523, 659, 784], seconds: 0.2, decay: 0.3), notes([600, 800, 1_000, 1_200], seconds: 0.3, decay: 10)] {
      let found = erle(after: chime, seed: seed)
      #expect(found > min(silence, 45) - 15, "\(found) dB, and after silence \(silence)")
    }
  }
}
