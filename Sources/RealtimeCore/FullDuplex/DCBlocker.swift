/// Removes a constant offset (DC) from the far end. No loudspeaker plays one, but it would count as sound, and push the loudspeaker's model
/// into saturation. A high-pass filter of first order, far below what a loudspeaker plays. [realtime] except `init` and `deinit`.
struct DCBlocker: ~Copyable {
  private let frames: Int
  private var filters: (left: Biquad, right: Biquad)
  private let outputs: (left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>)

  init(rate: Int, frames: Int) {
    self.frames = frames
    filters = (.dcBlocker(rate: rate), .dcBlocker(rate: rate))
    outputs = (.silence(frames), .silence(frames))
  }

  deinit {
    outputs.left.deallocate()
    outputs.right.deallocate()
  }

  /// Returns both channels without their offset; valid until the next call. Digital silence stays silent, and ends an offset at once.
  @_noLocks @_noAllocation
  mutating func process(
    left: UnsafePointer<Float>, right: UnsafePointer<Float>
  ) -> (left: UnsafePointer<Float>, right: UnsafePointer<Float>) {
    (
      Self.process(left, through: &filters.left, into: outputs.left, frames: frames),
      Self.process(right, through: &filters.right, into: outputs.right, frames: frames)
    )
  }

  @_noLocks @_noAllocation
  private static func process(
    _ input: UnsafePointer<Float>, through filter: inout Biquad, into output: UnsafeMutablePointer<Float>, frames: Int
  ) -> UnsafePointer<Float> {
    if meanSquare(input, frames: frames) == 0 {
      filter.reset()
      return input
    }
    // An offset that begins is no sound.
    if filter.isAtRest { filter.adopt(constant: input[0]) }
    filter.process(input, into: output, frames: frames)
    return UnsafePointer(output)
  }
}
