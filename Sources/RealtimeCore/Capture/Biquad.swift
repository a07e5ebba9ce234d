internal import CRealtime

/// A second-order section, transposed direct form II (R. Bristow-Johnson's cookbook). [realtime]
struct Biquad {
  private let b0: Float, b1: Float, b2: Float, a1: Float, a2: Float
  private var s1: Float = 0, s2: Float = 0

  private init(b0: Double, b1: Double, b2: Double, a0: Double, a1: Double, a2: Double) {
    self.b0 = Float(b0 / a0)
    self.b1 = Float(b1 / a0)
    self.b2 = Float(b2 / a0)
    self.a1 = Float(a1 / a0)
    self.a2 = Float(a2 / a0)
  }

  /// Butterworth, −3 dB at `frequency` Hz. [control]
  static func highPass(_ frequency: Double, rate: Int) -> Biquad {
    let (c, alpha) = angles(frequency, rate)
    return Biquad(b0: (1 + c) / 2, b1: -(1 + c), b2: (1 + c) / 2, a0: 1 + alpha, a1: -2 * c, a2: 1 - alpha)
  }

  /// Butterworth, −3 dB at `frequency` Hz. [control]
  static func lowPass(_ frequency: Double, rate: Int) -> Biquad {
    let (c, alpha) = angles(frequency, rate)
    return Biquad(b0: (1 - c) / 2, b1: 1 - c, b2: (1 - c) / 2, a0: 1 + alpha, a1: -2 * c, a2: 1 - alpha)
  }

  private static func angles(_ frequency: Double, _ rate: Int) -> (cosine: Double, alpha: Double) {
    let w = 2 * Double.pi * frequency / Double(rate)
    return (cos(w), sin(w) / 2.0.squareRoot())
  }

  /// `output` may be `input`.
  @_noLocks @_noAllocation
  mutating func process(_ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, frames: Int) {
    var s1 = s1, s2 = s2
    for i in 0..<frames {
      let x = input[i]
      let y = b0 * x + s1
      s1 = b1 * x - a1 * y + s2
      s2 = b2 * x - a2 * y
      output[i] = y
    }
    // Denormal numbers cost the processor a hundred times the time of others.
    self.s1 = abs(s1) < 1e-20 ? 0 : s1
    self.s2 = abs(s2) < 1e-20 ? 0 : s2
  }
}
