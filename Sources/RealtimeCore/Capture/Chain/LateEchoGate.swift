/// Attenuates the voice while it is an echo that begins beyond the canceller's reach: half duplex, for that echo only. [realtime]
struct LateEchoGate {
  /// The gain now, linear.
  private(set) var gain: Float = 1
  private let step: Float
  /// −26 dB, as deep as noise suppression goes.
  private let depth: Float = 0.05

  init(rate: Int) {
    // Opens and closes in 10 ms.
    step = 100 * (1 - depth) / Float(rate)
  }

  /// Processes one block in place.
  ///
  /// - Parameter open: receives the same gain.
  @_noLocks @_noAllocation
  mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int, isClosed: Bool, open: UnsafeMutablePointer<Float>?) {
    if gain == 1, !isClosed { return }
    for i in 0..<frames {
      gain = isClosed ? max(gain - step, depth) : min(gain + step, 1)
      samples[i] *= gain
      if let open { open[i] *= gain }
    }
  }
}
