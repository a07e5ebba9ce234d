/// Delays the reference so that the echo falls into the canceller's filter, which spans 48 ms from the reference on, and leaves space for
/// the room's decay. The first measurement moves the reference if the echo is late. Later it is moved only when the echo lies outside and
/// is not cancelled, because each move makes the canceller adapt again. [realtime] except `init` and `deinit`.
struct ReferencePlacement: ~Copyable {
  /// The current delay of the reference in frames.
  private(set) var delay = 0

  private let block: Int
  /// The longest delay in frames, 0.5 s.
  private let longest: Int
  private var history: BlockDelay
  private var blocksOutside = 0
  private var isPlaced = false
  /// The graph's delay when the echo path changed. The reference stays until the graph reports a different one, or the delay is measured.
  private var heldAt = -1
  private var lastTold = 0

  /// The echo may be this many blocks of 10 ms later than the placed reference; the rest of the filter covers the room.
  private let latest = 2
  /// Blocks for which a measured delay must lie outside before the reference moves.
  private let patience = 30
  /// The same, before the reference has been moved for the first time.
  private let firstPatience = 5

  init(block: Int) {
    self.block = block
    longest = 50 * block
    history = BlockDelay(longest: longest, block: block)
  }

  /// Reports a changed echo path: the echo most likely stays within the filter; if not, the first measurement moves the reference.
  @_noLocks @_noAllocation
  mutating func forget() {
    isPlaced = false
    blocksOutside = 0
    heldAt = lastTold
  }

  /// Delays one block of 10 ms.
  ///
  /// - Parameters:
  ///   - told: frames between the reference and its echo, according to the graph's latencies.
  ///   - measured: the same in seconds, from the signals; NaN if unknown.
  ///   - isCancelled: whether little of the echo is left now.
  @_noLocks @_noAllocation
  mutating func process(
    _ reference: UnsafePointer<Float>, into placed: UnsafeMutablePointer<Float>, told: Int, measured: Float, isCancelled: Bool
  ) {
    place(told: told, measured: measured, isCancelled: isCancelled)
    history.push(reference)
    copy(history.late(by: delay), to: placed, frames: block)
  }

  @_noLocks @_noAllocation
  private mutating func place(told: Int, measured: Float, isCancelled: Bool) {
    lastTold = told
    if measured.isNaN {
      if told == heldAt { return }
      heldAt = -1
      // Latencies omit what a device hides, and an echo must never precede its reference: keep half the filter as a margin.
      delay = told > latest * block ? min(told - latest * block / 2, longest) : 0
      return
    }
    let echo = Int(measured * 100 * Float(block))
    let isInside = delay <= echo && echo <= delay + latest * block
    blocksOutside = isInside || (isPlaced && isCancelled) ? 0 : blocksOutside + 1
    if blocksOutside > (isPlaced ? patience : firstPatience) {
      blocksOutside = 0
      isPlaced = true
      delay = min(max(echo - block / 2, 0), longest)
    }
  }
}
