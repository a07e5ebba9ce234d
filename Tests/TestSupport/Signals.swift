import Foundation

/// Returns a sine that starts at 0. `level` is its peak.
public func sine(_ frequency: Double, frames: Int, rate: Int = 48_000, level: Double = 1) -> [Float] {
  (0..<frames).map { Float(level * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
}

public func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : greatestCommonDivisor(b, a % b) }
