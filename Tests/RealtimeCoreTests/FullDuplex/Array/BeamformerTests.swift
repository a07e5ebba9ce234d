import Foundation
import Testing

@testable import RealtimeCore

@Suite("Beamformer")
struct BeamformerTests {
  private static let rate = ArrayRoom.rate
  private static let gains: [Float] = [1, 1.6, 0.6, 1.2]

  /// A talker in front of the array, who begins after a second, and another place to talk from.
  private static func talker(seconds: Double, delays: [Int] = [4, 4, 4, 4], level: Float = -26, gains: [Float] = gains) -> [[Float]] {
    let words = CaptureSignals.speech(seconds: seconds - 1, rate: rate, level: level)
    return ArrayRoom.hear([Float](repeating: 0, count: rate) + words, delays: delays, gains: gains, seed: 3)
  }

  /// A fan aside, and the noise of each microphone itself.
  private static func noise(seconds: Double, spacing: Int, level: Float = -34) -> [[Float]] {
    let frames = Int(seconds * Double(rate))
    let fan = ArrayRoom.hear(
      ArrayRoom.fan(frames: frames, level: level), delays: (0..<4).map { 4 + spacing * $0 }, gains: gains, seed: 5)
    let own = (0..<4).map { CaptureSignals.noise(seconds: seconds, rate: rate, level: -75, seed: UInt64(20 + $0)) }
    return ArrayRoom.sum([fan, own], signs: [1, 1])
  }

  private static func ratio(_ parts: (part: [Float], other: [Float]), _ seconds: Range<Double>) -> Double {
    ArrayRoom.level(parts.part, seconds) - ArrayRoom.level(parts.other, seconds)
  }

  @Test("V15: beside a fan, two microphones hear a talker 3.5 dB better than one, and four 5.5 dB", arguments: [(2, 7, 3.5), (4, 5, 5.5)])
  func beam(microphones: Int, spacing: Int, least: Double) {
    let near = Self.talker(seconds: 8), noise = Self.noise(seconds: 8, spacing: spacing)
    let one = ArrayRoom.separate(near, from: noise, microphones: 1)
    let all = ArrayRoom.separate(near, from: noise, microphones: microphones)
    let gain = Self.ratio(all, 3..<8) - Self.ratio(one, 3..<8), level = ArrayRoom.level(all.part, 3..<8) - ArrayRoom.level(one.part, 3..<8)
    #expect(gain > least)
    #expect(abs(level) < 1)
  }

  @Test(
    "V15: an array leaves no more of an echo than one microphone; where both talk, it hears a soft talker 2 dB better", arguments: [2, 4])
  func echo(microphones: Int) {
    let own = (0..<4).map { CaptureSignals.noise(seconds: 10, rate: Self.rate, level: -70, seed: UInt64(20 + $0)) }
    var near = Self.talker(seconds: 10, level: -44)
    for i in near.indices { near[i].replaceSubrange(0..<5 * Self.rate, with: repeatElement(0, count: 5 * Self.rate)) }
    let voices = UInt64(2)...6
    var gain = 0.0
    for voice in voices {
      let far = CaptureSignals.speech(seconds: 10, rate: Self.rate, level: -26, seed: voice)
      let echo = ArrayRoom.hear(far, delays: [60, 66, 72, 78], gains: Self.gains, seed: 11 + voice)
      let others = ArrayRoom.sum([echo, own], signs: [1, 1])
      let one = ArrayRoom.separate(near, from: others, microphones: 1, far: far)
      let all = ArrayRoom.separate(near, from: others, microphones: microphones, far: far)
      let alone = ArrayRoom.level(all.other, 2..<5) - ArrayRoom.level(one.other, 2..<5)
      #expect(alone < 0.1, "voice \(voice)")
      let both = Self.ratio(all, 6..<10) - Self.ratio(one, 6..<10)
      #expect(both > 0, "voice \(voice)")
      gain += both / Double(voices.count)
    }
    #expect(gain > 2)
  }

  @Test("V15: who talks already as the call begins is not taken for noise", arguments: [0.1, 0.3, 0.6])
  func talking(since seconds: Double) {
    // The talker's first second is silent.
    let begin = Int((1 + seconds) * Double(Self.rate))
    let near = Self.talker(seconds: 7).map { Array($0[begin...]) }, noise = Self.noise(seconds: 6 - seconds, spacing: 5)
    let one = ArrayRoom.separate(near, from: noise, microphones: 1)
    let all = ArrayRoom.separate(near, from: noise, microphones: 4)
    for time in [0.2..<1, 1..<2, 2..<4] {
      #expect(abs(ArrayRoom.level(all.part, time) - ArrayRoom.level(one.part, time)) < 1, "\(time)")
    }
    #expect(Self.ratio(all, 1.5..<5) - Self.ratio(one, 1.5..<5) > 3)
  }

