internal import CRealtime

// Loops over samples that every stage needs. [realtime]

/// destination = source, which may overlap it.
@_noLocks @_noAllocation
func copy(_ source: UnsafePointer<Float>, to destination: UnsafeMutablePointer<Float>, frames: Int) {
  UnsafeMutableRawPointer(destination).copyMemory(from: source, byteCount: frames * MemoryLayout<Float>.stride)
}

/// destination = 0.
@_noLocks @_noAllocation
func clear(_ destination: UnsafeMutablePointer<Float>, frames: Int) {
  for i in 0..<frames { destination[i] = 0 }
}

/// Drops the oldest frames of a delay line of `length` frames and appends a block.
@_noLocks @_noAllocation
func push(_ block: UnsafePointer<Float>, frames: Int, onto line: UnsafeMutablePointer<Float>, length: Int) {
  copy(UnsafePointer(line + frames), to: line, frames: length - frames)
  copy(block, to: line + (length - frames), frames: frames)
}

/// Reads eight samples from `samples` on, whatever their alignment.
@_noLocks @_noAllocation
func load8(_ samples: UnsafePointer<Float>) -> SIMD8<Float> { UnsafeRawPointer(samples).loadUnaligned(as: SIMD8<Float>.self) }

/// Writes eight samples from `samples` on.
@_noLocks @_noAllocation
func store8(_ values: SIMD8<Float>, to samples: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(samples).storeBytes(of: values, as: SIMD8<Float>.self)
}

/// Mean square of `frames` samples, as eight sums that fit one or two vector registers.
@_noLocks @_noAllocation
func meanSquare(_ samples: UnsafePointer<Float>, frames: Int) -> Float {
  var sums = SIMD8<Float>.zero
  var i = 0
  while i + 8 <= frames {
    let x = load8(samples + i)
    sums += x * x
    i += 8
  }
  var sum: Float = 0
  for lane in 0..<8 { sum += sums[lane] }
  while i < frames {
    sum += samples[i] * samples[i]
    i += 1
  }
  return sum / Float(frames)
}

/// Largest magnitude of `frames` samples.
@_noLocks @_noAllocation
func peak(_ samples: UnsafePointer<Float>, frames: Int) -> Float {
  var peaks = SIMD8<Float>.zero
  var i = 0
  while i + 8 <= frames {
    let x = load8(samples + i)
    let magnitude = x.replacing(with: -x, where: x .< 0)
    peaks.replace(with: magnitude, where: magnitude .> peaks)
    i += 8
  }
  var highest: Float = 0
  for lane in 0..<8 { highest = max(highest, peaks[lane]) }
  while i < frames {
    highest = max(highest, abs(samples[i]))
    i += 1
  }
  return highest
}
