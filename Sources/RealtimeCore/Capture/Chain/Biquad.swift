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

  /// The microphone's: 90 Hz, below speech, above the rumble of tables, fans and mains. [control]
  static func rumble(rate: Int) -> Biquad { highPass(90, rate: rate) }

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

  /// The next output if the next input is 0.
  var pending: Float {
    @_noLocks @_noAllocation get { s1 }
  }
  /// How much an input changes the output of the same sample.
  var gainAtOnce: Float {
    @_noLocks @_noAllocation get { b0 }
  }
  /// A Boolean value indicating whether the output stays 0 while the input is.
  var isAtRest: Bool {
    @_noLocks @_noAllocation get { s1 == 0 && s2 == 0 }
  }

  /// Filters one sample; call `settle()` after a block.
  @_noLocks @_noAllocation
  mutating func process(_ x: Float) -> Float {
    let y = b0 * x + s1
    s1 = b1 * x - a1 * y + s2
    s2 = b2 * x - a2 * y
    return y
  }

  /// Filters a block. `output` may be `input`.
  @_noLocks @_noAllocation
  mutating func process(_ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, frames: Int) {
    var filter = self
    for i in 0..<frames { output[i] = filter.process(input[i]) }
    settle(filter.s1, filter.s2)
  }

  /// Returns the mean square of `input` after two sections in series. One loop for both, because each waits for its own last result:
  /// interleaved, two take hardly longer than one.
  @_noLocks @_noAllocation
  static func meanSquare(_ input: UnsafePointer<Float>, frames: Int, through first: inout Biquad, _ second: inout Biquad) -> Float {
    let (p, q) = (first, second)
    var (p1, p2, q1, q2) = (p.s1, p.s2, q.s1, q.s2)
    var sum: Float = 0
    for i in 0..<frames {
      let x = input[i]
      let y = p.b0 * x + p1
      p1 = p.b1 * x - p.a1 * y + p2
      p2 = p.b2 * x - p.a2 * y
      let z = q.b0 * y + q1
      q1 = q.b1 * y - q.a1 * z + q2
      q2 = q.b2 * y - q.a2 * z
      sum += z * z
    }
    first.settle(p1, p2)
    second.settle(q1, q2)
    return sum / Float(frames)
  }

  /// Forgets all former input.
  @_noLocks @_noAllocation
  mutating func reset() { (s1, s2) = (0, 0) }

  @_noLocks @_noAllocation
  mutating func settle() { settle(s1, s2) }

  /// Flushes denormals to zero; they cost the processor a hundred times as much.
  @_noLocks @_noAllocation
  private mutating func settle(_ s1: Float, _ s2: Float) {
    self.s1 = abs(s1) < 1e-20 ? 0 : s1
    self.s2 = abs(s2) < 1e-20 ? 0 : s2
  }
}
