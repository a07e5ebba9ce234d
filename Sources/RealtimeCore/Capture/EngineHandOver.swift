/// From one engine's voice to another's, which comes at another latency: both run until the new one has something to tell, and then one fades into the
/// other along a curve without a corner. No frame is missing and nothing clicks. [realtime] but for `init`.
struct EngineHandOver {
  /// Frames of 10 ms.
  private let length: Int
  /// Frames until the new voice begins to be heard; less than 0 since.
  private var wait = 0
  private(set) var isOver = true

  init(rate: Int) { length = rate / 100 }

  /// - Parameter latency: frames of the new voice. Its filters have 10 ms more to settle.
  @_noLocks @_noAllocation
  mutating func begin(latency: Int) {
    wait = latency + length
    isOver = false
  }

  /// In place on the new voice.
  @_noLocks @_noAllocation
  mutating func blend(old: UnsafePointer<Float>, into new: UnsafeMutablePointer<Float>, frames: Int) {
    let step = 1 / Float(length)
    for i in 0..<frames {
      let x = min(max(Float(i - wait) * step, 0), 1)
      new[i] = old[i] + x * x * (3 - 2 * x) * (new[i] - old[i])
    }
    wait -= frames
    isOver = wait <= -length
  }
}
