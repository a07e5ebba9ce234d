import Foundation

/// The duration of a chain's blocks: converts seconds to blocks, and factors per 10 ms to factors per block. [control]
struct BlockTime {
  let frames: Int
  /// Frames per second.
  let rate: Int

  var seconds: Double { Double(frames) / Double(rate) }

  /// The number of blocks that lasts about `seconds`, at least one.
  func blocks(_ seconds: Double) -> Int { max(1, Int((seconds / self.seconds).rounded())) }

  /// The factor per block that equals `factor` per 10 ms.
  func factor(_ factor: Double) -> Float { Float(pow(factor, seconds / 0.01)) }
}
