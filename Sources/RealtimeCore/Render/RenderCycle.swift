/// The current cycle's parameters and buffers, for every sink. [realtime]
struct RenderCycle {
  /// 1…`RenderPath.maximumFrames`.
  let frames: Int
  /// The graph's rate.
  let rate: Double
  /// The bus, both channels; sinks add to it.
  let left: UnsafeMutablePointer<Float>
  let right: UnsafeMutablePointer<Float>
  let scratch: RenderScratch
  let gapFade: UnsafeMutablePointer<GapFade>

  @_noLocks @_noAllocation
  init(
    frames: Int, rate: Double, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>, scratch: RenderScratch,
    gapFade: UnsafeMutablePointer<GapFade>
  ) {
    self.frames = frames
    self.rate = rate
    self.left = left
    self.right = right
    self.scratch = scratch
    self.gapFade = gapFade
  }

  /// Returns the cycle without its first `offset` frames.
  @_noLocks @_noAllocation
  func dropFirst(_ offset: Int) -> RenderCycle {
    RenderCycle(frames: frames - offset, rate: rate, left: left + offset, right: right + offset, scratch: scratch, gapFade: gapFade)
  }
}

/// Working memory that sinks use one after the other: a view of `RenderPath`'s.
struct RenderScratch {
  let left: UnsafeMutablePointer<Float>
  let right: UnsafeMutablePointer<Float>

  @_noLocks @_noAllocation
  init(left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>) { (self.left, self.right) = (left, right) }
}
