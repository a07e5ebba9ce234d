/// A gain that changes without a click: linearly, over 10 ms, whatever the quantum.
struct SmoothGain {
  /// In seconds.
  static let rampTime = 0.01

  private var current: Float = 1
  private var target: Float = 1
  private var step: Float = 0
  private var remaining = 0

  /// Whether blocks pass unchanged.
  var isUnity: Bool {
    @_noLocks @_noAllocation get { remaining == 0 && current == 1 }
  }

  /// Whether the gain has reached its target.
  var isSteady: Bool {
    @_noLocks @_noAllocation get { remaining == 0 }
  }

  /// Whether nothing passes.
  var isSilent: Bool {
    @_noLocks @_noAllocation get { remaining == 0 && current == 0 }
  }

  /// Jumps to a gain; for a sink that is silent. [realtime]
  @_noLocks @_noAllocation
  mutating func jump(to value: Float) {
    current = value
    target = value
    remaining = 0
  }

  /// Sets the target, from the next sample on. [realtime]
  @_noLocks @_noAllocation
  mutating func steer(to value: Float, rate: Double) {
    if value == target { return }
    target = value
    remaining = max(1, Int(Self.rampTime * rate))
    step = (target - current) / Float(remaining)
  }

  /// Applies the gain to a block in place. [realtime]
  @_noLocks @_noAllocation
  mutating func apply(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, frames: Int) {
    let ramp = min(frames, remaining)
    let start = current
    for i in 0..<ramp {
      let gain = start + step * Float(i + 1)
      left[i] *= gain
      if let right { right[i] *= gain }
    }
    remaining -= ramp
    current = remaining == 0 ? target : start + step * Float(ramp)
    if ramp < frames && current != 1 {
      scale(left + ramp, by: current, frames: frames - ramp)
      if let right { scale(right + ramp, by: current, frames: frames - ramp) }
    }
  }
}
