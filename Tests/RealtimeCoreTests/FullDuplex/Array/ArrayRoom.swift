import SeededSignals

@testable import RealtimeCore

/// A room as the microphones of an array hear it, at 48 kHz, as far as their tests need one.
enum ArrayRoom {
  static let rate = 48_000

  /// What each microphone hears of a source: directly after so many frames, times its gain, and by reflections of its own.
  static func hear(_ source: [Float], delays: [Int], gains: [Float], seed: UInt64) -> [[Float]] {
    var random = SeededGenerator(seed: seed, .congruential)
    let walls = (0..<8).map { _ in (time: 150 + Int(600 * abs(random.sample())), gain: 0.25 * random.sample()) }
    return delays.indices.map { microphone in
      let paths = walls.map { (time: $0.time + Int(8 * random.sample()), gain: $0.gain * (1 + 0.3 * random.sample())) }
      var heard = [Float](repeating: 0, count: source.count)
      for path in [(time: 0, gain: 1)] + paths {
        let delay = path.time + delays[microphone], gain = path.gain * gains[microphone]
        for i in delay..<source.count { heard[i] += gain * source[i - delay] }
      }
      return heard
    }
  }

  /// A fan: steady noise below some kHz.
  static func fan(frames: Int, level: Float, seed: UInt64 = 7) -> [Float] {
    var low: Float = 0
    let noise = CaptureSignals.noise(seconds: Double(frames) / Double(rate), rate: rate, level: level, seed: seed)
    return noise.map { sample in
      low += 0.15 * (sample - low)
      return 3 * low
    }
  }

  static func sum(_ parts: [[[Float]]], signs: [Float]) -> [[Float]] {
    parts[0].indices.map { microphone in
      parts[0][microphone].indices.map { i in zip(parts, signs).reduce(0) { $0 + $1.1 * $1.0[microphone][i] } }
    }
  }

  /// What a processor makes of two parts of what the microphones hear, each for itself: their sum and difference are processed, which have
  /// the same covariances (Hagerman and Olofsson, Acta Acustica 90, 2004).
  static func separate(
    _ part: [[Float]], from other: [[Float]], microphones: Int, far: [Float]? = nil, suppressesNoise: Bool = false
  ) -> (part: [Float], other: [Float]) {
    let voices = [Float(1), -1].map { sign in
      var processor = FullDuplexProcessor(rate: rate, microphones: microphones)
      return processor.run(sum([part, other], signs: [sign, 1]), far: far, suppressesNoise: suppressesNoise)
    }
    return (zip(voices[0], voices[1]).map { ($0 - $1) / 2 }, zip(voices[0], voices[1]).map { ($0 + $1) / 2 })
  }

  /// The level in dB within some seconds.
  static func level(_ samples: [Float], _ seconds: Range<Double>) -> Double {
    let range = Int(seconds.lowerBound * Double(rate))..<Int(seconds.upperBound * Double(rate))
    return CaptureSignals.decibels(CaptureSignals.power(samples[range]))
  }
}

extension FullDuplexProcessor {
  /// Processes all whole hops of an array, of which it hears as many microphones as it was made for. Returns the voice, `delay` later.
  mutating func run(
    _ microphones: [[Float]], far: [Float]? = nil, suppressesNoise: Bool = true, beamforms: (_ frame: Int) -> Bool = { _ in true }
  ) -> [Float] {
    var voice = microphones[0]
    let silence = [Float](repeating: 0, count: voice.count), far = far ?? silence
    for start in stride(from: 0, through: voice.count - hop, by: hop) {
      let others = microphones.dropFirst().flatMap { $0[start..<start + hop] }, isOn = beamforms(start)
      far.withUnsafeBufferPointer { far in
        others.withUnsafeBufferPointer { others in
          voice.withUnsafeMutableBufferPointer { voice in
            process(
              voice.baseAddress! + start, left: far.baseAddress! + start, right: far.baseAddress! + start, cancelsEcho: true,
              suppressesNoise: suppressesNoise, others: others.baseAddress, beamforms: isOn)
          }
        }
      }
    }
    return voice
  }
}
