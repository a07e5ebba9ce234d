/// Finds the samples at which the microphone clips.
///
/// A clipped signal stays at its highest value for several samples, which a signal in motion does not. The level at which it does is not
/// always full scale: the source's volume may be below 100 %. It is found for each sign apart, given up as soon as a sample exceeds it, and
/// lowered where lower samples stay equal as long. Own method. Delay: none. Cost: a pass over the block; a second one while the microphone
/// is loud. [realtime]
struct RailWatch {
  /// The clipping level of one sign; infinity while unknown.
  private struct Rail {
    var level = Float.infinity
    /// The newest sample beyond `RailWatch.least`, and for how many samples it has been held.
    var held: Float = 0
    var run = 0
  }
  private var positive = Rail(), negative = Rail()
  private let block: Int
  /// Consecutive samples that must be equal. The crest of a loud 50 Hz tone stays so for at most 4 samples at 48 kHz, in proportion to the
  /// rate.
  private let longEnough: Int

  /// Magnitude below which clipping is not looked for: −12 dBFS.
  private static var least: Float {
    @_noLocks @_noAllocation get { 0.25 }
  }
  /// What still counts as equal, relative to the sample: half a step of 16 bits at `least`.
  private static var tolerance: Float {
    @_noLocks @_noAllocation get { 6e-5 }
  }

  init(_ time: BlockTime) {
    block = time.frames
    longEnough = max(6, time.rate / 8_000)
  }

  /// Marks the clipped samples of one block: 1 at the positive rail, −1 at the negative one, otherwise 0. Returns whether there is any; if
  /// not, `marks` is not to be read.
  @_noLocks @_noAllocation
  mutating func mark(_ samples: UnsafePointer<Float>, into marks: UnsafeMutablePointer<Float>) -> Bool {
    guard peak(samples, frames: block) > Self.least else {
      (positive.run, negative.run) = (0, 0)
      return false
    }
    clear(marks, frames: block)
    let isPositive = mark(samples, into: marks, sign: 1, &positive)
    let isNegative = mark(samples, into: marks, sign: -1, &negative)
    return isPositive || isNegative
  }

  @_noLocks @_noAllocation
  private func mark(
    _ samples: UnsafePointer<Float>, into marks: UnsafeMutablePointer<Float>, sign: Float, _ rail: inout Rail
  ) -> Bool {
    var isAny = false
    for i in 0..<block {
      let x = sign * samples[i]
      if !(x > Self.least) {
        rail.run = 0
        continue
      }
      if x > rail.level * (1 + Self.tolerance) { rail.level = .infinity }
      rail.run = abs(x - rail.held) <= Self.tolerance * x ? rail.run + 1 : 1
      if rail.run == 1 { rail.held = x }
      if rail.run >= longEnough { rail.level = x }
      guard x >= rail.level * (1 - 2 * Self.tolerance) else { continue }
      marks[i] = sign
      isAny = true
    }
    return isAny
  }
}
