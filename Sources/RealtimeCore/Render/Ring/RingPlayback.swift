/// Decides when a ring sink plays: a state machine that takes the ring's fill and the time passed, and says what the cycle does. [realtime]
///
///     idle ──write──▶ buffering ──target reached, end(), or the ring is full──▶ playing ──ran dry──▶ underrun ──write──▶ buffering
///       ▲────────────────────────── end() and played out, or reset() ──────────────┴───────────────────┘
struct RingPlayback {
  /// Seconds without a new write after which a buffering sink plays what it has.
  static var patience: Double {
    @_noLocks @_noAllocation get { 0.2 }
  }
  /// Seconds of uninterrupted playing that end a run of underruns.
  static var recovery: Double {
    @_noLocks @_noAllocation get { 1 }
  }

  /// The facts of a cycle in which the sink is silent.
  struct Finding {
    /// Frames in the ring.
    let fill: Int
    /// The ring's write position.
    let written: UInt64
    /// Writes that the ring has refused.
    let drops: UInt64
    /// Whether the writer has ended the stream.
    let hasEnded: Bool
    /// How far the fill is below its target, in cycles.
    let missing: Double
    /// The cycle's length in seconds.
    let duration: Double

    @_noLocks @_noAllocation
    init(fill: Int, written: UInt64, drops: UInt64, hasEnded: Bool, missing: Double, duration: Double) {
      self.fill = fill
      self.written = written
      self.drops = drops
      self.hasEnded = hasEnded
      self.missing = missing
      self.duration = duration
    }
  }

  private(set) var state = SinkStatus.State.idle
  /// Whether the ring keeps its audio while nothing is heard.
  private(set) var isPaused = false
  private var sincePlaying = 0.0
  private var sinceWrite = 0.0
  private var lastWritten: UInt64 = 0
  /// Drops when buffering, or the pause, began; more of them mean that the ring has been full since.
  private var dropsAtBuffering: UInt64 = 0
  private var dropsWhenPaused: UInt64 = 0

  /// Creates the state of a sink that was never written to.
  init() {}

  var isPlaying: Bool {
    @_noLocks @_noAllocation get { if case .playing = state { true } else { false } }
  }

  // MARK: A cycle

  /// Updates a silent sink for one cycle. Returns the share of the cycle after which it plays, 0 or more and below 1; nil if it stays
  /// silent. A sink starts in mid-cycle so that its fill is right from the beginning, however long the quantum.
  @_noLocks @_noAllocation
  mutating func start(_ found: Finding) -> Double? {
    switch state {
    case .idle, .underrun:
      if found.fill == 0 {
        if found.hasEnded { state = .idle }
        return nil
      }
      state = .buffering
      sinceWrite = 0
      lastWritten = found.written
      dropsAtBuffering = found.drops
    case .buffering, .playing: break
    }
    sinceWrite = found.written == lastWritten ? sinceWrite + found.duration : 0
    lastWritten = found.written
    let isFull = found.drops != dropsAtBuffering
    let isDue = found.hasEnded || isFull || sinceWrite >= Self.patience || found.missing <= 0
    guard isDue || found.missing < 1 else { return nil }
    state = .playing
    sincePlaying = 0
    return isDue ? 0 : found.missing
  }

  /// Records `duration` seconds played without a gap. Returns whether a run of underruns is over.
  @_noLocks @_noAllocation
  mutating func played(_ duration: Double) -> Bool {
    sincePlaying += duration
    return sincePlaying >= Self.recovery
  }

  /// Records that the ring ran dry in mid-cycle. Returns whether that is an underrun; it is not if the writer has ended the stream.
  @_noLocks @_noAllocation
  mutating func ranDry(hasEnded: Bool) -> Bool {
    state = hasEnded ? .idle : .underrun
    return !hasEnded
  }

  // MARK: From outside

  /// Begins a pause: playing stops, and the ring keeps its audio.
  @_noLocks @_noAllocation
  mutating func pause(drops: UInt64) {
    isPaused = true
    dropsWhenPaused = drops
    dropsAtBuffering = drops
    if isPlaying { state = .buffering }
  }

  /// Returns whether the writer continued in the pause while the ring was full: the waiting audio is then old, to be discarded before
  /// `resume`.
  @_noLocks @_noAllocation
  func isStale(drops: UInt64) -> Bool { drops != dropsWhenPaused }

  /// Ends a pause, with what the ring holds now.
  @_noLocks @_noAllocation
  mutating func resume(fill: Int, written: UInt64) {
    isPaused = false
    sinceWrite = 0
    lastWritten = written
    if fill == 0 { state = .idle }
  }

  /// Handles `reset()`, after the ring has been emptied. Returns whether that interrupts playing.
  @_noLocks @_noAllocation
  mutating func reset() -> Bool {
    defer { state = .idle }
    return isPlaying
  }
}
