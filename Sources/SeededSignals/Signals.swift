internal import Glibc

/// Returns a sine that starts at 0. `level` is its peak.
package func sine(_ frequency: Double, frames: Int, rate: Int = 48_000, level: Double = 1) -> [Float] {
  (0..<frames).map { Float(level * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
}

/// Returns white noise, uniform within ±`level`; equal seeds give equal noise.
package func noise(frames: Int, level: Float = 0.5, seed: UInt64 = 1, _ algorithm: SeededGenerator.Algorithm = .splitMix) -> [Float] {
  var generator = SeededGenerator(seed: seed, algorithm)
  return (0..<frames).map { _ in level * generator.sample() }
}

/// Returns samples of −1…1 in 16 bits.
package func pcm(_ samples: [Float]) -> [Int16] { samples.map { Int16($0 * 32_767) } }
