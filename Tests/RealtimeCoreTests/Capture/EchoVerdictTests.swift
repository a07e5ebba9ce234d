import Foundation
import Testing

@testable import RealtimeCore

@Suite("Capture path: verdict of the echo")
struct EchoVerdictTests {
  @Test("V6: a filter that cancels the echo of speech does its part, however loud the far end is above 11 kHz", arguments: [3, 4, 5])
  func bright(seed: UInt64) throws {
    let rate = 48_000, speech = CaptureSignals.speech(seconds: 20, rate: rate, level: -30, seed: seed)
    var hiss = CaptureSignals.noise(seconds: 20, rate: rate, level: -24, seed: seed + 10),
      filters = [Biquad](repeating: .highPass(13_000, rate: rate), count: 4)
    for index in filters.indices {
      hiss.withUnsafeMutableBufferPointer { filters[index].process($0.baseAddress!, into: $0.baseAddress!, frames: speech.count) }
    }
    // In syllables, as cymbals: what is steady counts as noise.
    let far = speech.indices.map { index -> Float in
      let gain: Float = index * 10 / rate % 3 == 0 ? 0.1 : 1
      return speech[index] + gain * hiss[index]
    }
    let found = try verdicts(far, CaptureSignals.room(far, rate: rate, delay: rate / 50, gain: 0.5), noise: -75, rate: rate)
    #expect(found.early == [.cancelling] && found.late == [.cancelling], "\(found)")
  }

  @Test("V6: what the filter leaves below the room's noise is inaudible, although the far end never pauses", arguments: 3...12)
  func noisy(seed: UInt64) throws {
    let rate = 16_000, speech = CaptureSignals.speech(seconds: 20, rate: rate, level: -24, seed: seed)
    let hiss = CaptureSignals.noise(seconds: 20, rate: rate, level: -50, seed: seed + 10), far = zip(speech, hiss).map { $0 + $1 }
    let found = try verdicts(far, CaptureSignals.room(far, rate: rate, delay: rate / 50, gain: 0.25), noise: -42, rate: rate)
    // In such noise some filters take ten seconds.
    #expect(found.early.isSubset(of: [.cancelling, .converging]) && found.late == [.cancelling], "\(found)")
  }

  // An echo of what the reference lacks cannot be told from somebody in the room.
  @Test(
    "V6: a microphone that does not follow the reference holds a near end, and no failure of the canceller",
    arguments: EchoCanceller.engines)
  func unrelated(engine: EchoCanceller) throws {
    let rate = 16_000, far = CaptureSignals.speech(seconds: 20, rate: rate, level: -24, seed: 3)
    let near = CaptureSignals.speech(seconds: 20, rate: rate, level: -24, seed: 11)
    var run = try CaptureRun(engine: engine, rate: rate), found: Set<EchoVerdict> = []
    // With a rhythm of its own: generated talkers have the same.
    _ = run.process(near.indices.map { near[$0 * 37 / 50] }, reference: far, quantum: 160) { [meters = run.meters] _, _ in
      found.insert(meters.snapshot().echoVerdict)
    }
    #expect(found.isDisjoint(with: [.suppressing, .failing]), "\(found)")
  }

  /// Returns the verdicts from 8 s to 14 s, and from then on, of a microphone that hears this echo, and noise of a level in dBFS.
  private func verdicts(
    _ far: [Float], _ echo: [Float], noise level: Float, rate: Int
  ) throws -> (early: Set<EchoVerdict>, late: Set<EchoVerdict>) {
    let noise = CaptureSignals.noise(seconds: Double(far.count / rate), rate: rate, level: level, seed: 99)
    var run = try CaptureRun(engine: .nearend, rate: rate), found: (early: Set<EchoVerdict>, late: Set<EchoVerdict>) = ([], [])
    _ = run.process(zip(echo, noise).map { $0 + $1 }, reference: far, quantum: 160) { [meters = run.meters] start, _ in
      let verdict = meters.snapshot().echoVerdict
      if start >= 14 * rate { found.late.insert(verdict) } else if start >= 8 * rate { found.early.insert(verdict) }
    }
    return found
  }
}
