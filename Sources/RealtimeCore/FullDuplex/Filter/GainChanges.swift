/// Delays known changes of the echo's gain, such as a turned volume, until the echo of what is played now arrives. Own method. [realtime]
/// except `init` and `deinit`.
struct GainChanges: ~Copyable {
  /// Ring of factors by hop; 1 where nothing changes.
  private let factors: UnsafeMutablePointer<Float>
  private let count: Int
  private var now = 0

  /// - Parameter hops: more than the longest delay.
  init(hops: Int) {
    count = hops
    factors = .allocate(capacity: hops)
    factors.initialize(repeating: 1, count: hops)
  }

  deinit { factors.deallocate() }

  /// Schedules a change `delay` hops ahead, clamped to 0…`hops` − 1. Changes of the same hop are multiplied.
  @_noLocks @_noAllocation
  mutating func add(_ factor: Float, in delay: Int) {
    let hop = (now + min(max(delay, 0), count - 1)) % count
    factors[hop] = factors[hop] * factor
  }

  /// Advances to the next hop and returns its factor, or nil if nothing changes.
  @_noLocks @_noAllocation
  mutating func next() -> Float? {
    let factor = factors[now]
    factors[now] = 1
    now = (now + 1) % count
    return factor == 1 ? nil : factor
  }
}
