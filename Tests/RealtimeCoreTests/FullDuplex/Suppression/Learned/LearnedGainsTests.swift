import Foundation
import Testing

@testable import RealtimeCore

/// When the network runs, and how much of what it says counts.
@Suite("Full duplex: how much the network counts")
struct LearnedGainsTests {
  /// A stationary sound, all of which may be echo.
  private struct Scene {
    /// Levels of the residual and of the far end, dBFS.
    var residual: Float = -40
    var farEnd: Float = -30
    /// dB.
    var linearERLE = Float.nan
    var isBeam = false
  }

  /// Runs the network for `seconds`. Returns the dB that it takes away besides the rules, as a mean over the bins.
  private static func reduction(of scene: Scene, seconds: Double = 2) -> Float {
    let layout = FilterLayout(rate: 16_000), bins = layout.allBins
    var gains = LearnedGains(layout: layout, bins: JoinedBins(layout: layout).count)
    func values(_ level: Float, unit: Float) -> [Float] {
      [Float](repeating: pow(10, level / 10) * unit / Float(bins), count: bins + 32)
    }
    let window = Float(layout.window * layout.window), own = Float(layout.hop * layout.transform) / 2
    let residual = values(scene.residual, unit: own), echo = values(scene.residual + 3, unit: own)
    let uncertainty = values(scene.residual, unit: window), far = values(scene.farEnd, unit: 4 * window).map { $0.squareRoot() }
    let spectra = Spectrum(2 * bins), echoes = Spectrum(2 * bins), silence = [Float](repeating: 0, count: 2 * bins + 64)
    for k in 0..<bins { (spectra.re[k], echoes.im[k]) = (residual[k].squareRoot(), echo[k].squareRoot()) }
    let gain = [Float](repeating: 0.5, count: bins + 32)
    residual.withUnsafeBufferPointer { residual in
      echo.withUnsafeBufferPointer { echo in
        uncertainty.withUnsafeBufferPointer { uncertainty in
          (far + silence).withUnsafeBufferPointer { far in
            silence.withUnsafeBufferPointer { silence in
              gain.withUnsafeBufferPointer { gain in
                let hop = LinearHop(
                  residual: silence.baseAddress!, echo: silence.baseAddress!, uncertainty: uncertainty.baseAddress!,
                  left: far.baseAddress!, right: silence.baseAddress!, farEndGain: 1, repairedPower: 0, state: CancellerState())
                for _ in 0..<layout.hops(seconds) {
                  guard gains.isDue else {
                    gains.keep()
                    continue
                  }
                  gains.decide(
                    hop, residual: spectra.parts, residualPower: residual.baseAddress!, echo: echoes.parts, echoPower: echo.baseAddress!,
                    powerScale: 1, formerGain: gain.baseAddress!, linearERLE: scene.linearERLE, isBeam: scene.isBeam)
                }
              }
            }
          }
        }
      }
    }
    return -6.02 * (0..<bins).reduce(0) { $0 + gains.voice[$1] } / Float(bins)
  }

  @Test("V14: of what may be echo alone, some is taken away besides the rules, of what is 44 dB louder than the far end nothing")
  func plausible() {
    let echo = Self.reduction(of: Scene()), louder = Self.reduction(of: Scene(farEnd: -84))
    #expect(echo > 6, "\(echo) dB")
    #expect(louder == 0, "\(louder) dB")
  }

  @Test("V14: where the linear canceller cancels well, a tenth of that is, but for the first half second")
  func knownEcho() {
    let unknown = Self.reduction(of: Scene()), known = Self.reduction(of: Scene(linearERLE: 20))
    let first = Self.reduction(of: Scene(linearERLE: 20), seconds: 0.2), wanted = Self.reduction(of: Scene(), seconds: 0.2)
    #expect(abs(known - 0.1 * unknown) < 0.05 * unknown, "\(known) of \(unknown) dB")
    #expect(first > 0.6 * wanted, "\(first) of \(wanted) dB")
  }

  @Test("V14, V15: where nobody is near, the network counts for more, but not of a beam, which it has not heard")
  func beam() {
    let single = Self.reduction(of: Scene()), beam = Self.reduction(of: Scene(isBeam: true))
    #expect(beam > 1 && single > 1.5 * beam, "\(single), \(beam) dB")
  }

  @Test("V14: before a far end is heard the network is at rest, and changes nothing")
  func rest() {
    let layout = FilterLayout(rate: 16_000)
    var gains = LearnedGains(layout: layout, bins: JoinedBins(layout: layout).count)
    let isDueAtFirst = gains.isDue, isAtRest = gains.isAtRest
    #expect(isDueAtFirst && isAtRest)
    gains.rest()
    let sum = (0..<layout.allBins).reduce(Float(0)) { $0 + abs(gains.voice[$1]) + abs(gains.open[$1]) }
    #expect(sum == 0)
  }
}
