import Foundation
import SeededSignals
import Testing

@testable import RealtimeCore

@Suite("Full duplex: the talker's harmonics")
struct HarmonicCombTests {
  /// What a comb makes of the lowest bins of a voice that is half of a residual, hop by hop: real, then imaginary parts.
  private static func strengthened(_ residual: [Float], rate: Int, tuning: Tuning.HarmonicComb = .init()) -> [[Float]] {
    let layout = FilterLayout(rate: rate)
    var comb = HarmonicComb(layout: layout, window: AsymmetricWindow(layout: layout), tuning: tuning)
    return strengthened(residual, rate: rate, by: &comb)
  }

  private static func strengthened(_ residual: [Float], rate: Int, by comb: inout HarmonicComb) -> [[Float]] {
    let layout = FilterLayout(rate: rate), window = AsymmetricWindow(layout: layout)
    let transform = FourierTransform(length: layout.transform)
    let windows = SlidingWindows(count: 1, length: layout.suppressorWindow, block: layout.hop)
    let samples = Samples(residual), spectrum = Spectrum(transform.bins), power = Samples(transform.bins + 8)
    let voice = spectrum.parts
    var hops = [[Float]]()
    for start in stride(from: 0, through: residual.count - layout.hop, by: layout.hop) {
      windows.push(UnsafePointer(samples + start), onto: 0)
      Self.analyze(windows[0], transform, window, into: voice, power: power.start)
      comb.take(windows[0], voice)
      for k in 0...layout.transform / 2 { (voice.re[k], voice.im[k]) = (0.5 * voice.re[k], 0.5 * voice.im[k]) }
      comb.strengthen(voice)
      hops.append(lowest(voice, rate: rate))
    }
    return hops
  }

  // Never inlined: Swift 6.0 crashes where it takes a window apart.
  @inline(never)
  private static func analyze(
    _ samples: UnsafePointer<Float>, _ transform: borrowing FourierTransform, _ window: borrowing AsymmetricWindow,
    into spectrum: SplitSpectrum, power: UnsafeMutablePointer<Float>
  ) {
    transform.analyze(samples, window: window.analysis.start, count: window.length, into: spectrum, power: power)
  }

  /// Real, then imaginary parts of the bins up to 900 Hz.
  private static func lowest(_ spectrum: SplitSpectrum, rate: Int) -> [Float] {
    let bins = 1..<900 * FilterLayout(rate: rate).transform / rate
    return bins.map { spectrum.re[$0] } + bins.map { spectrum.im[$0] }
  }

  private static func plain(_ residual: [Float], rate: Int) -> [[Float]] {
    var tuning = Tuning.HarmonicComb()
    tuning.strength = 0
    return strengthened(residual, rate: rate, tuning: tuning)
  }

  /// The ratio of what is like `wanted` to what is not, whatever the level, in dB up to 60, from half of the hops on.
  private static func ratio(_ heard: [[Float]], to wanted: [[Float]]) -> Float {
    var product: Float = 0, power: Float = 0, wantedPower: Float = 0
    for hop in heard.count / 2..<heard.count {
      for (a, b) in zip(heard[hop], wanted[hop]) {
        product += a * b
        power += a * a
        wantedPower += b * b
      }
    }
    let alike = product * product / wantedPower
    return 10 * log10(alike / max(power - alike, 1e-6 * power))
  }

  private static func power(_ hops: [[Float]]) -> Float { hops.joined().reduce(0) { $0 + $1 * $1 } }

  /// A second of a vowel with this pitch: harmonics up to 900 Hz.
  private static func vowel(_ pitch: Double, rate: Int) -> [Float] {
    var sum = [Float](repeating: 0, count: rate)
    for harmonic in 1...Int(900 / pitch) {
      for (i, value) in sine(pitch * Double(harmonic), frames: rate, rate: rate, level: 0.05).enumerated() { sum[i] += value }
    }
    return sum
  }

  /// Noise of a level as if all of it were below 8 kHz, whatever the rate.
  private static func hiss(rate: Int) -> [Float] { noise(frames: rate, level: 0.25 * sqrt(Float(rate) / 16_000), seed: 3) }

