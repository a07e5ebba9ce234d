internal import CRealtime

/// Lowers application audio while the near end talks, and lets it rise again, smoothly (D4). [realtime]
struct SpeechDuck {
  /// −12 dB: it stays audible, and speech stands above it.
  static let depth: Float = 0.251_188_64
  /// Seconds in which the way down, and the way up, is done but for 1/e.
  static let attack: Float = 0.03
  static let release: Float = 0.4

  /// Linear.
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
