import Foundation

/// How long a chain's blocks last: turns seconds into blocks, and what is meant per 10 ms into what it is per block. [control]
struct BlockTime {
  let frames: Int
  /// Frames per second.
  let rate: Int

  var seconds: Double { Double(frames) / Double(rate) }

  /// Blocks that last about so many seconds, at least one.
  func blocks(_ seconds: Double) -> Int { max(1, Int((seconds / self.seconds).rounded())) }

  /// The factor per block that is `factor` per 10 ms.
  func factor(_ factor: Double) -> Float { Float(pow(factor, seconds / 0.01)) }
}
