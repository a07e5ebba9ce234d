/// The newest samples of the microphone, whole where it clipped. Own arrangement. Delay: none. Cost: a mean square and two copies a hop.
/// [realtime] except `init` and `deinit`.
struct MicrophoneWindow: ~Copyable {
  /// Mean square of the newest hop, before it is repaired.
  private(set) var power: Float = 0
  private(set) var repair: ClippingRepair

  private let layout: FilterLayout
  /// Mean square up to which it counts as closed.
  private let closed: Float
  private let windows: SlidingWindows
  /// The newest hop, repaired where it is clipped.
  private let repaired: Samples
  /// Consecutive hops with an open microphone, capped at a window's length.
  private var openHops = 0

  init(layout: FilterLayout, tuning: Tuning.Microphone = .standard) {
    self.layout = layout
    closed = tuning.closed
    repair = ClippingRepair(
      highPass: .rumble(rate: layout.rate), frames: layout.hop, memory: layout.perHop(tuning.correction), tuning: tuning)
    windows = SlidingWindows(count: 1, length: layout.window, block: layout.hop)
    repaired = Samples(layout.hop)
  }

  /// The newest `layout.window` samples, and the newest hop, which `push` has repaired.
  var samples: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { windows[0] }
  }
  var newest: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { UnsafePointer(repaired.start) }
  }
  /// Whether something is heard: one that is muted at its source gives zeros.
  var isOpen: Bool {
    @_noLocks @_noAllocation get { openHops > 0 }
  }
  /// Whether something is heard throughout the window.
  var isWhole: Bool {
    @_noLocks @_noAllocation get { openHops == layout.window / layout.hop }
  }

  /// Measures a hop, which is to be pushed or passed.
  @_noLocks @_noAllocation
  mutating func measure(_ samples: UnsafePointer<Float>) {
    power = meanSquare(samples, frames: layout.hop)
    openHops = power > closed ? min(openHops + 1, layout.window / layout.hop) : 0
  }

  /// Appends a hop of which no echo is estimated, and returns it.
  @_noLocks @_noAllocation
  mutating func pass(_ samples: UnsafePointer<Float>) -> UnsafePointer<Float> {
    windows.push(samples, onto: 0)
    repair.reset()
    return windows[0] + (layout.window - layout.hop)
  }

  /// Appends a hop, in which `echo` is estimated. `railMarks`: see `ClippingRepair.process`.
  @_noLocks @_noAllocation
  mutating func push(_ samples: UnsafePointer<Float>, railMarks: UnsafePointer<Float>?, echo: UnsafePointer<Float>) {
    copy(samples, to: repaired.start, frames: layout.hop)
    if railMarks != nil || !repair.isAtRest { repair.process(repaired.start, marks: railMarks, echo: echo) }
    windows.push(repaired.start, onto: 0)
  }

  /// Appends `silence` in place of a hop that was lost.
  @_noLocks @_noAllocation
  mutating func lose(_ silence: UnsafePointer<Float>) {
    windows.push(silence, onto: 0)
    interrupt()
  }

  /// Accounts for a pause without a consumer.
  @_noLocks @_noAllocation
  mutating func interrupt() {
    repair.reset()
    openHops = 0
  }
}
