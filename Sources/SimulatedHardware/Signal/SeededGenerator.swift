internal import Glibc

/// Random numbers that repeat in every run: SplitMix64 (Steele, Lea, Flood 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Begins a sequence; equal seeds give equal ones.
  public init(seed: UInt64) { state = seed }

  /// Returns the next value: 64 uniformly distributed bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// Uniform in 0..<1.
  mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Uniform in the range.
  mutating func uniform(_ range: ClosedRange<Double>) -> Double { range.lowerBound + uniform() * (range.upperBound - range.lowerBound) }

  /// Mean 0, variance 1 (Box–Muller).
  mutating func gaussian() -> Double { (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform()) }

  /// Exponentially distributed with this mean.
  mutating func exponential(mean: Double) -> Double { -mean * log(1 - uniform()) }
}
