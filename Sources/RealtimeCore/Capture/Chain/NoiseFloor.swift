/// Estimates the power of the background noise by minimum statistics: the least smoothed power of the last 1.6 s (R. Martin, "Noise power
/// spectral density estimation based on optimal smoothing and minimum statistics", 2001, without the bias correction). [realtime]
struct NoiseFloor {
  /// Mean square; infinite before the first block.
  private(set) var power = Float.infinity
  private var smoothed: Float = -1
  private var windows = SIMD8<Float>(repeating: .infinity)
  private var window = 0
  private var blocks = 0
  private let blocksPerWindow = 20

  /// Updates with one block of 10 ms.
  @_noLocks @_noAllocation
  mutating func update(power blockPower: Float) {
    smoothed = smoothed < 0 ? blockPower : smoothed + 0.3 * (blockPower - smoothed)
    if blocks == blocksPerWindow {
      window = (window + 1) & 7
      windows[window] = .infinity
      blocks = 0
    }
    blocks += 1
    windows[window] = min(windows[window], smoothed)
    var least = windows[0]
    for i in 1..<8 { least = min(least, windows[i]) }
    power = least
  }
}