  @Test(
    "V10: a vowel stands out further from noise, at every pitch and rate: the lower it is, the more lies between its harmonics",
    arguments: [16_000, 44_100, 48_000, 96_000], [(85.0, Float(1.2)), (131, 0.7), (210, 0.25), (333, 0.02)])
  func vowels(rate: Int, voice: (pitch: Double, least: Float)) {
    let pitch = voice.pitch
    let vowel = Self.vowel(pitch, rate: rate), heard = zip(vowel, Self.hiss(rate: rate)).map { $0 + $1 }
    let wanted = Self.plain(vowel, rate: rate)
    let gained = Self.ratio(Self.strengthened(heard, rate: rate), to: wanted) - Self.ratio(Self.plain(heard, rate: rate), to: wanted)
    #expect(gained > voice.least, "gains \(gained) dB")
  }

  @Test("V10: what has a pitch keeps its level, and is changed little where nothing else is heard", arguments: [16_000, 48_000])
  func alone(rate: Int) {
    let vowel = Self.vowel(140, rate: rate), wanted = Self.plain(vowel, rate: rate), heard = Self.strengthened(vowel, rate: rate)
    #expect(abs(10 * log10(Self.power(heard) / Self.power(wanted))) < 0.1)
    #expect(Self.ratio(heard, to: wanted) > 20)
  }

  @Test("V10: what has no pitch passes almost unchanged", arguments: [16_000, 48_000])
  func noises(rate: Int) {
    let hiss = Self.hiss(rate: rate), ratio = Self.ratio(Self.strengthened(hiss, rate: rate), to: Self.plain(hiss, rate: rate))
    #expect(ratio > 12, "\(ratio) dB")
  }

  @Test("V10: after a rest, nothing is left of what was heard before")
  func rests() {
    let layout = FilterLayout(rate: 16_000), vowel = Self.vowel(140, rate: 16_000)
    var comb = HarmonicComb(layout: layout, window: AsymmetricWindow(layout: layout), tuning: .init())
    _ = Self.strengthened(Self.vowel(97, rate: 16_000), rate: 16_000, by: &comb)
    comb.rest()
    let again = Self.strengthened(vowel, rate: 16_000, by: &comb)
    #expect(again == Self.strengthened(vowel, rate: 16_000))
  }

  @Test("V10: digital silence, and a full-scale square wave, remain finite", arguments: [0, 1.0])
  func extremes(level: Float) {
    let square = (0..<16_000).map { $0 / 40 % 2 == 0 ? level : -level }
    let heard = Self.strengthened(square, rate: 16_000)
    let isFinite = heard.joined().allSatisfy { $0.isFinite }
    #expect(isFinite)
    if level == 0 { #expect(Self.power(heard) == 0) }
  }

  @Test("V10: a delayed spectrum is the transform of the delayed signal", arguments: [16_000, 44_100, 48_000, 96_000])
  func delays(rate: Int) {
    let layout = FilterLayout(rate: rate), window = AsymmetricWindow(layout: layout)
    var low = LowBand(layout: layout, window: window, limit: 1000)
    let windows = SlidingWindows(count: 1, length: layout.suppressorWindow, block: layout.hop)
    let signal = Samples(zip(Self.vowel(97, rate: rate), Self.vowel(301, rate: rate)).map { $0 + $1 }), end = 100 * layout.hop
    for start in stride(from: 0, to: end, by: layout.hop) {
      windows.push(UnsafePointer(signal + start), onto: 0)
      low.push(windows[0])
    }
    let transform = FourierTransform(length: layout.transform)
    let expected = Spectrum(transform.bins), found = Spectrum(low.padded), power = Samples(transform.bins + 8)
    for milliseconds in [2.5, 5.1, 8, 13.3] {
      let delay = Int(milliseconds * Double(rate) / 1000)
      Self.analyze(
        UnsafePointer(signal + end - layout.suppressorWindow - delay), transform, window, into: expected.parts, power: power.start)
      low.analyze(delay: Float(delay), into: found.parts)
      let ratio = Self.ratio([Self.lowest(found.parts, rate: rate)], to: [Self.lowest(expected.parts, rate: rate)])
      #expect(ratio > 30, "\(milliseconds) ms: \(ratio) dB")
    }
  }
}
