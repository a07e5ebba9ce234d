internal import CRealtime

/// Brings the far end to the microphone's clock: a windowed sinc of 16 taps at a delay that grows or shrinks by `rate` frames a frame.
/// [realtime] except `init` and `deinit`.
struct DriftResampler: ~Copyable {
  /// Frames by which the output is later than the input, beyond the 8 that the filter looks ahead.
  private(set) var delay = 24.0
  /// The growth of the delay in frames per frame: positive if the loudspeaker's clock is slow.
  var rate: Double = 0

  private let middle = 24.0
  /// The filter looks 8 frames ahead.
  private let least = 10.0
  /// Two hops beyond the middle: further back there is no history.
  private let most: Double
  private let taps = 16
  private let phases = 256
  private let before: Int
  private let hop: Int
  private let channels = 2
  private var sameHops = 0
  /// The last two hops and 64 frames, and a hop, a channel after the other.
  private let history: UnsafeMutablePointer<Float>
  /// `phases` + 1 filters of `taps` each.
  private let table: UnsafeMutablePointer<Float>

  init(hop: Int) {
    self.hop = hop
    before = 2 * hop + 64
    most = middle + Double(2 * hop)
    history = .silence(channels * (hop + before))
    table = .silence((phases + 1) * taps)
    for phase in 0...phases {
      let fraction = Float(phase) / Float(phases)
      for tap in 0..<taps {
        let x = Float(tap - 7) - fraction
        let sinc = abs(x) < 1e-6 ? 1 : rt_sinf(.pi * x) / (.pi * x)
        table[phase * taps + tap] = sinc * (0.5 + 0.5 * rt_cosf(.pi * x / 8.5))
      }
    }
  }

  deinit {
    history.deallocate()
    table.deallocate()
  }

  /// A Boolean value indicating whether both channels are the same throughout the history.
  var isMono: Bool {
    @_noLocks @_noAllocation get { sameHops > before / hop + 1 }
  }

  /// Feeds a hop of both channels.
  @_noLocks @_noAllocation
  mutating func feed(left: UnsafePointer<Float>, right: UnsafePointer<Float>) {
    push(left, frames: hop, onto: history, length: hop + before)
    push(right, frames: hop, onto: history + (hop + before), length: hop + before)
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
    let line = history + channel * (hop + before)
    for first in stride(from: 0, to: hop, by: 16) {
      // One filter for 16 frames, that of their middle: a drift of 200 ppm moves them by 0.0016 frames from it.
      let position = Double(before + first) - (delay + rate * (Double(first) + 7.5))
      let whole = Int(position)
      let phase = Float((position - Double(whole)) * Double(phases))
      let row = min(Int(phase), phases - 1)
      let share = phase - Float(row)
      let below = table + row * taps, above = below + taps, samples = line + (whole - 7)
      var early = SIMD8<Float>.zero, late = SIMD8<Float>.zero
      for tap in 0..<taps {
        let weight = below[tap] + share * (above[tap] - below[tap])
        early += weight * load8(samples + tap)
        late += weight * load8(samples + tap + 8)
      }
      store8(early, to: output + first)
      store8(late, to: output + first + 8)
    }
  }

  /// Advances by a hop, once every channel has been read. The delay stays within the history.
  @_noLocks @_noAllocation
  mutating func advance() { delay = min(max(delay + rate * Double(hop), least), most) }

  /// A Boolean value indicating whether another hop can be read before the next one is fed: the delay has grown by more than a hop.
  var hasHopToSpare: Bool {
    @_noLocks @_noAllocation get { delay > middle + Double(hop) }
  }
  /// A Boolean value indicating whether a hop will soon be read that has not been fed.
  var isShort: Bool {
    @_noLocks @_noAllocation get { delay < least + 1 }
  }
  /// Corrects the delay after so many hops more, or with a negative number fewer, were read.
  @_noLocks @_noAllocation
  mutating func skip(hops: Int) { delay -= Double(hops * hop) }
}
