internal import CRealtime

/// The inner loops of the cycle and its render path. [realtime]
enum Kernel {
  /// target += source.
  @_noLocks @_noAllocation
  static func add(_ source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, frames: Int) {
    for i in 0..<frames { target[i] += source[i] }
  }

  /// target = source, or silence if there is none.
  @_noLocks @_noAllocation
  static func copy(_ source: UnsafePointer<Float>?, offset: Int, to target: UnsafeMutablePointer<Float>, frames: Int) {
    if let source {
      RealtimeCore.copy(source + offset, to: target, frames: frames)
    } else {
      clear(target, frames: frames)
    }
  }

  /// target *= factor.
  @_noLocks @_noAllocation
  static func scale(_ target: UnsafeMutablePointer<Float>, by factor: Float, frames: Int) {
    for i in 0..<frames { target[i] *= factor }
  }

  /// Sets both to their mean.
  @_noLocks @_noAllocation
  static func mean(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, frames: Int) {
    for i in 0..<frames {
      left[i] = 0.5 * (left[i] + right[i])
      right[i] = left[i]
    }
  }

  /// Largest magnitude; infinity if any sample is infinite or NaN.
  @_noLocks @_noAllocation
  static func peak(_ source: UnsafePointer<Float>, frames: Int) -> Float {
    // Eight lanes, because the compiler must not reorder float maxima by itself.
    var lanes = SIMD8<Float>(repeating: 0)
    var sums = SIMD8<Float>(repeating: 0)
    let raw = UnsafeRawPointer(source)
    let whole = frames & ~7
    for i in stride(from: 0, to: whole, by: 8) {
      let x = raw.loadUnaligned(fromByteOffset: i * 4, as: SIMD8<Float>.self)
      let magnitude = x.replacing(with: -x, where: x .< 0)
      lanes.replace(with: magnitude, where: magnitude .> lanes)
      sums += x - x
    }
    var peak: Float = 0
    var check: Float = 0
    for k in 0..<8 {
      peak = max(peak, lanes[k])
      check += sums[k]
    }
    for i in whole..<frames {
      peak = max(peak, abs(source[i]))
      check += source[i] - source[i]
    }
    // x − x is 0 for finite numbers, and NaN otherwise.
    return check == 0 ? peak : .infinity
  }

  /// Replaces NaN and infinite samples by silence; returns how many there were.
  @_noLocks @_noAllocation
  static func silenceNonNumbers(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    guard peak(UnsafePointer(target), frames: frames) == .infinity else { return 0 }
    var count = 0
    for i in 0..<frames where !(abs(target[i]) < .infinity) {
      target[i] = 0
      count += 1
    }
    return count
  }

  /// Largest magnitude and sum of squares.
  @_noLocks @_noAllocation
  static func level(_ source: UnsafePointer<Float>, frames: Int) -> (peak: Float, sumOfSquares: Float) {
    var largest = SIMD8<Float>(repeating: 0)
    var sums = SIMD8<Float>(repeating: 0)
    let raw = UnsafeRawPointer(source)
    let whole = frames & ~7
    for i in stride(from: 0, to: whole, by: 8) {
      let x = raw.loadUnaligned(fromByteOffset: i * 4, as: SIMD8<Float>.self)
      let square = x * x
      largest.replace(with: square, where: square .> largest)
      sums += square
    }
    var square: Float = 0
    var sum: Float = 0
    for k in 0..<8 {
      square = max(square, largest[k])
      sum += sums[k]
    }
    for i in whole..<frames {
      square = max(square, source[i] * source[i])
      sum += source[i] * source[i]
    }
    return (rt_sqrtf(square), sum)
  }
}
