internal import CKernels
internal import CRealtime

/// Resamples the far end to the microphone's clock, at a delay that grows or shrinks by `rate` frames a frame: a windowed sinc of 16 taps,
/// interpolated in a table (Smith and Gossett, ICASSP 1984). Delay: `delay`, 24 frames at first. Cost: 16 multiplications and additions a
/// frame and channel. [realtime] except `init` and `deinit`.
struct DriftResampler: ~Copyable {
  /// Frames by which the output lags the input.
  private(set) var delay = 24.0
  /// The growth of the delay in frames per frame: positive if the loudspeaker's clock is slow.
  var rate: Double = 0

  /// The initial delay, around which whole hops are inserted or omitted.
  private let middle = 24.0
  /// The minimum delay: the filter looks 8 frames ahead.
  private let least = 10.0
  /// The maximum delay, two hops beyond the middle: further back there is no history.
  private let most: Double
  private let taps = Int(NEAREND_DRIFT_TAPS)
  private let phases = 256
  /// Frames of history before the newest hop.
  private let before: Int
  private let hop: Int
  private let channels = 2
  /// Consecutive hops in which both channels were equal.
  private var sameHops = 0
  /// Consecutive hops of zeros.
  private var silentHops = 0
  /// By channel: history, of which `before` frames are read, then the newest hop.
  private let history: SlidingWindows
  /// `phases` + 1 filters of `taps` each.
  private let table: Samples

  init(hop: Int) {
    self.hop = hop
    before = 2 * hop + 64
    most = middle + Double(2 * hop)
    // At least `before`: a hop has 64 frames or more.
    history = SlidingWindows(count: channels, length: 4 * hop, block: hop)
    table = Samples((phases + 1) * taps)
    for phase in 0...phases {
      let fraction = Float(phase) / Float(phases)
      for tap in 0..<taps {
        let x = Float(tap - 7) - fraction
        let sinc = abs(x) < 1e-6 ? 1 : rt_sinf(.pi * x) / (.pi * x)
        table[phase * taps + tap] = sinc * (0.5 + 0.5 * rt_cosf(.pi * x / 8.5))
      }
    }
  }

  /// A Boolean value indicating whether both channels are equal throughout the history.
  var isMono: Bool {
    @_noLocks @_noAllocation get { sameHops > before / hop + 1 }
  }

  /// Feeds a hop of both channels; `isSilent` if both are 0.
  @_noLocks @_noAllocation
  mutating func feed(left: UnsafePointer<Float>, right: UnsafePointer<Float>, isSilent: Bool = false) {
    silentHops = isSilent ? min(silentHops + 1, 1_000) : 0
    // Silence follows a history of silence.
    if silentHops > before / hop + 1 { return }
    history.push(left, onto: 0)
    history.push(right, onto: 1)
    var difference = SIMD8<Float>.zero
    for i in stride(from: 0, to: hop, by: 8) {
      let d = load8(left + i) - load8(right + i)
      difference += d * d
    }
    sameHops = difference == .zero ? min(sameHops + 1, 1_000) : 0
  }

  /// Reads a hop of a channel at the current delay.
  @_noLocks @_noAllocation
  func read(into output: UnsafeMutablePointer<Float>, channel: Int) {
    let line = history[channel] + (history.length - hop - before)
    var filters = nearend_drift_table(rows: table.start, phases: Int32(phases))
    nearend_resample_drift(&filters, line, Double(before) - delay, 1 - rate, output, Int32(hop))
  }

  /// Advances by a hop, once every channel has been read. The delay stays within the history.
  @_noLocks @_noAllocation
  mutating func advance() { delay = min(max(delay + rate * Double(hop), least), most) }

  /// A Boolean value indicating whether another hop can be read before the next is fed: the delay has grown by more than a hop.
  var hasHopToSpare: Bool {
    @_noLocks @_noAllocation get { delay > middle + Double(hop) }
  }
  /// A Boolean value indicating whether the delay is nearly at its minimum, so that a read would soon need frames not yet fed.
  var isShort: Bool {
    @_noLocks @_noAllocation get { delay < least + 1 }
  }
  /// Adjusts the delay after `hops` extra hops were read (negative: omitted).
  @_noLocks @_noAllocation
  mutating func skip(hops: Int) { delay -= Double(hops * hop) }
  /// Adjusts the delay after the filter was moved towards earlier echoes.
  @_noLocks @_noAllocation
  mutating func postpone(by frames: Int) { delay += Double(frames) }
}
