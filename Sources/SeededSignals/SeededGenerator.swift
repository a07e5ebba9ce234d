internal import Glibc

/// Random numbers that repeat in every run.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// Ways to make the numbers. A bar that was measured with one holds for that one.
  package enum Algorithm: Sendable {
    /// SplitMix64 (Steele, Lea, Flood 2014).
    case splitMix
    /// The linear congruential generator of MMIX (Knuth). Its low bits have short periods.
    case congruential
    /// Xorshift, 64 bits (Marsaglia 2003).
    case xorshift
  }

  private let algorithm: Algorithm
  private var state: UInt64

  /// Begins a sequence; equal seeds give equal ones.
  package init(seed: UInt64, _ algorithm: Algorithm = .splitMix) {
    self.algorithm = algorithm
    state =
      switch algorithm {
      case .splitMix: seed
      case .congruential: seed &* 2_862_933_555_777_941_757 &+ 3_037_000_493
      case .xorshift: seed &* 0x9e37_79b9_7f4a_7c15 | 1
      }
  }

  /// Returns the next value: 64 uniformly distributed bits.
  package mutating func next() -> UInt64 {
    switch algorithm {
    case .splitMix:
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    case .congruential: state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    case .xorshift:
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
    }
    return state
  }

  /// Uniform in −1..<1, as white noise is.
  package mutating func sample() -> Float { Float(Int32(truncatingIfNeeded: next() >> 32)) * 0x1p-31 }

  /// Uniform in 0..<1.
  package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Uniform in the range.
  package mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + uniform() * (range.upperBound - range.lowerBound)
  }

  /// Mean 0, variance 1 (Box–Muller).
  package mutating func gaussian() -> Double { (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform()) }

  /// Exponentially distributed with this mean.
  package mutating func exponential(mean: Double) -> Double { -mean * log(1 - uniform()) }
}
