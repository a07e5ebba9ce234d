import TestSupport
import Testing

@testable import RealtimeCore

/// The path begins, or the graph goes on after it stood still, while the far end talks.
@Suite("Capture path: the far end talks from the first sample on")
struct FarEndAtStartTests {
  /// Noise with a new syllable every 100 ms, without a pause.
  private func farEnd(seconds: Double, rate: Int, seed: UInt64 = 1) -> [Float] {
    var generator = SeededGenerator(seed: seed)
    var last: Float = 0, loudness: Float = 1, wanted: Float = 1
    return (0..<Int(seconds * Double(rate))).map { i in
      if i % (rate / 10) == 0 { wanted = [0.15, 0.4, 1].randomElement(using: &generator)! }
      loudness += 0.002 * (wanted - loudness)
      last += 0.3 * (generator.sample() - last)
      return last * loudness * 0.5
    }
  }

  /// The echo in a room whose noise is −70 dBFS.
  private func microphone(_ far: [Float], rate: Int) -> [Float] {
    let noise = CaptureSignals.noise(seconds: Double(far.count) / Double(rate), rate: rate, level: -70)
    return zip(CaptureSignals.room(far, rate: rate, delay: rate * 29 / 1_000, gain: 0.3), noise).map { $0 + $1 }
  }

  /// The level of each tenth of a second in dBFS.
  private func levels(_ samples: [Float], rate: Int) -> [Double] {
    stride(from: 0, through: samples.count - rate / 10, by: rate / 10).map {
      CaptureSignals.decibels(CaptureSignals.power(samples[$0..<$0 + rate / 10]))
    }
  }

  @Test("V1, V10: no comfort noise is made of an echo that was already there when the path began", arguments: [16_000, 44_100, 48_000])
  func comfortNoise(rate: Int) throws {
    let far = farEnd(seconds: 3, rate: rate), heard = microphone(far, rate: rate)
    var run = try CaptureRun(rate: rate) { $0.isNoiseSuppressionEnabled = false }
    let voice = levels(run.process(Array(heard[rate...]), reference: Array(far[rate...]), quantum: 512), rate: rate)
    #expect(voice[2...].allSatisfy { $0 < -68 }, "\(voice)")
  }

  /// Plays the far end through a core's speaker and room; returns the voice.
  private func run(_ rig: CoreRig, _ far: [Float], quantum: Int = 1_024) -> [Float] {
    let heard = microphone(far, rate: rig.rate)
    var voice: [Float] = []
    for start in stride(from: 0, to: far.count - quantum, by: quantum) {
      let part = Array(far[start..<start + quantum])
      rig.cycle(Array(heard[start..<start + quantum]), call: (part, part), reference: part)
      voice += rig.voice
    }
    return voice
  }

  private func rig() throws -> CoreRig {
    let rig = try CoreRig()
    rig.core.controls.usesVoiceProcessing = true
    rig.core.controls.isNoiseSuppressionEnabled = false
    try rig.core.prepare(rate: rig.rate)
    return rig
  }

  @Test(
    "R7, V10: after the graph stood still, nothing of what was played before is subtracted from the microphone, also with another clock",
    arguments: [false, true], [0.1, 3])
  func standstill(isDriverNew: Bool, seconds: Double) throws {
    let rig = try rig()
    _ = run(rig, farEnd(seconds: 5, rate: rig.rate))
    rig.stand(seconds: seconds, isDriverNew: isDriverNew)
    if !isDriverNew { rig.core.graphRestarted() }
    let voice = levels(run(rig, farEnd(seconds: 1, rate: rig.rate, seed: 2)), rate: rig.rate)
    #expect(voice.allSatisfy { $0 < -65 }, "\(voice)")
  }

  @Test("V1, R7: a cycle that is late by 60 ms, and one of another clock in time, continue the voice bit by bit", arguments: [false, true])
  func lateCycle(isDriverNew: Bool) throws {
    let far = farEnd(seconds: 1, rate: 48_000)
    let voices = try [false, true].map { isInTime in
      let rig = try rig()
      _ = run(rig, far)
      if !isInTime { rig.stand(seconds: isDriverNew ? 0.04 : 0.06, isDriverNew: isDriverNew) }
      return run(rig, far)
    }
    #expect(voices[0] == voices[1])
  }
}
