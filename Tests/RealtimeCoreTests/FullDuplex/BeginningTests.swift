import Testing

@testable import RealtimeCore

/// The first moments of a call, in which neither the room's noise nor its echo is known.
@Suite("Full duplex: beginning")
struct BeginningTests {
  @Test("V10: a call does not begin with the room at full level, while the far end is comfort noise", arguments: [16_000, 48_000])
  func room(rate: Int) {
    let noise = CaptureSignals.noise(seconds: 1, rate: rate, level: -45, seed: 3)
    let far = CaptureSignals.noise(seconds: 1, rate: rate, level: -75, seed: 4)
    var processor = FullDuplexProcessor(rate: rate)
    let first = processor.fall(of: noise, far: far, in: 0..<rate / 20)
    #expect(first > 25, "\(first) dB in the first 50 ms")
  }

  @Test("V10: nor with the echo of a far end that talks already, which nothing precedes", arguments: [16_000, 48_000])
  func echo(rate: Int) {
    let far = CaptureSignals.speech(seconds: 3, rate: rate, level: -20, seed: 5)
    // The microphone begins in the midst of the echo.
    let echo = CaptureSignals.room(far, rate: rate, delay: rate / 100, gain: 0.7)
    var processor = FullDuplexProcessor(rate: rate)
    let first = processor.fall(of: Array(echo[rate...]), far: Array(far[rate...]), in: 0..<rate / 20)
    #expect(first > 82, "\(first) dB in the first 50 ms")
  }

  @Test("V10: who talks at once is heard, while the far end is silent", arguments: [16_000, 48_000])
  func talker(rate: Int) {
    let voice = CaptureSignals.speech(seconds: 1, rate: rate, level: -25, seed: 9)
    var processor = FullDuplexProcessor(rate: rate)
    let lost = processor.fall(of: voice, far: [Float](repeating: 0, count: rate), in: rate / 50..<3 * rate / 10)
    #expect(lost < 3, "\(lost) dB softer")
  }
}
