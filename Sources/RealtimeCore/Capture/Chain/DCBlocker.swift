/// Removes a constant offset (DC) from the far end. No loudspeaker plays one, but it would count as sound, and push the loudspeaker's model
/// into saturation. A high-pass filter of first order, far below what a loudspeaker plays: the clicks with which an offset begins and ends
/// remain, as they do at the loudspeaker. Delay: none. [realtime] except `init`.
struct DCBlocker {
  private var left, right: Biquad

  init(rate: Int) { (left, right) = (.dcBlocker(rate: rate), .dcBlocker(rate: rate)) }

  /// Filters a block of both channels in place. Frames in `lost` are zeros and stay so, as if the offset had gone on.
  @_noLocks @_noAllocation
  mutating func process(
    left leftSamples: UnsafeMutablePointer<Float>, right rightSamples: UnsafeMutablePointer<Float>, lost: Range<Int>, frames: Int
  ) {
    Self.process(leftSamples, through: &left, lost: lost, frames: frames)
    Self.process(rightSamples, through: &right, lost: lost, frames: frames)
  }

  @_noLocks @_noAllocation
  private static func process(_ samples: UnsafeMutablePointer<Float>, through filter: inout Biquad, lost: Range<Int>, frames: Int) {
    if filter.isAtRest, meanSquare(samples, frames: frames) == 0 { return }
    let lost = lost.isEmpty ? frames..<frames : lost, rest = samples + lost.upperBound
    filter.process(samples, into: samples, frames: lost.lowerBound)
    filter.process(rest, into: rest, frames: frames - lost.upperBound)
    // −110 dBFS: below that, a pause is silent.
    if abs(filter.pending) < 3e-6 { filter.reset() }
  }
}
