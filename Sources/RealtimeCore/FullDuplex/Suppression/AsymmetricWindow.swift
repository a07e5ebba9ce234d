internal import CRealtime

/// The suppressor's windows (Mauler and Martin, EUSIPCO 2007): `FilterLayout.suppressorWindow` samples for analysis, the newest two hops of
/// them for synthesis. The product of both is a Hann window of two hops. The rise, to the power of .35 instead of ½, is an own choice:
/// older samples count more, so harmonics are told apart better. Delay: one hop. [realtime] except `init` and `deinit`.
struct AsymmetricWindow: ~Copyable {
  let length: Int
  let analysis, synthesis: Samples
  /// Scales |X|² of a window to the power of a rectangular window of one hop.
  let scale: Float
  /// Scales the root of such a power to magnitudes that, with random phases, sound as loud.
  let comfort: Float

  init(layout: FilterLayout) {
    let hop = layout.hop, rise = layout.suppressorWindow - hop
    length = layout.suppressorWindow
    analysis = Samples(length)
    synthesis = Samples(length)
    for i in 0..<rise { analysis[i] = rt_powf(0.5 - 0.5 * rt_cosf(.pi * Float(i) / Float(rise)), 0.35) }
    for i in 0..<hop { analysis[rise + i] = rt_sqrtf(0.5 + 0.5 * rt_cosf(.pi * Float(i) / Float(hop))) }
    for i in rise - hop..<length {
      synthesis[i] = (0.5 - 0.5 * rt_cosf(.pi * Float(i - rise + hop) / Float(hop))) / max(analysis[i], 1e-6)
    }
    // Phases fill the whole transform, its silence, too.
    comfort = rt_sqrtf(Float(layout.transform) / (meanSquare(synthesis.start, frames: length) * Float(length)))
    scale = Float(hop) / (meanSquare(analysis.start, frames: length) * Float(length))
  }
}
