import Foundation

@testable import SimulatedHardware

/// Test signals.
enum Signals {
  /// White noise, peaks well below the limiter.
  static func noise(frames: Int, seed: UInt64 = 11) -> [Float] {
    var generator = SeededGenerator(seed: seed)
    return (0..<frames).map { _ in max(-0.5, min(0.5, 0.1 * Float(generator.gaussian()))) }
  }

  /// A synthesised talker at −24 dBFS, repeated to the given length.
  static func speech(_ voice: Voice, seconds: Double, rate: Int = 48_000) throws -> [Float] {
    let speech = try Speech(voice, rate: rate).samples
    return (0..<Int(seconds * Double(rate))).map { speech[$0 % speech.count] }
  }

  /// The largest step from one sample to the next.
  static func largestStep(_ samples: [Float]) -> Float {
    zip(samples.dropFirst(), samples).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }
}

extension Array<Float> {
  /// The same samples `frames` later, cut to the same length.
  func delayed(by frames: Int) -> [Float] { Array([Float](repeating: 0, count: frames) + self.dropLast(frames)) }
}

/// Describes how a recording differs from the expected one; nil if it is the same, bit by bit.
func difference(_ recording: [Float]?, _ expected: [Float]) -> String? {
  guard let recording else { return "no such recording" }
  guard recording.count == expected.count else { return "\(recording.count) frames instead of \(expected.count)" }
  let wrong = recording.indices.filter { recording[$0] != expected[$0] }
  guard let first = wrong.first, let last = wrong.last else { return nil }
  let lag = Measures.lag(of: recording, after: expected, most: 8_192).map { "\($0.frames) frames late (correlation \($0.correlation))" }
  return "\(wrong.count) of \(expected.count) frames differ, from \(first) to \(last); \(lag ?? "silent")"
}
