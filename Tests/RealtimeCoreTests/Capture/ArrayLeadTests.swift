import Foundation
import Testing

@testable import RealtimeCore

/// Which microphone leads an array: as which it is heard, and whose echo is found out about.
@Suite("Lead of an array")
struct ArrayLeadTests {
  private static let rate = 48_000
  private static let speech = CaptureSignals.speech(seconds: 4, rate: rate, level: -26)
  private static let heard = noisy(ArrayRoom.hear(speech, delays: [4, 6, 8, 10], gains: [1, 1, 1, 1], seed: 3))

  /// Adds the noise of each microphone's own.
  private static func noisy(_ microphones: [[Float]]) -> [[Float]] {
    microphones.enumerated().map { index, samples in
      zip(samples, CaptureSignals.noise(seconds: 4, rate: rate, level: -66, seed: UInt64(30 + index))).map { $0 + $1 }
    }
  }

  /// What may be wrong with the first microphone.
  enum Fault: CaseIterable, Sendable {
    case dead, soft, clipped, noisy, dying

    /// What it then gives.
    func change(_ samples: [Float]) -> [Float] {
      switch self {
      case .dead: samples.map { _ in 0 }
      case .soft: samples.map { 0.1 * $0 }
      case .clipped: samples.map { min(max(40 * $0, -0.7), 0.7) }
      case .noisy: CaptureSignals.noise(seconds: 4, rate: ArrayLeadTests.rate, level: -40, seed: 9)
      case .dying: samples.enumerated().map { $0 < 2 * ArrayLeadTests.rate ? $1 : 0 }
      }
    }
  }

  /// Runs an array, with the canceller alone.
  private static func voice(
    _ microphones: [[Float]], far: [Float]? = nil, hearsBeam: Bool = true
  ) throws -> (voice: [Float], meters: CaptureMeters, uses: [MicrophoneInput.Use]) {
    let rig = try CoreRig(), controls = rig.core.controls
    (controls.usesVoiceProcessing, controls.isBeamformingEnabled) = (true, hearsBeam)
    (controls.isNoiseSuppressionEnabled, controls.isGainControlEnabled) = (false, false)
    rig.core.expect(microphoneChannels: microphones.count)
    try rig.core.prepare(rate: rate)
    let voice = rig.run(microphones, reference: far)
    return (voice, rig.core.meters.snapshot(), rig.core.inputs.inputs.map(\.use))
  }

  @Test(
    "V15: whatever is wrong with the first of an array, the talker is as loud as in one that works, with a beam and without",
    arguments: Fault.allCases, [true, false])
  func fault(fault: Fault, hearsBeam: Bool) throws {
    let microphones = [fault.change(Self.heard[0])] + Self.heard[1...]
    let (voice, _, uses) = try Self.voice(microphones, hearsBeam: hearsBeam)
    for second in [0.6..<1.5, 2.2..<3, 3..<3.9] where fault != .dying || second.lowerBound > 2 {
      let level = ArrayRoom.level(voice, second) - ArrayRoom.level(Self.heard[1], second)
      // What a microphone that clips tells of the talker is forgotten within a second.
      #expect(abs(level) < (second.lowerBound < 1 ? 5 : 2), "\(second): \(level) dB")
    }
    #expect(uses[0] != .heard && uses[0] != .unchosen, "\(uses)")
    #expect(uses[1...].filter { $0 == .heard }.count == (hearsBeam ? 3 : 1) && uses[1...].allSatisfy { [.heard, .unchosen].contains($0) })
    if fault == .dying {
      let level = ArrayRoom.level(voice, 2..<2.2) - ArrayRoom.level(Self.heard[1], 2..<2.2)
      #expect(level > -6, "\(level) dB")
    }
  }

  @Test("V15: an array is as loud as the one that hears the talker best, also where the first is 11 dB softer", arguments: [true, false])
  func soft(hearsBeam: Bool) throws {
    let microphones = [Self.heard[0].map { 0.28 * $0 }] + Self.heard[1...]
    let (voice, _, uses) = try Self.voice(microphones, hearsBeam: hearsBeam)
    let level = ArrayRoom.level(voice, 2..<3.9) - ArrayRoom.level(Self.heard[1], 2..<3.9)
    #expect(abs(level) < 2, "\(level) dB")
    #expect(uses == (hearsBeam ? [.heard, .heard, .heard, .heard] : [.unchosen, .heard, .unchosen, .unchosen]))
  }

  @Test("V15: where a call begins in noise, the channel that has most of it, and is the loudest, does not lead", arguments: [true, false])
  func noisy(hearsBeam: Bool) throws {
    let pause = [Float](repeating: 0, count: Self.rate / 2)
    let microphones = (0..<4).map { index in
      let noise = CaptureSignals.noise(seconds: 4, rate: Self.rate, level: index == 0 ? -42 : -50, seed: UInt64(40 + index))
      return zip(noise, pause + Self.heard[index]).map { $0 + $1 }
    }
    let (voice, _, uses) = try Self.voice(microphones, hearsBeam: hearsBeam)
    let level = ArrayRoom.level(voice, 1..<3.9) - ArrayRoom.level(microphones[1], 1..<3.9)
    #expect(abs(level) < 1, "\(level) dB")
    #expect(uses.filter { $0 == .heard }.count == (hearsBeam ? 4 : 1) && (hearsBeam || uses[0] == .unchosen), "\(uses)")
  }

  @Test(
    "V15, V6: the echo is gone, and measured, where the first of an array is left out while the far end talks",
    arguments: [Fault.dead, .soft, .clipped, .dying])
  func echo(fault: Fault) throws {
    let far = CaptureSignals.speech(seconds: 4, rate: Self.rate, level: -20, seed: 5)
    let echoes = Self.noisy(ArrayRoom.hear(far, delays: [400, 410, 405, 420], gains: [0.5, 0.5, 0.5, 0.5], seed: 8))
    let (voice, meters, uses) = try Self.voice([fault.change(echoes[0])] + echoes[1...], far: far)
    let left = ArrayRoom.level(voice, 3..<3.9), heard = ArrayRoom.level(echoes[1], 3..<3.9)
    #expect(heard - left > 35, "\(heard - left) dB, \(uses)")
    if fault == .dying {
      // What the further one's filter has learnt goes on.
      let atOnce = ArrayRoom.level(echoes[1], 2.05..<2.5) - ArrayRoom.level(voice, 2.05..<2.5)
      #expect(atOnce > 30, "\(atOnce) dB")
    }
    #expect(meters.erle > 10 && abs(meters.echoDelay - 0.0085) < 0.002, "\(meters.erle) dB, \(meters.echoDelay) s")
  }

  @Test("V15, L7: another lead is heard without a click")
  func click() throws {
    let hum = (0..<4 * Self.rate).map { 0.1 * sin(2 * Float.pi * 100 * Float($0) / Float(Self.rate)) }
    // It fades over 0.1 s.
    let first = hum.enumerated().map { $1 * max(0, 1 - max(0, Float($0) / Float(Self.rate) - 2) / 0.1) }
    let clicks = try [hum, first].map { CaptureSignals.click(try Self.voice([$0, hum, hum], hearsBeam: false).voice) }
    #expect(clicks[1] < 3 * clicks[0], "\(clicks)")
  }
}
