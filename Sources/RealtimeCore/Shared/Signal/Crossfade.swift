/// An equal-gain crossfade between two aligned, correlated signals, or between a signal and silence. [realtime]
struct Crossfade {
  /// The share of `wet` in the output, 0…1.
  private(set) var weight: Float
  private let step: Float

  /// - Parameter frames: the length of a full fade.
  init(frames: Int, weight: Float) {
    self.weight = weight
    step = 1 / Float(max(frames, 1))
  }

  /// Restarts at weight 0.
  @_noLocks @_noAllocation
  mutating func restart() { weight = 0 }

  /// Writes `output` = weight · wet + (1 − weight) · dry, while the weight moves towards 1 if `isOn`, otherwise towards 0. `output` may be
  /// either input.
  @_noLocks @_noAllocation
  mutating func blend(
    wet: UnsafePointer<Float>, dry: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, frames: Int, isOn: Bool
  ) {
    let target: Float = isOn ? 1 : 0
    if weight == target {
      let source = isOn ? wet : dry
      if source != UnsafePointer(output) { copy(source, to: output, frames: frames) }
      return
    }
    for i in 0..<frames {
      weight = isOn ? min(weight + step, 1) : max(weight - step, 0)
      output[i] = dry[i] + weight * (wet[i] - dry[i])
    }
  }

  /// The same without a copy: returns one of the inputs, or `scratch` while the weight moves.
  @_noLocks @_noAllocation
  mutating func blend(
    wet: UnsafePointer<Float>, dry: UnsafePointer<Float>, scratch: UnsafeMutablePointer<Float>, frames: Int, isOn: Bool
  ) -> UnsafePointer<Float> {
    if weight == (isOn ? 1 : 0) { return isOn ? wet : dry }
    blend(wet: wet, dry: dry, into: scratch, frames: frames, isOn: isOn)
    return UnsafePointer(scratch)
  }

  /// Advances the weight by `frames` of a fade.
  @_noLocks @_noAllocation
  mutating func move(frames: Int, isOn: Bool) {
    weight = isOn ? min(weight + step * Float(frames), 1) : max(weight - step * Float(frames), 0)
  }

  /// Fades `samples` in if `isOn`, otherwise out, in place.
  @_noLocks @_noAllocation
  mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, isOn: Bool) {
    if isOn && weight == 1 { return }
    if !isOn && weight == 0 {
      clear(samples, frames: frames)
      return
    }
    for i in 0..<frames {
      weight = isOn ? min(weight + step, 1) : max(weight - step, 0)
      samples[i] *= weight
    }
  }
}
