internal import CRealtime

/// Lowers application audio smoothly while the near end talks, and raises it afterwards (D4). [realtime]
struct SpeechDuck {
  /// −12 dB: audible, with speech well above it.
  static let depth: Float = 0.251_188_64
  /// Time constants in seconds of lowering and raising.
  static let attack: Float = 0.03
  static let release: Float = 0.4

  /// The current linear gain.
  private(set) var gain: Float = 1

  @_noLocks @_noAllocation
  mutating func apply(
    to left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, frames: Int, rate: Int, isDucked: Bool
  ) {
    let target = isDucked ? Self.depth : 1
    if gain == target && target == 1 { return }
    let share = 1 - rt_expf(-1 / ((isDucked ? Self.attack : Self.release) * Float(rate)))
    for i in 0..<frames {
      gain += share * (target - gain)
      left[i] *= gain
      right[i] *= gain
    }
    if abs(gain - 1) < 1e-4 { gain = 1 }
  }
}
