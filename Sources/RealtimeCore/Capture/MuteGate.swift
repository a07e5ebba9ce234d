/// Opens and shuts a signal without a click: along a smooth curve, within 5 ms and within the current cycle (D1). [realtime]
struct MuteGate {
  /// 0 is shut, 1 open. Moves linearly; the gain follows the curve.
  private var position: Float
  private let length: Int

  /// - Parameter length: the longest transition in frames.
  init(length: Int, isOpen: Bool) {
    self.length = max(length, 1)
    position = isOpen ? 1 : 0
  }

  /// A Boolean value indicating whether everything passes unchanged.
  var isOpen: Bool { @_noLocks @_noAllocation get { position == 1 } }
  /// A Boolean value indicating whether nothing passes.
  var isShut: Bool { @_noLocks @_noAllocation get { position == 0 } }

  /// Opens or shuts at once, before anything has been heard.
  @_noLocks @_noAllocation
  mutating func begin(isOpen: Bool) { position = isOpen ? 1 : 0 }

  /// Applies the gate in place. `quantum` is the length of the whole cycle.
  @_noLocks @_noAllocation
  mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, quantum: Int, isOpen wanted: Bool) {
    if wanted && isOpen { return }
    if !wanted && isShut { return clear(samples, frames: frames) }
    let step = 1 / Float(min(length, max(quantum, 1)))
    for i in 0..<frames {
      // Rounding must not leave it just short of its end for another cycle.
      position = wanted ? position + step : position - step
      if position > 1 - 0.5 * step { position = 1 }
      if position < 0.5 * step { position = 0 }
      samples[i] *= smoothStep(position)
    }
  }
}
