/// Delays known changes of the echo's gain, such as a turned volume, until the echo of what is played now arrives. What was found in the
/// echo before it was told is not applied again. Own method. Cost: a few instructions a hop. [realtime] except `init` and `deinit`.
struct GainChanges: ~Copyable {
  /// Ring of factors by hop; 1 where nothing changes.
  private let factors: Samples
  private let count: Int
  private var now = 0
  /// The gain that was found, and has not been told; 1 once that is `memory` hops ago.
  private var found: Float = 1
  private var foundHops = 0
  private let memory: Int

  /// - Parameters:
  ///   - hops: more than the longest delay.
  ///   - memory: hops for which a change that was found may still be told.
  init(hops: Int, memory: Int) {
    count = hops
    self.memory = memory
    factors = Samples(repeating: 1, count: hops)
  }

  /// Schedules a change `delay` hops ahead, clamped to 0…`hops` − 1. Changes of the same hop are multiplied.
  @_noLocks @_noAllocation
  mutating func add(_ factor: Float, in delay: Int) {
    let hop = (now + min(max(delay, 0), count - 1)) % count
    factors[hop] = factors[hop] * factor
  }

  /// Notes a change that `GainTracker` has found: its notice comes later, or never.
  @_noLocks @_noAllocation
  mutating func note(_ factor: Float) { (found, foundHops) = (found * factor, memory) }

  /// Advances to the next hop and returns its factor, or nil if nothing changes.
  @_noLocks @_noAllocation
  mutating func next() -> Float? {
    let told = factors[now]
    factors[now] = 1
    now = (now + 1) % count
    foundHops = max(foundHops - 1, 0)
    if foundHops == 0 { found = 1 }
    // Both in the same direction: the smaller one of them is known already.
    let known = told > 1 ? min(told, max(found, 1)) : max(told, min(found, 1)), factor = told / known
    found /= known
    return factor == 1 ? nil : factor
  }
}