  @Test("V15: where a microphone dies, no word is lost, and nothing clicks", arguments: [0, 1, 2])
  func death(dead: Int) {
    let near = Self.talker(seconds: 7), noise = Self.noise(seconds: 7, spacing: 5)
    let whole = ArrayRoom.sum([near, noise], signs: [1, 1])
    var broken = whole
    let time = 5 * Self.rate
    broken[dead].replaceSubrange(time..<whole[dead].count, with: repeatElement(0, count: whole[dead].count - time))
    var processor = FullDuplexProcessor(rate: Self.rate, microphones: 4), other = FullDuplexProcessor(rate: Self.rate, microphones: 4)
    let voice = other.run(broken, suppressesNoise: false), usual = processor.run(whole, suppressesNoise: false)
    for start in stride(from: 5.0, to: 6.9, by: 0.1) {
      let level = ArrayRoom.level(usual, start..<start + 0.1)
      // In pauses, there is more noise.
      if level > -45 { #expect(abs(ArrayRoom.level(voice, start..<start + 0.1) - level) < 3, "at \(start) s") }
    }
    func roughest(_ samples: ArraySlice<Float>) -> Float { CaptureSignals.high(of: samples, rate: Self.rate).map(abs).max() ?? 0 }
    #expect(roughest(voice[time - 2_400..<time + 2_400]) < 1.5 * roughest(usual[time - 2_400..<time + 2_400]) + 1e-4)
  }

  @Test("V15: a talker who moves is heard as before within a second", arguments: [2, 4])
  func move(microphones: Int) {
    let noise = Self.noise(seconds: 8, spacing: 5), here = Self.talker(seconds: 8),
      there = Self.talker(seconds: 8, delays: [24, 18, 12, 6])
    let moved = here.indices.map { Array(here[$0][..<(5 * Self.rate)] + there[$0][(5 * Self.rate)...]) }
    let one = ArrayRoom.separate(moved, from: noise, microphones: 1)
    let all = ArrayRoom.separate(moved, from: noise, microphones: microphones)
    for time in [4.0..<5, 6..<7, 7..<8] {
      #expect(abs(ArrayRoom.level(all.part, time) - ArrayRoom.level(one.part, time)) < 1.5, "\(time)")
      #expect(Self.ratio(all, time) > Self.ratio(one, time), "\(time)")
    }
  }

  @Test("V15: switched off, the array is its first microphone, sample by sample")
  func switching() {
    let near = Self.talker(seconds: 6), noise = Self.noise(seconds: 6, spacing: 7), all = ArrayRoom.sum([near, noise], signs: [1, 1])
    var one = FullDuplexProcessor(rate: Self.rate), array = FullDuplexProcessor(rate: Self.rate, microphones: 2)
    var always = FullDuplexProcessor(rate: Self.rate, microphones: 2), turned = FullDuplexProcessor(rate: Self.rate, microphones: 2)
    #expect(array.delay == one.delay)
    let single = one.run(all)
    let isSame = array.run(all, beamforms: { _ in false }) == single
    #expect(isSame)
    let on = always.run(all), switched = turned.run(all, beamforms: { $0 / (Self.rate / 4) % 2 == 0 })
    let isOn = on != single, hasTurned = switched != on && switched != single
    #expect(isOn && hasTurned)
  }

  @Test("V15: switching the array does not click in a hum, which hides no click")
  func hum() {
    let tone = (0..<6 * Self.rate).map { i in 0.1 * Float(sin(2 * .pi * 200 * Double(i) / Double(Self.rate))) }
    // A talker who hums, beside a fan.
    let near = ArrayRoom.hear(tone, delays: [4, 11], gains: [1, 0.6], seed: 3)
    let fan = ArrayRoom.hear(ArrayRoom.fan(frames: tone.count, level: -80), delays: [4, 9], gains: [1, 0.6], seed: 5)
    let all = ArrayRoom.sum([near, fan], signs: [1, 1])
    var processor = FullDuplexProcessor(rate: Self.rate, microphones: 2)
    let voice = processor.run(all, suppressesNoise: false, beamforms: { $0 / (Self.rate / 4) % 2 == 0 })
    #expect(CaptureSignals.click(voice) < 1e-3)
  }
}
