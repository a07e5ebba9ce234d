import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: share of the estimate")
struct EstimateShareTests {
  private static let layout = FilterLayout(rate: 16_000)

  /// Subtracts an estimate for half a second. Returns the residual and what was subtracted in its second half.
  private func limited(_ microphone: [Float], _ echo: [Float]) -> (residual: [Float], echo: [Float]) {
    let layout = Self.layout, error = zip(microphone, echo).map { $0 - $1 }
    var share = EstimateShare(layout: layout)
    var all: (residual: [Float], echo: [Float]) = ([], [])
    for start in stride(from: 0, through: layout.rate / 2 - layout.hop, by: layout.hop) {
      microphone.withUnsafeBufferPointer { microphone in
        echo.withUnsafeBufferPointer { echo in
          error.withUnsafeBufferPointer { error in
            let (heard, estimate, left) = (microphone.baseAddress! + start, echo.baseAddress! + start, error.baseAddress! + start)
            let isLess = share.limit(microphone: heard, echo: estimate, residual: left)
            let residual = isLess ? share.residual : left, subtracted = isLess ? share.echo : estimate
            for i in 0..<layout.hop { #expect(abs(residual[i] + subtracted[i] - heard[i]) < 1e-5) }
            if start < layout.rate / 4 { return }
            all.residual += UnsafeBufferPointer(start: residual, count: layout.hop)
            all.echo += UnsafeBufferPointer(start: subtracted, count: layout.hop)
          }
        }
      }
    }
    return all
  }

  private func power(_ samples: some Collection<Float>) -> Float { samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count) }

  @Test("V10: an estimate that makes the microphone louder is subtracted as far as it does not", arguments: [Float(-1), 0, 0.25, 0.45])
  func tooLarge(contained: Float) {
    let echo = Noise.white(frames: Self.layout.rate, seed: 3), near = Noise.white(frames: echo.count, level: 0.1, seed: 5)
    let microphone = zip(echo, near).map { contained * $0 + $1 }
    let limited = limited(microphone, echo)
    #expect(power(limited.residual) < 1.05 * power(microphone), "\(power(limited.residual)) of \(power(microphone))")
  }

  @Test(
    "V10: an estimate that the microphone contains is subtracted whole, also below a near end 20 dB louder",
    arguments: [Float(0.1), 0.3, 1])
  func contained(near level: Float) {
    let echo = Noise.white(frames: Self.layout.rate, seed: 3), near = Noise.white(frames: echo.count, level: level, seed: 5)
    let limited = limited(zip(echo, near).map { $0 + $1 }, echo)
    let whole = power(echo[(Self.layout.rate / 4)..<(Self.layout.rate / 2)])
    #expect(power(limited.echo) > 0.98 * whole, "\(power(limited.echo)) of \(whole)")
  }

  @Test("V10: how much is subtracted changes little with what the microphone contains")
  func gradual() {
    let echo = Noise.white(frames: Self.layout.rate, seed: 3)
    let shares = stride(from: Float(-0.2), through: 1.2, by: 0.05).map { contained in
      limited(echo.map { contained * $0 }, echo).echo
    }.map { power($0) / power(echo) }
    for (one, next) in zip(shares, shares.dropFirst()) { #expect(next - one < 0.25 && next > one - 0.01, "\(one), \(next)") }
    #expect(shares[0] < 0.01 && shares[shares.count - 1] > 0.9)
  }
}
