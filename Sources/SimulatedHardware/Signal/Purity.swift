internal import Glibc

extension Measures {
  /// Returns the power of the best-fitting sine of `frequency` Hz in `signal` over that of the rest, in dB.
  package static func purity(ofTone frequency: Double, in signal: some Collection<Float>, rate: Double) -> Double {
    let angle = 2 * .pi * frequency / rate
    var (cc, cs, ss, cy, sy) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (index, sample) in signal.enumerated() {
      let (c, s, y) = (cos(angle * Double(index)), sin(angle * Double(index)), Double(sample))
      cc += c * c
      cs += c * s
      ss += s * s
      cy += c * y
      sy += s * y
    }
    let determinant = cc * ss - cs * cs
    let (a, b) = ((cy * ss - sy * cs) / determinant, (sy * cc - cy * cs) / determinant)
    var (power, rest) = (0.0, 0.0)
    for (index, sample) in signal.enumerated() {
      let fit = a * cos(angle * Double(index)) + b * sin(angle * Double(index))
      power += fit * fit
      rest += (Double(sample) - fit) * (Double(sample) - fit)
    }
    return 10 * log10(power / rest)
  }

  /// Returns the same at the best-fitting frequency within 0.3 % of `frequency`: steering changes the speed by up to 0.2 %.
  package static func bestPurity(ofToneNear frequency: Double, in signal: some Collection<Float>, rate: Double) -> Double {
    var (low, high) = (frequency * 0.997, frequency * 1.003)
    while high - low > frequency * 1e-8 {
      let third = (high - low) / 3
      let lower = purity(ofTone: low + third, in: signal, rate: rate)
      if lower > purity(ofTone: high - third, in: signal, rate: rate) { high -= third } else { low += third }
    }
    return purity(ofTone: (low + high) / 2, in: signal, rate: rate)
  }
}
