import Foundation
@_exported import struct SimulatedHardware.SeededGenerator

/// Returns a sine that starts at 0. `level` is its peak.
public func sine(_ frequency: Double, frames: Int, rate: Int = 48_000, level: Double = 1) -> [Float] {
  (0..<frames).map { Float(level * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
}

/// Returns white noise, uniform within ±`level`; equal seeds give equal noise.
public func noise(frames: Int, level: Float = 0.5, seed: UInt64 = 1) -> [Float] {
  var generator = SeededGenerator(seed: seed)
  return (0..<frames).map { _ in Float.random(in: -level...level, using: &generator) }
}

public func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : greatestCommonDivisor(b, a % b) }
