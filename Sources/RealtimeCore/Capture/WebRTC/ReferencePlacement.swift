/// Delays the reference, so that the echo falls into the canceller's filter, which holds 48 ms from the reference on, and leaves room for the
/// room's tail behind it. The first measurement moves the reference where the echo is late; later it is moved only when the echo is outside and is
/// not cancelled: each move makes the canceller adapt anew.
/// [realtime] but for `init` and `deinit`.
struct ReferencePlacement: ~Copyable {
  /// Frames by which the reference is delayed now.
  private(set) var delay = 0

  private let block: Int
  private let capacity: Int
  /// A ring of the last 0.5 s and one block.
  private let ring: UnsafeMutablePointer<Float>
  private var head = 0
  private var blocksOutside = 0
  private var isPlaced = false
  /// What the graph told when the echo's path changed: until it tells something else, or the delay is measured, the reference stays.
  private var heldAt = -1
  private var lastTold = 0

  /// The echo may be this many blocks of 10 ms later than the placed reference: the rest of the filter is for the room.
  private let latest = 2
  /// Blocks for which a measured delay has to be outside before the reference moves.
  private let patience = 30
  /// The same before the reference has been moved.
  private let firstPatience = 5

  init(block: Int) {
    self.block = block
    capacity = 51 * block
    ring = .silence(capacity)
  }

  deinit { ring.deallocate() }

  /// The echo comes by another way from now on: most likely within the same filter, and if not, the first measurement moves the reference.
  @_noLocks @_noAllocation
  mutating func forget() {
    isPlaced = false
    blocksOutside = 0
    heldAt = lastTold
  }

  /// One block of 10 ms.
  ///
  /// - Parameters:
  ///   - told: frames between the reference and its echo by the graph's latencies.
  ///   - measured: the same in seconds by the signals, NaN where unknown.
  ///   - isCancelled: little of the echo is left now.
  @_noLocks @_noAllocation
  mutating func process(
    _ reference: UnsafePointer<Float>, into placed: UnsafeMutablePointer<Float>, told: Int, measured: Float, isCancelled: Bool
  ) {
    place(told: told, measured: measured, isCancelled: isCancelled)
    copy(reference, to: ring + head, frames: block)
    var position = head - delay
    if position < 0 { position += capacity }
    for i in 0..<block {
      placed[i] = ring[position]
      position += 1
      if position == capacity { position = 0 }
    }
    head += block
    if head == capacity { head = 0 }
  }

  @_noLocks @_noAllocation
  private mutating func place(told: Int, measured: Float, isCancelled: Bool) {
    lastTold = told
    if measured.isNaN {
      if told == heldAt { return }
      heldAt = -1
      // Latencies leave out what a device hides, and an echo must never be earlier than its reference: half the filter is kept as a margin.
      delay = told > latest * block ? min(told - latest * block / 2, 50 * block) : 0
      return
    }
    let echo = Int(measured * 100 * Float(block))
    let isInside = delay <= echo && echo <= delay + latest * block
    blocksOutside = isInside || (isPlaced && isCancelled) ? 0 : blocksOutside + 1
    if blocksOutside > (isPlaced ? patience : firstPatience) {
      blocksOutside = 0
      isPlaced = true
      delay = min(max(echo - block / 2, 0), 50 * block)
    }
  }
}
