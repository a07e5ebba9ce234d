import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: overlap-add")
struct OverlapAddTests {
  @Test("V10: what is not changed comes out as it went in, a hop later", arguments: [16_000, 48_000, 96_000])
  func unchanged(rate: Int) {
    let layout = FilterLayout(rate: rate)
    let samples = Array(Noise.white(frames: 20 * layout.hop, seed: 3)), all = overlapped(samples, layout: layout)
    // Whole windows only: what is before the first sample is silence.
    let differences = zip(all.dropFirst(layout.hop), samples).map { abs($0 - $1) }
    #expect((differences.max() ?? 1) < 1e-5)
  }

  /// Not in the test: Swift 6.0's optimizer crashes on these noncopyable values beside an expectation.
  private func overlapped(_ samples: [Float], layout: FilterLayout) -> [Float] {
    let transform = FourierTransform(length: layout.transform), spectrum = Spectrum(transform.bins)
    let windows = SlidingWindows(count: 1, length: layout.suppressorWindow, block: layout.hop)
    let window = AsymmetricWindow(layout: layout), overlap = OverlapAdd(layout: layout), power = Samples(transform.bins + 8)
    var output = [Float](repeating: 0, count: layout.hop), all: [Float] = []
    for start in stride(from: 0, to: samples.count, by: layout.hop) {
      windows.push(Array(samples[start..<start + layout.hop]), onto: 0)
      analyze(windows[0], transform, window, into: spectrum.parts, power: power.start)
      add(spectrum.parts, transform, window, overlap, into: &output)
      all += output
    }
    return all
  }

  // Never inlined: Swift 6.0 crashes where it takes a window apart.
  @inline(never)
  private func analyze(
    _ samples: UnsafePointer<Float>, _ transform: borrowing FourierTransform, _ window: borrowing AsymmetricWindow,
    into spectrum: SplitSpectrum, power: UnsafeMutablePointer<Float>
  ) {
    transform.analyze(samples, window: window.analysis.start, count: window.length, into: spectrum, power: power)
  }

  @inline(never)
  private func add(
    _ spectrum: SplitSpectrum, _ transform: borrowing FourierTransform, _ window: borrowing AsymmetricWindow,
    _ overlap: borrowing OverlapAdd, into output: UnsafeMutablePointer<Float>
  ) {
    overlap.add(spectrum, transform: transform, window: window.synthesis.start, into: output)
  }
}
