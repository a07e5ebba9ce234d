/// Hands the voice over from one engine to another with a different latency: both run until the new one has valid output, then the old one
/// fades into it along a smooth curve. No frame is missing and nothing clicks. [realtime] except `init`.
struct EngineHandOver {
  /// Frames in 10 ms.
  private let length: Int
  /// Frames until the new voice begins to be heard; negative once it is.
  private var wait = 0
  private(set) var isOver = true

  init(rate: Int) { length = rate / 100 }

  /// - Parameter latency: frames of the new voice; its filters get 10 ms more to settle.
  @_noLocks @_noAllocation
  mutating func begin(latency: Int) {
    wait = latency + length
    isOver = false
  }

  /// Ends it at once.
  @_noLocks @_noAllocation
  mutating func cancel() { isOver = true }

  /// Blends the old voice into the new one, in place.
  @_noLocks @_noAllocation
  mutating func blend(old: UnsafePointer<Float>, into new: UnsafeMutablePointer<Float>, frames: Int) {
    mix(old: old, into: new, frames: frames)
    wait -= frames
    isOver = wait <= -length
  }

  /// Blends another signal in the same way, before `blend`.
  @_noLocks @_noAllocation
  func mix(old: UnsafePointer<Float>, into new: UnsafeMutablePointer<Float>, frames: Int) {
    let step = 1 / Float(length)
    for i in 0..<frames {
      let x = min(max(Float(i - wait) * step, 0), 1)
      new[i] = old[i] + smoothStep(x) * (new[i] - old[i])
    }
  }
}
