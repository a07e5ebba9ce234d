internal import CRealtime

/// Brings the far end to the microphone's clock: a windowed sinc of 16 taps at a delay that grows or shrinks by `rate` frames a frame. [realtime] but for
/// `init` and `deinit`.
struct DriftResampler: ~Copyable {
  /// Frames by which the output is later than the input, beyond the 8 that the filter looks ahead.
  private(set) var delay = 24.0
  /// By how much the delay grows in one frame: positive where the loudspeaker's clock is slow.
  var rate: Double = 0

  private let middle = 24.0
  /// The filter looks 8 frames ahead.
  private let least = 10.0
  private let taps = 16
  private let phases = 256
  private let before: Int
  private let hop: Int
  private let channels: Int
  /// The last two hops and 64 frames, and a hop, a channel after the other.
  private let history: UnsafeMutablePointer<Float>
  /// `phases` + 1 filters of `taps` each.
  private let table: UnsafeMutablePointer<Float>

  init(hop: Int, channels: Int) {
    self.hop = hop
    before = 2 * hop + 64
    self.channels = channels
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

  /// Takes a hop of a channel in.
  @_noLocks @_noAllocation
  mutating func feed(_ samples: UnsafePointer<Float>, channel: Int) {
    let line = history + channel * (hop + before)
    for i in 0..<before { line[i] = line[i + hop] }
    for i in 0..<hop { line[before + i] = samples[i] }
  }

  /// The hop of a channel at the delay of now.
  @_noLocks @_noAllocation
  func read(into output: UnsafeMutablePointer<Float>, channel: Int) {
    let line = history + channel * (hop + before)
    for n in 0..<hop {
      let position = Double(before + n) - (delay + rate * Double(n))
      let whole = Int(position)
      let phase = Float((position - Double(whole)) * Double(phases))
      let row = min(Int(phase), phases - 1)
      let share = phase - Float(row)
      let a = UnsafeRawPointer(table + row * taps)
      let samples = UnsafeRawPointer(line + whole - 7)
      var sum = SIMD8<Float>.zero
      for half in 0..<2 {
        let low = a.loadUnaligned(fromByteOffset: 32 * half, as: SIMD8<Float>.self)
        let high = a.loadUnaligned(fromByteOffset: 32 * half + 4 * taps, as: SIMD8<Float>.self)
        sum += samples.loadUnaligned(fromByteOffset: 32 * half, as: SIMD8<Float>.self) * (low + share * (high - low))
      }
      output[n] = sum.sum()
    }
  }

  /// After every channel has been read.
  @_noLocks @_noAllocation
  mutating func advance() { delay = max(delay + rate * Double(hop), least) }

  /// Another hop can be read before the next one is fed: the delay has grown by more than a hop.
  var hasHopToSpare: Bool {
    @_noLocks @_noAllocation get { delay > middle + Double(hop) }
  }
  /// A hop will soon be read that has not been fed.
  var isShort: Bool {
    @_noLocks @_noAllocation get { delay < least + 1 }
  }
  /// After a hop more, or a hop fewer, has been read.
  @_noLocks @_noAllocation
  mutating func skip(hops: Int) { delay -= Double(hops * hop) }
}
