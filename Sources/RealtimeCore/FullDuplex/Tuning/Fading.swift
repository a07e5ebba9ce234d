import Foundation

/// How fast something is forgotten: the seconds after which 1 / e of it is left. In JSON, a number. [any]
struct Fading: Codable, Sendable, Equatable, ExpressibleByFloatLiteral {
  let seconds: Double

  /// Seconds of a hop of 256 frames at 48 kHz. Everything was tuned with these: what is left after one is rounded there, and converted to
  /// other hops from there.
  static let referenceHop = 256.0 / 48_000

  init(floatLiteral seconds: Double) { self.seconds = seconds }

  init(from decoder: any Decoder) throws { seconds = try decoder.singleValueContainer().decode(Double.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(seconds)
  }

  /// What is left after so many reference hops, 0…1.
  func left(afterHops hops: Int) -> Float { Float(exp(-Self.referenceHop * Double(hops) / seconds)) }
}

extension FilterLayout {
  /// Returns what is left of something after a hop, or `period` hops, 0…1.
  func perHop(_ fading: Fading, every period: Int = 1) -> Float {
    factorPerHop(fading.left(afterHops: period), hop: hop, rate: rate)
  }

  /// Returns the part of a fading's seconds that a hop lasts, all of it at most: the step of what approaches evenly.
  func step(_ fading: Fading) -> Float {
    min(Float(Fading.referenceHop / fading.seconds) * (Float(hop) / Float(rate) * Float(1 / Fading.referenceHop)), 1)
  }
}
