import Foundation
import TestSupport
import Testing

@testable import RealtimeCore

@Suite("Full duplex: Fourier transform")
struct FourierTransformTests {
  private static let lengths = [128, 256, 512, 1024, 2048, 4096, 8192]

  @Test("V10: bins are those of the definition", arguments: lengths)
  func definition(length: Int) {
    let samples = Noise.white(frames: length, seed: 3)
    let spectrum = transformed(samples)
    for bin in [0, 1, 2, 7, length / 4, length / 2 - 1, length / 2] {
      var re = 0.0, im = 0.0
      for (n, sample) in samples.enumerated() {
        let angle = -2 * Double.pi * Double(bin * n % length) / Double(length)
        re += Double(sample) * cos(angle)
        im += Double(sample) * sin(angle)
      }
      #expect(abs(Double(spectrum.re[bin]) - re) < 1e-5 * Double(length).squareRoot(), "bin \(bin)")
      #expect(abs(Double(spectrum.im[bin]) - im) < 1e-5 * Double(length).squareRoot(), "bin \(bin)")
    }
  }

  @Test("V10: the inverse gives back what was transformed", arguments: lengths)
  func inverse(length: Int) {
    let samples = Noise.white(frames: length, seed: 5)
    let transform = FourierTransform(length: length), spectrum = Spectrum(transform.bins)
    transform.forward(samples, into: spectrum.parts)
    var result = [Float](repeating: 0, count: length)
    transform.inverse(spectrum.parts, into: &result)
    #expect(zip(samples, result).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test("V10: the first bins alone are those of the whole spectrum, and nothing is written beyond them", arguments: lengths)
  func firstBins(length: Int) {
    let samples = Noise.white(frames: length, seed: 5), transform = FourierTransform(length: length), bins = length / 8 + 8
    let whole = transformed(samples)
    var parts = [Float](repeating: .infinity, count: 2 * bins + 1)
    parts.withUnsafeMutableBufferPointer { parts in
      let re = parts.baseAddress!
      transform.forward(samples, re: re, im: re + bins, bins: bins)
    }
    #expect(Array(parts[..<bins]) == Array(whole.re[..<bins]))
    #expect(Array(parts[bins..<2 * bins]) == Array(whole.im[..<bins]))
    #expect(parts[2 * bins] == .infinity)
  }

  private func transformed(_ samples: [Float]) -> (re: [Float], im: [Float]) {
    let transform = FourierTransform(length: samples.count), spectrum = Spectrum(transform.bins)
    transform.forward(samples, into: spectrum.parts)
    return (
      Array(UnsafeBufferPointer(start: spectrum.re, count: transform.bins)),
      Array(UnsafeBufferPointer(start: spectrum.im, count: transform.bins))
    )
  }
}

/// Repeatable white noise.
enum Noise {
  /// Samples of −1…1 times `level`.
  static func white(frames: Int, level: Float = 0.1, seed: UInt64) -> [Float] {
    var generator = SeededGenerator(seed: seed, .xorshift)
    return (0..<frames).map { _ in level * (2 * Float(generator.next() >> 40) / 16_777_216 - 1) }
  }
}
