internal import CKernels

/// Convolution with a long impulse response in real time: uniformly partitioned overlap-save (Stockham 1966; Kulp 1988; Wefers 2015,
/// chapter 5).
///
/// Takes any number of frames at a time, and adds `latency` frames. All memory is allocated at the start; `process` neither allocates nor
/// locks. Not Sendable: one owner at a time.
final class Convolver {
  /// Frames per partition.
  let block: Int
  /// Frames between a sample's input and the first output of its response.
  var latency: Int { block }

  private let transform: BufferedFourierTransform
  private let partitions: Int
  /// Floats per row: a spectrum's real parts, followed by its imaginary ones.
  private let row: Int
  /// The response's spectra, one row per partition.
  private let response: UnsafeMutablePointer<Float>
  /// The spectra of the last `partitions` blocks of input, as a ring of rows.
  private let history: UnsafeMutablePointer<Float>
  private var newest = 0
  /// The last block and the one being filled.
  private let input: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<Float>
  private var filled = 0

  init(response taps: [Float], block: Int = 256) {
    self.block = block
    transform = BufferedFourierTransform(size: 2 * block)
    row = 2 * transform.stride
    partitions = max(1, (taps.count + block - 1) / block)
    response = .allocate(capacity: partitions * row)
    history = .allocate(capacity: partitions * row)
    input = .allocate(capacity: 2 * block)
    output = .allocate(capacity: block)
    history.initialize(repeating: 0, count: partitions * row)
    input.initialize(repeating: 0, count: 2 * block)
    output.initialize(repeating: 0, count: block)
    for partition in 0..<partitions {
      for k in 0..<(2 * block) {
        let tap = partition * block + k
        transform.samples[k] = k < block && tap < taps.count ? taps[tap] : 0
      }
      transform.forward()
      (response + partition * row).initialize(from: transform.re, count: row)
    }
  }

  deinit {
    response.deallocate()
    history.deallocate()
    input.deallocate()
    output.deallocate()
  }

  /// Discards all input.
  func reset() {
    history.update(repeating: 0, count: partitions * row)
    input.update(repeating: 0, count: 2 * block)
    output.update(repeating: 0, count: block)
    filled = 0
  }

  /// Convolves `frames` samples; `source` and `destination` may be the same.
  func process(_ source: UnsafePointer<Float>, _ destination: UnsafeMutablePointer<Float>, frames: Int) {
    var done = 0
    while done < frames {
      let count = min(frames - done, block - filled)
      (input + block + filled).update(from: source + done, count: count)
      (destination + done).update(from: output + filled, count: count)
      filled += count
      done += count
      if filled == block {
        convolveBlock()
        filled = 0
      }
    }
  }

  private func convolveBlock() {
    transform.samples.update(from: input, count: 2 * block)
    input.update(from: input + block, count: block)
    transform.forward()
    newest = newest == 0 ? partitions - 1 : newest - 1
    (history + newest * row).update(from: transform.re, count: row)
    transform.re.update(repeating: 0, count: row)
    let stride = transform.stride
    for partition in 0..<partitions {
      let index = newest + partition
      let x = history + (index < partitions ? index : index - partitions) * row
      let h = response + partition * row
      nearend_multiply_add(x, x + stride, h, h + stride, transform.re, transform.im, Int32(stride))
    }
    transform.inverse()
    output.update(from: transform.samples + block, count: block)
  }
}
