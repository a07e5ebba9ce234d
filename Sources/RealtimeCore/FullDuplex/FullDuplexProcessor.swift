/// Temporary: the place of the full-duplex canceller. Passes the microphone on, a hop later, cancels nothing and knows nothing of the echo.
/// [realtime] but for `init` and `deinit`.
struct FullDuplexProcessor: ~Copyable {
  /// Frames of a block: a power of two, 5.3 ms at 48 kHz.
  let hop: Int
  /// Frames by which the voice is later than the microphone.
  let delay: Int
  private var line: BlockDelay
  private var farEndHold = 0
  private let holdHops: Int

  /// - Parameter rate: 16000…192000 Hz.
  init(rate: Int) {
    let hops = [64, 128, 256, 512, 1024]
    let hop = hops.last { $0 * 48_000 <= rate * 256 } ?? hops[0]
    self.hop = hop
    delay = hop
    line = BlockDelay(delay: hop, block: hop)
    holdHops = max(1, rate / 5 / hop)
  }

  /// One hop, in place. `left` and `right` are what the speaker plays.
  @_noLocks @_noAllocation
  mutating func process(
    _ samples: UnsafeMutablePointer<Float>, left: UnsafePointer<Float>, right: UnsafePointer<Float>, cancelsEcho: Bool,
    suppressesNoise: Bool
  ) {
    line.process(samples, into: samples)
    let isLoud = max(meanSquare(left, frames: hop), meanSquare(right, frames: hop)) > 1e-6
    farEndHold = isLoud ? holdHops : max(farEndHold - 1, 0)
  }

  @_noLocks @_noAllocation
  mutating func echoPathChanged() {}

  var erle: Float { @_noLocks @_noAllocation get { .nan } }
  var echoDelay: Float { @_noLocks @_noAllocation get { .nan } }
  var nearEndPresence: Float { @_noLocks @_noAllocation get { isFarEndActive ? 0 : 1 } }
  var isFarEndActive: Bool { @_noLocks @_noAllocation get { farEndHold > 0 } }
  var echoSeconds: Float { @_noLocks @_noAllocation get { 0 } }
  var quietSeconds: Float { @_noLocks @_noAllocation get { 3_600 } }
}
