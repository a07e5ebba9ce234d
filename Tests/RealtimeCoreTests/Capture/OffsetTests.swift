import Foundation
import Testing

@testable import RealtimeCore

@Suite("Capture path: a far end with a constant offset")
struct OffsetTests {
  enum Offset: CaseIterable {
    /// From the first sample to the last.
    case always
    /// While there is sound; digital silence in between.
    case withSound
    /// In the fourth second.
    case forASecond
  }

  /// Speech without pauses of its own, silent in the last 0.35 s of each second; it stops and goes on with a whole hop.
  private func farEnd(rate: Int) -> [Float] {
    let hop = FilterLayout(rate: rate).hop, speech = CaptureSignals.speech(seconds: 7, rate: rate, level: -30, seed: 3)
    return speech.indices.map { $0 % rate / hop * hop < rate * 65 / 100 / hop * hop ? speech[$0] : 0 }
  }

  private func add(_ offset: Float, _ kind: Offset, to far: [Float], rate: Int) -> [Float] {
    var left = 0
    return far.indices.map { i in
      left = far[i] != 0 ? rate / 20 : left - 1
      let isOn =
        switch kind {
        case .always: true
        case .withSound: left > 0
        case .forASecond: i / rate == 3
        }
      return far[i] + (isOn ? offset : 0)
    }
  }

  /// Returns the level of the voice in each half second from the second on, in dBFS, with a loudspeaker that plays nothing below 60 Hz.
  private func levels(_ far: [Float], rate: Int) throws -> [Double] {
    var played = far, loudspeaker = Biquad.highPass(60, rate: rate)
    played.withUnsafeMutableBufferPointer { loudspeaker.process($0.baseAddress!, into: $0.baseAddress!, frames: far.count) }
    let noise = CaptureSignals.noise(seconds: 7, rate: rate, level: -70, seed: 5)
    let microphone = zip(CaptureSignals.room(played, rate: rate, delay: rate / 20, gain: 0.7), noise).map { $0 + $1 }
    var run = try CaptureRun(engine: .nearend, rate: rate)
    let voice = run.process(microphone, reference: far, quantum: 256)
    return (2..<13).map { CaptureSignals.decibels(CaptureSignals.power(voice[($0 * rate / 2)..<($0 + 1) * rate / 2])) }
  }

  @Test(
    "V10: a constant offset of the far end costs nothing, whether it is always there, comes with the sound, or begins and ends in a call",
    arguments: Offset.allCases, [(0.3, 16_000), (-0.03, 48_000)] as [(Float, Int)])
  func offset(kind: Offset, _ offset: (level: Float, rate: Int)) throws {
    let far = add(offset.level, kind, to: farEnd(rate: offset.rate), rate: offset.rate)
    let levels = try levels(far, rate: offset.rate)
    #expect(levels.allSatisfy { $0 < -66 }, "\(levels) dBFS")
  }

  @Test("V1, V6: an offset alone is no sound of the far end", arguments: EchoCanceller.engines, [16_000, 48_000])
  func alone(engine: EchoCanceller, rate: Int) throws {
    let noise = CaptureSignals.noise(seconds: 3, rate: rate, level: -40, seed: 5)
    var run = try CaptureRun(engine: engine, rate: rate)
    _ = run.process(noise, reference: [Float](repeating: 0.3, count: noise.count), quantum: 256)
    #expect(!run.meters.snapshot().isFarEndActive)
    _ = run.process(noise, reference: CaptureSignals.noise(seconds: 3, rate: rate, level: -30, seed: 6).map { $0 + 0.3 }, quantum: 256)
    #expect(run.meters.snapshot().isFarEndActive)
  }

  @Test("V10: a far end that goes on in the middle of a word is cancelled alike at every position in a hop", arguments: [16_000, 48_000])
  func onAHop(rate: Int) throws {
    let far = farEnd(rate: rate)
    let onHop = try levels(far, rate: rate), later = try levels([0] + far.dropLast(), rate: rate)
    // Below −90 dBFS nothing is heard.
    #expect(zip(onHop, later).allSatisfy { abs(max($0, -90) - max($1, -90)) < 3 }, "\(onHop) dBFS, \(later) a sample later")
  }
}
