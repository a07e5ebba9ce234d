import Testing

@testable import RealtimeCore

/// The first moments of a call, in which neither the room's noise nor its echo is known.
@Suite("Full duplex: beginning")
struct BeginningTests {
  /// How much softer the voice is than the microphone in a part of its time, in dB.
  private func fall(_ microphone: [Float], far: [Float], rate: Int, seconds: Range<Double>) -> Double {
    var processor = FullDuplexProcessor(rate: rate)
    let voice = processor.run(microphone, far: far)
    let part = Int(seconds.lowerBound * Double(rate))..<Int(seconds.upperBound * Double(rate))
    let late = part.lowerBound + processor.delay..<part.upperBound + processor.delay
    return CaptureSignals.decibels(CaptureSignals.power(microphone[part]) / (CaptureSignals.power(voice[late]) + 1e-20))
  }

  @Test("V10: a call does not begin with the room at full level, while the far end is comfort noise", arguments: [16_000, 48_000])
  func room(rate: Int) {
    let noise = CaptureSignals.noise(seconds: 1, rate: rate, level: -45, seed: 3)
    let first = fall(noise, far: CaptureSignals.noise(seconds: 1, rate: rate, level: -75, seed: 4), rate: rate, seconds: 0..<0.05)
    #expect(first > 25, "\(first) dB in the first 50 ms")
  }

  @Test("V10: nor with the echo of a far end that talks already, which nothing precedes", arguments: [16_000, 48_000])
  func echo(rate: Int) {
    let far = CaptureSignals.speech(seconds: 3, rate: rate, level: -20, seed: 5)
    // The microphone begins in the midst of the echo.
    let echo = CaptureSignals.room(far, rate: rate, delay: rate / 100, gain: 0.7)
    let (later, heard) = (Array(far[rate...]), Array(echo[rate...]))
    let first = fall(heard, far: later, rate: rate, seconds: 0..<0.05)
    #expect(first > 40, "\(first) dB in the first 50 ms")
  }

  @Test("V10: who talks at once is heard, while the far end is silent", arguments: [16_000, 48_000])
  func talker(rate: Int) {
    let voice = CaptureSignals.speech(seconds: 1, rate: rate, level: -25, seed: 9)
    let lost = fall(voice, far: [Float](repeating: 0, count: rate), rate: rate, seconds: 0.02..<0.3)
    #expect(lost < 3, "\(lost) dB softer")
  }
}
