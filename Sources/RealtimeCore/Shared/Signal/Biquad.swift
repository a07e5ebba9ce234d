internal import CKernels

/// A second-order section, transposed direct form II (R. Bristow-Johnson's cookbook). [realtime]
struct Biquad {
  private var section: nearend_biquad

  private init(b0: Double, b1: Double, b2: Double, a0: Double, a1: Double, a2: Double) {
    section = nearend_biquad(
      b0: Float(b0 / a0), b1: Float(b1 / a0), b2: Float(b2 / a0), a1: Float(a1 / a0), a2: Float(a2 / a0), s1: 0, s2: 0,
      response: nearend_biquad_response())
    nearend_biquad_prepare(&section)
  }

  /// The microphone's: 90 Hz, below speech, above the rumble of tables, fans and mains. [control]
  static func rumble(rate: Int) -> Biquad { highPass(90, rate: rate) }

  /// Butterworth, −3 dB at `frequency` Hz. [control]
  static func highPass(_ frequency: Double, rate: Int) -> Biquad {
    let (c, alpha) = angles(frequency, rate)
    return Biquad(b0: (1 + c) / 2, b1: -(1 + c), b2: (1 + c) / 2, a0: 1 + alpha, a1: -2 * c, a2: 1 - alpha)
  }

  /// The far end's: first order, −3 dB at 5 Hz, far below what a loudspeaker plays. [control]
  static func dcBlocker(rate: Int) -> Biquad {
    let pole = exp(-2 * Double.pi * 5 / Double(rate)), gain = (1 + pole) / 2
    return Biquad(b0: gain, b1: -gain, b2: 0, a0: 1, a1: -pole, a2: 0)
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
    @_noLocks @_noAllocation get { section.s1 }
  }
  /// How much an input changes the output of the same sample.
  var gainAtOnce: Float {
    @_noLocks @_noAllocation get { section.b0 }
  }
  /// A Boolean value indicating whether the output stays 0 while the input is.
  var isAtRest: Bool {
    @_noLocks @_noAllocation get { section.s1 == 0 && section.s2 == 0 }
  }

  /// Filters one sample; call `settle()` after a block.
  @_noLocks @_noAllocation
  mutating func process(_ x: Float) -> Float {
    let y = section.b0 * x + section.s1
    section.s1 = section.b1 * x - section.a1 * y + section.s2
    section.s2 = section.b2 * x - section.a2 * y
    return y
  }

  /// Filters a block. `output` may be `input`.
  @_noLocks @_noAllocation
  mutating func process(_ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, frames: Int) {
    nearend_biquad_filter(&section, input, output, Int32(frames))
    settle()
  }

  /// Returns the sum of squares of `input` after two sections in series.
  @_noLocks @_noAllocation
  static func energy(_ input: UnsafePointer<Float>, frames: Int, through first: inout Biquad, _ second: inout Biquad) -> Float {
    let energy = nearend_biquads_energy(&first.section, &second.section, input, Int32(frames))
    first.settle()
    second.settle()
    return energy
  }

  /// Forgets all former input.
  @_noLocks @_noAllocation
  mutating func reset() { (section.s1, section.s2) = (0, 0) }

  /// Flushes denormals to zero; they cost the processor a hundred times as much.
  @_noLocks @_noAllocation
  mutating func settle() {
    if abs(section.s1) < 1e-20 { section.s1 = 0 }
    if abs(section.s2) < 1e-20 { section.s2 = 0 }
  }
}
