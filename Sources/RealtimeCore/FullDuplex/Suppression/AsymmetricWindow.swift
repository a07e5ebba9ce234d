internal import CRealtime

/// The suppressor's windows (Mauler and Martin, EUSIPCO 2007): `FilterLayout.window` samples for analysis, the newest two hops of them for
/// synthesis. The product of both is a Hann window of two hops. Delay: one hop. [realtime] except `init` and `deinit`.
struct AsymmetricWindow: ~Copyable {
  let length: Int
  /// Bins of a transform of `length` samples.
  var bins: Int { length / 2 + 1 }
  let analysis, synthesis: Samples
  /// Scales |X|² of a window to the power of a rectangular window of one hop.
  let scale: Float

  init(layout: FilterLayout) {
    let hop = layout.hop, rise = layout.window - hop
    length = layout.window
    analysis = Samples(length)
    synthesis = Samples(length)
    for i in 0..<rise { analysis[i] = rt_sqrtf(0.5 - 0.5 * rt_cosf(.pi * Float(i) / Float(rise))) }
    for i in 0..<hop { analysis[rise + i] = rt_sqrtf(0.5 + 0.5 * rt_cosf(.pi * Float(i) / Float(hop))) }
    for i in rise - hop..<length {
      synthesis[i] = (0.5 - 0.5 * rt_cosf(.pi * Float(i - rise + hop) / Float(hop))) / max(analysis[i], 1e-6)
    }
    scale = Float(hop) / (meanSquare(analysis.start, frames: length) * Float(length))
  }
}
