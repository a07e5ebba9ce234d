internal import Glibc

/// Audio measurements for tests and the room. Levels are relative to full scale: a square wave of ±1 has 0 dBFS.
package enum Measures {
  /// Root mean square in dBFS; −∞ for silence.
  package static func level(_ samples: some Collection<Float>) -> Double {
    10 * log10(power(samples))
  }

  /// Mean square.
  package static func power(_ samples: some Collection<Float>) -> Double {
    guard !samples.isEmpty else { return 0 }
    return samples.reduce(into: 0.0) { $0 += Double($1) * Double($1) } / Double(samples.count)
  }

  /// Returns the active speech level by ITU-T P.56 (12/2011), method B, in dBFS: the level while somebody talks, without pauses. nil if
  /// nobody does.
  package static func activeLevel(_ samples: [Float], rate: Int) -> Double? {
    let smoothing = exp(-1 / (Double(rate) * 0.03))
    // The envelope changes over tens of milliseconds, so comparing it with the thresholds once per millisecond suffices.
    let step = max(1, rate / 1_000)
    let hangover = Int(0.2 * Double(rate)) / step
    let margin = 15.9
    let thresholds = (1...20).map { pow(2, -Double($0)) }
    var active = [Int](repeating: 0, count: thresholds.count)
    var quiet = [Int](repeating: hangover, count: thresholds.count)
    var total = 0.0
    var (p, q) = (0.0, 0.0)
    for start in stride(from: 0, to: samples.count, by: step) {
      for sample in samples[start..<min(start + step, samples.count)] {
        let x = Double(sample)
        total += x * x
        p = smoothing * p + (1 - smoothing) * abs(x)
        q = smoothing * q + (1 - smoothing) * p
      }
      for k in thresholds.indices {
        if q >= thresholds[k] {
          quiet[k] = 0
          active[k] += 1
        } else if quiet[k] < hangover {
          quiet[k] += 1
          active[k] += 1
        }
      }
    }
    guard total > 0 else { return nil }
    // The level of the active parts falls below (threshold + margin) somewhere between two thresholds.
    var above: (level: Double, excess: Double)?
    for k in thresholds.indices.reversed() where active[k] > 0 {
      let level = 10 * log10(total / Double(active[k] * step))
      let excess = level - 20 * log10(thresholds[k]) - margin
      guard excess <= 0 else {
        above = (level, excess)
        continue
      }
      guard let above else { return nil }
      let weight = above.excess / (above.excess - excess)
      return above.level + weight * (level - above.level)
    }
    return above?.level
  }

  /// The delay of `signal` relative to `reference`.
  package struct Lag: Sendable, Equatable {
    /// Whole frames, 0 or more.
    package var frames: Int
    /// The normalised cross-correlation there, −1…1.
    package var correlation: Double
  }

  /// The lag, 0…`most` frames, with the largest magnitude of the pre-emphasised signals' cross-correlation. nil if either is silent.
  package static func lag(of signal: [Float], after reference: [Float], most: Int) -> Lag? {
    let (y, x) = (preemphasised(signal), preemphasised(reference))
    var size = 128
    while size < max(x.count, y.count) + most + 1 { size *= 2 }
    let (a, b) = (BufferedFourierTransform(size: size), BufferedFourierTransform(size: size))
    for k in x.indices { a.samples[k] = x[k] }
    for k in y.indices { b.samples[k] = y[k] }
    a.forward()
    b.forward()
    for k in 0..<a.bins {
      let (pRe, pIm, qRe, qIm) = (a.re[k], a.im[k], b.re[k], b.im[k])
      (a.re[k], a.im[k]) = (qRe * pRe + qIm * pIm, qIm * pRe - qRe * pIm)
    }
    a.inverse()
    guard let frames = (0...min(most, size - 1)).max(by: { abs(a.samples[$0]) < abs(a.samples[$1]) }) else { return nil }
    let overlap = min(x.count, y.count - frames)
    guard overlap > 0 else { return nil }
    let scale = (power(x[..<overlap]) * power(y[frames..<(frames + overlap)])).squareRoot() * Double(overlap)
    guard scale > 0 else { return nil }
    return Lag(frames: frames, correlation: Double(a.samples[frames]) / scale)
  }

  /// Echo return loss enhancement in dB: the power of the microphone over that of the processed signal, over `range` of both, in which only
  /// the far end may talk. nil if the microphone is silent.
  package static func erle(microphone: [Float], processed: [Float], over range: Range<Int>? = nil) -> Double? {
    let range = range ?? 0..<min(microphone.count, processed.count)
    let before = power(microphone[range])
    guard before > 0 else { return nil }
    return 10 * log10(before / max(power(processed[range]), 1e-12))
  }

  /// Returns the median of the levels of pieces of `piece` frames, which a busy machine's effect on a few of them does not change.
  package static func medianLevel(_ samples: [Float], piece: Int) -> Double {
    let levels = stride(from: 0, to: samples.count, by: piece).map { level(samples[$0..<min($0 + piece, samples.count)]) }.sorted()
    return levels.isEmpty ? level(samples) : levels[levels.count / 2]
  }

  /// Returns how much of `samples` is a tone of `frequency` Hz, of any phase: the normalised correlation over the best quarter of a second,
  /// 0–1.
  package static func share(ofTone frequency: Double, in samples: [Float], rate: Int) -> Double {
    clearest(frequency, in: samples, rate: rate).share
  }

  /// Returns the quarter of a second with the largest share of a tone of `frequency` Hz: one in which a busy machine lost no cycle. Empty
  /// if `samples` are shorter.
  package static func clearestMoment(ofTone frequency: Double, in samples: [Float], rate: Int) -> [Float] {
    Array(clearest(frequency, in: samples, rate: rate).moment)
  }

  private static func clearest(_ frequency: Double, in samples: [Float], rate: Int) -> (moment: ArraySlice<Float>, share: Double) {
    let moments = stride(from: 0, through: samples.count - rate / 4, by: rate / 4).map { samples[$0..<$0 + rate / 4] }
    let shares = moments.map { moment in
      let power = power(moment)
      return power > 0 ? amplitude(ofTone: frequency, in: moment, rate: rate) / (2 * power).squareRoot() : 0
    }
    return zip(moments, shares).max { $0.1 < $1.1 }.map { (moment: $0.0, share: $0.1) } ?? ([], 0)
  }

  /// Level of a tone of `frequency` Hz, of any phase, in `samples`: its amplitude relative to full scale in dB; −180 if there is none.
  package static func level(ofTone frequency: Double, in samples: some Collection<Float>, rate: Int) -> Double {
    20 * log10(max(1e-9, amplitude(ofTone: frequency, in: samples, rate: rate)))
  }

  /// Returns the amplitude of a tone of `frequency` Hz, of any phase, in `samples`.
  package static func amplitude(ofTone frequency: Double, in samples: some Collection<Float>, rate: Int) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let phase = 2 * .pi * frequency * Double(index) / Double(rate)
      real += Double(sample) * cos(phase)
      imaginary += Double(sample) * sin(phase)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)
  }

  private static func preemphasised(_ samples: [Float]) -> [Float] {
    var last: Float = 0
    return samples.map { sample in
      defer { last = sample }
      return sample - 0.95 * last
    }
  }
}
