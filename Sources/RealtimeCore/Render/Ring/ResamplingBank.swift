internal import CKernels
import Foundation

/// A windowed sinc at fractions of a sample, shared by resamplers (Crochiere and Rabiner, Multirate Digital Signal Processing, 1983;
/// Kaiser's window).
// `@unchecked Sendable`: written once, in `init`.
final class ResamplingBank: @unchecked Sendable {
  /// For a writer's clock that drifts from the graph's: −80 dB from half the rate on, flat up to 37 % of the rate (17.8 kHz at 48 kHz).
  static let near = ResamplingBank(taps: Int(NEAREND_NEAR_TAPS), cutoff: 0.89, beta: 7.86)
  /// For other rates: flat up to 41 % of the lower rate (6.6 kHz at 16 kHz).
  static let any = ResamplingBank(taps: 48, cutoff: 0.92, beta: 7.86)

  /// Samples that the filter reaches to either side.
  let reach: Int
  let kernel: UnsafePointer<nearend_bank>

  /// Fractions of a sample between which the filter is interpolated; the error is −98 dB below 20 kHz, and −150 dB below 1 kHz.
  private static let phases = 256

  /// - Parameters:
  ///   - taps: a multiple of 8.
  ///   - cutoff: where the filter has fallen by 6 dB, as a share of half the rate.
  ///   - beta: the parameter of Kaiser's window.
  private init(taps: Int, cutoff: Double, beta: Double) {
    reach = taps / 2
    let (phases, half) = (Self.phases, Double(taps) / 2)
    func weight(_ x: Double) -> Double {
      guard abs(x) <= half else { return 0 }
      let sinc = x == 0 ? 1 : sin(.pi * cutoff * x) / (.pi * cutoff * x)
      // Without the window's step at its ends, which would be audible whenever a sample enters the filter.
      let window = (Self.bessel(beta * (1 - (x / half) * (x / half)).squareRoot()) - 1) / (Self.bessel(beta) - 1)
      return cutoff * sinc * window
    }
    func filter(_ phase: Int) -> [Float] {
      let weights = (0..<taps).map { weight(Double($0 + 1 - taps / 2) - Double(phase) / Double(phases)) }
      // Normalized, so that a constant is preserved at every fraction.
      let sum = weights.reduce(0, +)
      return weights.map { Float($0 / sum) }
    }
    let rows = UnsafeMutablePointer<Float>.allocate(capacity: (phases + 1) * 2 * taps)
    for phase in 0...phases {
      let (now, next) = (filter(phase), filter(phase + 1))
      for tap in 0..<taps {
        rows[phase * 2 * taps + tap] = now[tap]
        rows[phase * 2 * taps + taps + tap] = next[tap] - now[tap]
      }
    }
    let prototype = UnsafeMutablePointer<Float>.allocate(capacity: taps * phases + 2)
    for index in 0..<taps * phases + 2 { prototype[index] = Float(weight(Double(index) / Double(phases) - half)) }
    let kernel = UnsafeMutablePointer<nearend_bank>.allocate(capacity: 1)
    kernel.initialize(to: nearend_bank(rows: rows, prototype: prototype, phases: Int32(phases), taps: Int32(taps)))
    self.kernel = UnsafePointer(kernel)
  }

  /// I₀, the modified Bessel function of the first kind, by its series.
  private static func bessel(_ x: Double) -> Double {
    var (term, sum) = (1.0, 1.0)
    var k = 1.0
    while term > 1e-12 * sum {
      term *= (x / (2 * k)) * (x / (2 * k))
      sum += term
      k += 1
    }
    return sum
  }
}
