internal import CKernels
internal import CRealtime

// Loops over samples, shared by several stages. [realtime]

/// destination = source, which may overlap it.
@_noLocks @_noAllocation
func copy(_ source: UnsafePointer<Float>, to destination: UnsafeMutablePointer<Float>, frames: Int) {
  UnsafeMutableRawPointer(destination).copyMemory(from: source, byteCount: frames * MemoryLayout<Float>.stride)
}

/// destination = source from `offset` on, or silence if there is none.
@_noLocks @_noAllocation
func copy(_ source: UnsafePointer<Float>?, offset: Int, to destination: UnsafeMutablePointer<Float>, frames: Int) {
  if let source {
    copy(source + offset, to: destination, frames: frames)
  } else {
    clear(destination, frames: frames)
  }
}

/// Exchanges the values of two buffers that do not overlap.
@_noLocks @_noAllocation
func exchangeValues(_ a: UnsafeMutablePointer<Float>, _ b: UnsafeMutablePointer<Float>, frames: Int) {
  for i in 0..<frames { (a[i], b[i]) = (b[i], a[i]) }
}

/// destination = 0.
@_noLocks @_noAllocation
func clear(_ destination: UnsafeMutablePointer<Float>, frames: Int) {
  for i in 0..<frames { destination[i] = 0 }
}

/// Loads eight samples from any alignment.
@_noLocks @_noAllocation
func load8(_ samples: UnsafePointer<Float>) -> SIMD8<Float> { UnsafeRawPointer(samples).loadUnaligned(as: SIMD8<Float>.self) }

/// Stores eight samples at any alignment.
@_noLocks @_noAllocation
func store8(_ values: SIMD8<Float>, to samples: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(samples).storeBytes(of: values, as: SIMD8<Float>.self)
}

/// Applies a Hann window to eight bins of a spectrum without window, by convolution with their neighbours, from `part` − 1 to `part` + 8.
@_noLocks @_noAllocation @inline(__always)
func hann8(_ part: UnsafePointer<Float>) -> SIMD8<Float> { 0.5 * load8(part) - 0.25 * (load8(part - 1) + load8(part + 1)) }

/// The power gain of that window.
var hannGain: Float {
  @_noLocks @_noAllocation get { 0.375 }
}

/// Sorts a few values in place, by insertion, and returns the middle one.
@_noLocks @_noAllocation
func median(_ values: UnsafeMutablePointer<Float>, count: Int) -> Float {
  for i in 1..<max(count, 1) {
    let value = values[i]
    var j = i
    while j > 0, values[j - 1] > value {
      values[j] = values[j - 1]
      j -= 1
    }
    values[j] = value
  }
  return values[count / 2]
}

/// Clamps eight values. The standard library's `clamped` compares lane by lane.
@inline(__always) @_noLocks @_noAllocation
func clamp8(_ values: SIMD8<Float>, _ low: Float, _ high: Float) -> SIMD8<Float> {
  let raised = values.replacing(with: SIMD8(repeating: low), where: values .< low)
  return raised.replacing(with: SIMD8(repeating: high), where: raised .> high)
}

/// Mean square of `frames` samples.
@_noLocks @_noAllocation
func meanSquare(_ samples: UnsafePointer<Float>, frames: Int) -> Float { nearend_mean_square(samples, Int32(frames)) }

/// Largest magnitude of `frames` samples; NaN is ignored.
@_noLocks @_noAllocation
func peak(_ samples: UnsafePointer<Float>, frames: Int) -> Float {
  var check: Float = 0
  return nearend_peak(samples, Int32(frames), &check)
}

/// Largest magnitude of `frames` samples; infinity if any is infinite or NaN.
@_noLocks @_noAllocation
func checkedPeak(_ samples: UnsafePointer<Float>, frames: Int) -> Float {
  var check: Float = 0
  let peak = nearend_peak(samples, Int32(frames), &check)
  return check == 0 ? peak : .infinity
}

/// Largest magnitude and sum of squares.
@_noLocks @_noAllocation
func level(_ source: UnsafePointer<Float>, frames: Int) -> (peak: Float, sumOfSquares: Float) {
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

/// target += source.
@_noLocks @_noAllocation
func add(_ source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, frames: Int) {
  for i in 0..<frames { target[i] += source[i] }
}

/// target *= factor.
@_noLocks @_noAllocation
func scale(_ target: UnsafeMutablePointer<Float>, by factor: Float, frames: Int) {
  for i in 0..<frames { target[i] *= factor }
}

/// Sets both to their mean.
@_noLocks @_noAllocation
func average(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, frames: Int) {
  for i in 0..<frames {
    left[i] = 0.5 * (left[i] + right[i])
    right[i] = left[i]
  }
}

/// Replaces NaN and infinite samples by silence; returns how many there were.
@_noLocks @_noAllocation
func silenceNonNumbers(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
  guard checkedPeak(UnsafePointer(target), frames: frames) == .infinity else { return 0 }
  var count = 0
  for i in 0..<frames where !(abs(target[i]) < .infinity) {
    target[i] = 0
    count += 1
  }
  return count
}

/// A smooth ramp from 0 at `x` = 0 to 1 at `x` = 1, with slope 0 at both ends.
@_noLocks @_noAllocation
func smoothStep(_ x: Float) -> Float { x * x * (3 - 2 * x) }
