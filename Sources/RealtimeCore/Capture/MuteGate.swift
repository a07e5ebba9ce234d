/// Opens and shuts a signal without a click, where it stands: along a curve without a corner, within 5 ms and within the cycle that begins it (D1). [realtime]
struct MuteGate {
  /// 0: shut, 1: open; moves in a straight line, what is heard follows the curve.
  private var position: Float
  private let length: Int

  /// - Parameter length: frames of the way from open to shut, at most.
  init(length: Int, isOpen: Bool) {
    self.length = max(length, 1)
    position = isOpen ? 1 : 0
  }

  /// Whether everything passes as it is.
  var isOpen: Bool { @_noLocks @_noAllocation get { position == 1 } }
  /// Whether nothing passes.
  var isShut: Bool { @_noLocks @_noAllocation get { position == 0 } }

  /// Open or shut at once: nothing has been heard yet.
  @_noLocks @_noAllocation
  mutating func begin(isOpen: Bool) { position = isOpen ? 1 : 0 }

  /// In place. `quantum` is the cycle that the frames are part of.
  @_noLocks @_noAllocation
  mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, quantum: Int, isOpen wanted: Bool) {
    if wanted && isOpen { return }
    if !wanted && isShut { return clear(samples, frames: frames) }
    let step = 1 / Float(min(length, max(quantum, 1)))
    for i in 0..<frames {
      // Rounding must not leave it a hair before its end, for another cycle.
      position = wanted ? position + step : position - step
      if position > 1 - 0.5 * step { position = 1 }
      if position < 0.5 * step { position = 0 }
      samples[i] *= position * position * (3 - 2 * position)
    }
  }
}
