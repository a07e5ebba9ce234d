internal import CRealtime

/// How far one signal's level follows the far end's at each delay: correlation of changes of level, over some 10 s. [realtime] except
/// `init` and `deinit`.
struct LevelCorrelation: ~Copyable {
  /// What remains of all sums from one frame to the next.
  static var memory: Float {
    @_noLocks @_noAllocation get { 0.998 }
  }
  /// Some 3 s of speech, in dB²; resemblance over less is chance.
  static var least: Float {
    @_noLocks @_noAllocation get { 2500 }
  }

  private let delays: Int
  /// Per delay: far end times signal, summed, and the squared correlation, with its sign.
  private let cross, strengths: Samples
  private var energy: Float = 0

  /// - Parameter delays: their number, a multiple of 8.
  init(delays: Int) {
    self.delays = delays
    cross = Samples(delays)
    strengths = Samples(delays)
  }

  /// Updates with one frame's change of level in dB.
  ///
  /// - Parameters:
  ///   - farEnd: the far end's changes, by delay.
  ///   - farEndEnergy: their squares, summed, by delay.
  @_noLocks @_noAllocation
  mutating func update(_ change: Float, farEnd: UnsafePointer<Float>, farEndEnergy: UnsafePointer<Float>) {
    energy = Self.memory * energy + change * change
    let floored = max(energy, Self.least)
    // Local copies: Swift 6.3 fails to compile direct accesses under ThreadSanitizer.
    let cross = cross.start, strengths = strengths.start
    for delay in stride(from: 0, to: delays, by: 8) {
      let product: SIMD8<Float> = Self.memory * load8(cross + delay) + change * load8(farEnd + delay)
      store8(product, to: cross + delay)
      let expected: SIMD8<Float> = floored * clamp8(load8(farEndEnergy + delay), Self.least, .infinity)
      let squares: SIMD8<Float> = product * product / expected
      store8(squares.replacing(with: -squares, where: product .< 0), to: strengths + delay)
    }
  }

  /// Returns the delay in this range at which the signal follows the far end most, and its squared correlation, at least 0.
  @_noLocks @_noAllocation
  func strongest(in range: Range<Int>) -> (delay: Int, strength: Float) {
    var best = (delay: range.lowerBound, strength: Float(0))
    for delay in range where strengths[delay] > best.strength { best = (delay, strengths[delay]) }
    return best
  }

  @_noLocks @_noAllocation
  mutating func forget() {
    energy = 0
    clear(cross.start, frames: delays)
    clear(strengths.start, frames: delays)
  }
}

/// The level of a frame of 20 ms relative to the last 0.1 s, in dB, clamped to −6…6 so that no single onset outweighs seconds of speech.
/// Levels below −60 dBFS count as −60 dBFS. [realtime]
struct SyllableLevel {
  private var usual: Float = -60

  @_noLocks @_noAllocation
  mutating func change(_ meanSquare: Float) -> Float {
    let level = 10 * rt_log10f(max(meanSquare, 1e-6))
    usual += 0.2 * (level - usual)
    return min(max(level - usual, -6), 6)
  }
}
