/// Changes of the echo's gain that are known before they are heard: each takes effect once the echo of what is played now arrives.
/// [realtime] except `init` and `deinit`.
struct GainChanges: ~Copyable {
  /// By hop, in a ring: the factor that takes effect in it.
  private let factors: UnsafeMutablePointer<Float>
  private let count: Int
  private var now = 0

  /// - Parameter hops: the longest delay.
  init(hops: Int) {
    count = hops
    factors = .allocate(capacity: hops)
    factors.initialize(repeating: 1, count: hops)
  }

  deinit { factors.deallocate() }

  /// Adds a change that takes effect after so many hops, at most `hops` − 1.
  @_noLocks @_noAllocation
  mutating func add(_ factor: Float, in delay: Int) { factors[(now + min(max(delay, 0), count - 1)) % count] *= factor }

  /// Returns the factor of the hop that begins, or nil where nothing changes.
  @_noLocks @_noAllocation
  mutating func next() -> Float? {
    let factor = factors[now]
    factors[now] = 1
    now = (now + 1) % count
    return factor == 1 ? nil : factor
  }
}
