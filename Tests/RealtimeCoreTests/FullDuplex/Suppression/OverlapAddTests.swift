import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: overlap-add")
struct OverlapAddTests {
  @Test("V10: what is not changed comes out as it went in, a hop later")
  func unchanged() {
    let hop = 256, length = 1_024
    // A Hann window of two hops, whose halves add up to 1.
    let rise = length - 2 * hop
    let window = (0..<length).map { (i: Int) -> Float in
      let phase = Float.pi * (Float(i - rise) + 0.5) / Float(hop)
      return i < rise ? 0 : 0.5 - 0.5 * cos(phase)
    }
    let samples = [Float](repeating: 0, count: length) + Array(Noise.white(frames: 20 * hop, seed: 3))
    let all = overlapped(samples, hop: hop, window: window)
    let late = samples.dropFirst(length - hop).prefix(all.count)
    #expect(zip(all, late).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  /// Not in the test: Swift 6.0's optimizer crashes on these noncopyable values beside an expectation.
  private func overlapped(_ samples: [Float], hop: Int, window: [Float]) -> [Float] {
    let transform = FourierTransform(length: window.count), spectrum = Spectrum(transform.bins)
    let overlap = OverlapAdd(hop: hop, length: window.count)
    var output = [Float](repeating: 0, count: hop), all: [Float] = []
    for start in stride(from: hop, through: samples.count - window.count, by: hop) {
      transform.forward(Array(samples[start..<start + window.count]), into: spectrum.parts)
      overlap.add(spectrum.parts, transform: transform, window: window, into: &output)
      all += output
    }
    return all
  }
}
