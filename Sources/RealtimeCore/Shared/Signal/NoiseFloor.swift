import Foundation

/// Estimates the power of the background noise by minimum statistics: the least smoothed power of the last seconds (R. Martin, "Noise power
/// spectral density estimation based on optimal smoothing and minimum statistics", 2001, without the bias correction). [realtime]
struct NoiseFloor {
  /// Mean square; infinite before the first block.
  private(set) var power = Float.infinity
  private var smoothed: Float = -1
  private var windows = SIMD8<Float>(repeating: .infinity)
  private var window = 0
  private var blocks = 0
  private let blocksPerWindow: Int
  /// Smoothing per block.
  private let step: Float

  /// - Parameter span: seconds, over all windows; power is smoothed over about a sixtieth of it.
  init(_ time: BlockTime, span: Double = 1.6) {
    blocksPerWindow = time.blocks(span / 8)
    step = 1 - time.factor(pow(0.7, 1.6 / span))
  }

  /// Updates with one block's mean square.
  @_noLocks @_noAllocation
  mutating func update(power blockPower: Float) {
    smoothed = smoothed < 0 ? blockPower : smoothed + step * (blockPower - smoothed)
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
